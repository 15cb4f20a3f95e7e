import { BUILTINS } from './builtins.js';
import type { GoFunctions } from './go-function.js';
import type { Source, Tree } from './node.js';
import { parseTemplate } from './parser.js';

type Trees = ReadonlyMap<string, Tree>;

/** Bytes kept for one table of functions, as they were measured; the oldest goes first. */
const MOST_BYTES = 128 * 1024 * 1024;
const BYTES_AN_ACTION = 1500;
const BYTES_A_CHARACTER = 2;

function weigh(key: string): number {
  return key.length * BYTES_A_CHARACTER + (key.split('{{').length - 1) * BYTES_AN_ACTION;
}

class ParseCache {
  private readonly entries = new Map<string, Trees>();
  private size = 0;

  constructor(private readonly hasFunction: (name: string) => boolean) {}

  parse(source: Source): Trees {
    const key = `${source.name}\0${source.text}`;
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const trees = parseTemplate(source, this.hasFunction);
    this.entries.set(key, trees);
    this.size += weigh(key);
    for (const oldest of this.entries.keys()) {
      if (this.size <= MOST_BYTES) break;
      this.entries.delete(oldest);
      this.size -= weigh(oldest);
    }
    return trees;
  }
}

const caches = new WeakMap<GoFunctions, ParseCache>();

/** The same text under the same name is parsed, and later compiled, once. */
export function parseCached(source: Source, functions: GoFunctions): Trees {
  let cache = caches.get(functions);
  if (cache === undefined) {
    cache = new ParseCache((name) => Object.hasOwn(functions, name) || BUILTINS.has(name));
    caches.set(functions, cache);
  }
  return cache.parse(source);
}
