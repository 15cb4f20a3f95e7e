import { RE2JS } from 're2js';
import { isArray, type Json, type JsonObject } from '../../model/json/index.js';
import { objectOf } from './cell.js';
import { JqError, formatValue, type Budget } from './values.js';

interface Pattern {
  readonly regex: RE2JS;
  readonly names: readonly (string | null)[];
}

const CACHE_SIZE = 200;
const compiled = new Map<string, Pattern>();

/** All matches of a pattern in a text, with offsets in characters; only the first without the flag `g`. */
export function matches(value: Json, args: readonly Json[], budget: Budget): JsonObject[] {
  const { text, pattern, flags } = request(value, args);
  budget.spend(text.length >> 2);
  const { regex, names } = compile(pattern, flags);
  const found: JsonObject[] = [];
  const matcher = regex.matcher(text);
  const offsets = new Offsets(text);
  while (matcher.find()) {
    budget.spend(10);
    found.push(matchOf(offsets, names, (group) => ({ text: matcher.group(group), start: matcher.start(group) })));
    if (!flags.includes('g')) break;
  }
  return found;
}

export function isMatch(value: Json, args: readonly Json[], budget: Budget): boolean {
  const { text, pattern, flags } = request(value, args);
  budget.spend(text.length >> 2);
  return compile(pattern, flags).regex.test(text);
}

function request(value: Json, args: readonly Json[]): { text: string; pattern: string; flags: string } {
  const [pattern = null, flags = null] = args;
  if (typeof value !== 'string') throw new JqError(`cannot be matched: ${formatValue(value)}`);
  if (typeof pattern !== 'string') throw new JqError(`pattern must be a string: ${formatValue(pattern)}`);
  if (flags !== null && typeof flags !== 'string') throw new JqError(`flags must be a string: ${formatValue(flags)}`);
  return { text: value, pattern, flags: flags ?? '' };
}

function compile(pattern: string, flags: string): Pattern {
  const key = `${flags}\0${pattern}`;
  let found = compiled.get(key);
  if (found === undefined) {
    if (compiled.size >= CACHE_SIZE) compiled.clear();
    compiled.set(key, (found = compileFresh(pattern, flags)));
  }
  return found;
}

function compileFresh(pattern: string, flags: string): Pattern {
  const wrong = /[^gimnpslx]/.exec(flags);
  if (wrong !== null) throw new JqError(`unsupported regular expression flag: ${JSON.stringify(flags)}`);
  const options = (/[i]/.test(flags) ? RE2JS.CASE_INSENSITIVE : 0) | (/[sp]/.test(flags) ? RE2JS.DOTALL : 0);
  const source = flags.includes('x')
    ? pattern.replace(/\\.|\s|#.*/g, (part) => (part.startsWith('\\') ? part : ''))
    : pattern;
  try {
    // jq writes (?<name>), RE2 reads (?P<name>).
    const regex = RE2JS.compile(source.replace(/\(\?<(?=[A-Za-z_])/g, '(?P<'), options);
    const names: (string | null)[] = new Array<null>(regex.groupCount()).fill(null);
    for (const [name, group] of Object.entries(regex.namedGroups())) names[group - 1] = name;
    return { regex, names };
  } catch (error) {
    throw new JqError(
      `invalid regular expression ${JSON.stringify(pattern)}: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

/** Offsets in characters of a text that is read from left to right. */
class Offsets {
  #units = 0;
  #characters = 0;

  constructor(readonly text: string) {}

  at(unit: number): number {
    if (unit < this.#units) return [...this.text.slice(0, unit)].length;
    this.#characters += [...this.text.slice(this.#units, unit)].length;
    this.#units = unit;
    return this.#characters;
  }
}

function matchOf(
  offsets: Offsets,
  names: readonly (string | null)[],
  group: (index: number) => { text: string | null; start: number },
): JsonObject {
  const part = (index: number): JsonObject => {
    const { text: found, start } = group(index);
    return found === null
      ? { offset: -1, length: 0, string: null }
      : { offset: offsets.at(start), length: [...found].length, string: found };
  };
  return { ...part(0), captures: names.map((name, at) => ({ ...part(at + 1), name })) };
}

/** The named captures of a match as an object. */
export function capturesOf(match: JsonObject): JsonObject {
  const captures = isArray(match.captures) ? match.captures : [];
  const members: [string, Json][] = [];
  for (const capture of captures) {
    if (capture === null || typeof capture !== 'object' || isArray(capture)) continue;
    if (typeof capture.name === 'string') members.push([capture.name, capture.string ?? null]);
  }
  return objectOf(members);
}
