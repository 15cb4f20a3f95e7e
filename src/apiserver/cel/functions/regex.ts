import { RE2JS, RE2JSException } from 're2js';
import { BOOL, INT, STRING, listOf } from '../types.js';
import { CelError, CelList } from '../values.js';
import { func, method, type Overload, type CostMeter } from '../overload.js';

const CACHE = new Map<string, RE2JS>();
const CACHE_LIMIT = 500;

/** A compiled RE2 pattern; linear time whatever the text. Throws RE2JSException on a bad pattern. */
export function compilePattern(pattern: string): RE2JS {
  const known = CACHE.get(pattern);
  if (known !== undefined) return known;
  const compiled = RE2JS.compile(pattern);
  if (CACHE.size >= CACHE_LIMIT) CACHE.clear();
  CACHE.set(pattern, compiled);
  return compiled;
}

function patternOf(pattern: string, say: (error: string) => string): RE2JS {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new CelError(say(error.message));
  }
}

function charge(text: string, pattern: string, spender: CostMeter): void {
  spender.spend(Math.ceil(((text.length + 1) / 10) * (pattern.length / 4)));
}

function findAll(text: string, pattern: string, limit: number): CelList {
  const matcher = patternOf(pattern, (error) => `Illegal regex: ${error}`).matcher(text);
  const found: string[] = [];
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return CelList.of(found);
}

function matches(text: string, pattern: string, spender: CostMeter): boolean {
  charge(text, pattern, spender);
  return patternOf(pattern, (error) => error).test(text);
}

export const REGEX: readonly Overload[] = [
  method('matches', [STRING, STRING], BOOL, ([text, pattern]: [string, string], spender) =>
    matches(text, pattern, spender),
  ),
  func('matches', [STRING, STRING], BOOL, ([text, pattern]: [string, string], spender) =>
    matches(text, pattern, spender),
  ),
  method('find', [STRING, STRING], STRING, ([text, pattern]: [string, string], spender) => {
    charge(text, pattern, spender);
    const matcher = patternOf(pattern, (error) => `Illegal regex: ${error}`).matcher(text);
    return matcher.find() ? (matcher.group() ?? '') : '';
  }),
  method('findAll', [STRING, STRING], listOf(STRING), ([text, pattern]: [string, string], spender) => {
    charge(text, pattern, spender);
    return findAll(text, pattern, -1);
  }),
  method(
    'findAll',
    [STRING, STRING, INT],
    listOf(STRING),
    ([text, pattern, limit]: [string, string, bigint], spender) => {
      charge(text, pattern, spender);
      return findAll(text, pattern, Number(limit));
    },
  ),
];
