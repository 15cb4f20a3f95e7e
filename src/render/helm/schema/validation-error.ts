import { quoteGo } from '../../../model/go/index.js';

/** Why a value does not fit, as a tree: a choice names what was wrong with each of its alternatives. */
export interface ValidationError {
  /** Keys and indexes that lead to the value. */
  readonly at: readonly string[];
  readonly text: string;
  /** `group` and `reference` only hold others together. */
  readonly kind: 'fact' | 'group' | 'reference';
  readonly causes: readonly ValidationError[];
}

/** The lines that Helm prints, each with a dash, alternatives indented. */
export function formatValidationErrors(problems: readonly ValidationError[], depth = 0): string[] {
  return problems.flatMap((problem) => {
    // A reference to one problem says nothing of its own.
    if (problem.kind === 'reference' && problem.causes.length === 1)
      return formatValidationErrors(problem.causes, depth);
    const pointer = problem.at.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    return [
      `${'  '.repeat(depth)}- at ${quote(pointer)}: ${problem.text}`,
      ...formatValidationErrors(problem.causes, depth + 1),
    ];
  });
}

/** Go's quoting with single quotes around. */
export function quote(text: string): string {
  return `'${quoteGo(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A whole number as the library's English printer writes it: 65,535. */
export function localNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 20 });
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The same for a float64: from a million on, and below a ten-thousandth, with a power of ten. */
export function localFloat(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (!Number.isFinite(value) || (power >= -4 && power < 6)) return localNumber(value);
  const digits = Array.from(String(Math.abs(power)).padStart(2, '0'), (digit) =>
    SUPERSCRIPTS.charAt(Number(digit)),
  ).join('');
  return `${mantissa}×10${power < 0 ? '⁻' : ''}${digits}`;
}
