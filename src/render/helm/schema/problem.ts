import { quoteGo } from '../../../model/index.js';

/** Why a value does not fit, as a tree: a choice names what was wrong with each of its alternatives. */
export interface Problem {
  /** Keys and indexes that lead to the value. */
  readonly at: readonly string[];
  readonly text: string;
  /** `group` and `reference` only hold others together. */
  readonly kind: 'fact' | 'group' | 'reference';
  readonly causes: readonly Problem[];
}

/** The lines that Helm prints, each with a dash, alternatives indented. */
export function problemLines(problems: readonly Problem[], depth = 0): string[] {
  return problems.flatMap((problem) => {
    // A reference to one problem says nothing of its own.
    if (problem.kind === 'reference' && problem.causes.length === 1) return problemLines(problem.causes, depth);
    const pointer = problem.at.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    return [`${'  '.repeat(depth)}- at ${quote(pointer)}: ${problem.text}`, ...problemLines(problem.causes, depth + 1)];
  });
}

/** Go's quoting with single quotes around. */
export function quote(text: string): string {
  return `'${quoteGo(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A number as the library's English printer writes it: 65,535. */
export function localNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 });
}
