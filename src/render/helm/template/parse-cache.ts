import { BUILTINS } from './execute/builtins.js';
import type { GoFunctions } from './value/go-function.js';
import type { Source, Tree } from './parse/node.js';
import { parseTemplate } from './parse/parser.js';

type Trees = ReadonlyMap<string, Tree>;

/** Bytes kept for one table of functions, as they were measured; the oldest goes first. */
const MAX_CACHED_BYTES = 128 * 1024 * 1024;
const BYTES_AN_ACTION = 1500;
const BYTES_A_CHARACTER = 2;

interface Parsed {
  readonly trees: Trees;
  readonly weight: number;
}

function weigh({ text }: Source): number {
  let actions = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at + 2)) actions++;
  return text.length * BYTES_A_CHARACTER + actions * BYTES_AN_ACTION;
}

class ParseCache {
  /** By text, then by name: a key of both would have to be written for every look. */
  private readonly entries = new Map<string, Map<string, Parsed>>();
  private size = 0;

  constructor(private readonly hasFunction: (name: string) => boolean) {}

  parse(source: Source): Trees {
    const known = this.entries.get(source.text)?.get(source.name);
    if (known !== undefined) return known.trees;
    const trees = parseTemplate(source, this.hasFunction);
    this.keep(source, { trees, weight: weigh(source) });
    return trees;
  }

  private keep({ name, text }: Source, parsed: Parsed): void {
    const named = this.entries.get(text) ?? new Map<string, Parsed>();
    this.entries.set(text, named.set(name, parsed));
    this.size += parsed.weight;
    for (const [oldest, parsedByName] of this.entries) {
      if (this.size <= MAX_CACHED_BYTES) break;
      this.entries.delete(oldest);
      for (const { weight } of parsedByName.values()) this.size -= weight;
    }
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
