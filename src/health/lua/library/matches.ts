import type { LuaValue, Run } from '../value.js';
import { PatternError } from './pattern-program.js';
import { findMatches, type PatternMatch } from './pattern.js';

/** All matches of a pattern; a wrong pattern is an error of the script. */
export function matchesOf(run: Run, pattern: string, text: string, offset: number, limit: number): PatternMatch[] {
  try {
    return findMatches(pattern, text, offset, limit, run);
  } catch (error) {
    if (error instanceof PatternError) return run.fail(error.message, error.isBare ? 0 : 1);
    throw error;
  }
}

/** The captures, or the whole match if the pattern has none. */
export function captured(match: PatternMatch, text: string): LuaValue[] {
  if (match.captures === 0) return [match.capture(0, text)];
  return Array.from({ length: match.captures }, (_, i) => match.capture(i + 1, text));
}
