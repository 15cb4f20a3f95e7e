import { BUILTINS } from './builtins.js';
import type { GoFunctions } from './go-function.js';
import type { Source, Tree } from './node.js';
import { parseTemplate } from './parser.js';

type Trees = ReadonlyMap<string, Tree>;

/** Text kept parsed for one table of functions; the oldest goes first. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

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
    this.size += key.length;
    for (const oldest of this.entries.keys()) {
      if (this.size <= MOST_CHARACTERS) break;
      this.entries.delete(oldest);
      this.size -= oldest.length;
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
