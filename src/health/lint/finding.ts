import type { KubeObject } from '../../model/kubernetes/index.js';

/** Every kind of mistake the lint knows, by stable id. */
export const LINT_RULES = [
  'syntax-error',
  'unguarded-nil',
  'missing-return',
  'unknown-status',
  'dead-value',
  'masks-failure',
  'malformed-key',
  'needs-open-libs',
  'outside-sandbox',
  'operator-reverts',
  'undefined-global',
  'unreachable-code',
  'assigns-object',
  'unused-verdict',
] as const;

export type LintRule = (typeof LINT_RULES)[number];

/** Where a script or a settings file says what is wrong. Lines and columns count from 1. */
export interface FindingPlace {
  /** File, or object, or the name the caller gave. */
  readonly name: string;
  /** The key that holds the script, where it is part of a settings object. */
  readonly key?: string;
  readonly line: number;
  readonly column: number;
}

export interface Finding {
  readonly rule: LintRule;
  readonly severity: 'error' | 'warning';
  /** One sentence: what goes wrong, for whom, when. */
  readonly message: string;
  readonly where: FindingPlace;
  /** What to write instead. */
  readonly hint: string;
  /** An object that shows it. */
  readonly example?: KubeObject;
}

/**
 * Mistakes with which a check never gives its verdict. Others are advice: checks that Argo CD itself ships have them.
 */
const FATAL: readonly LintRule[] = [
  'syntax-error',
  'missing-return',
  'unknown-status',
  'needs-open-libs',
  'outside-sandbox',
  'undefined-global',
];

export function isFatal({ rule, severity }: Finding): boolean {
  return severity === 'error' && FATAL.includes(rule);
}

/** The same mistake on several lines, told once. */
export function foldRepeated(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.severity} ${finding.message}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const lines = [...new Set(others.map(({ where }) => where.line))].filter((line) => line !== first.where.line);
    if (lines.length === 0) return [first];
    return [{ ...first, message: `${first.message.replace(/\.$/, '')} (also line ${lines.join(', ')}).` }];
  });
}

/** Errors and warnings in the order of the text. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const order = (a: Finding, b: Finding): number =>
    a.where.line - b.where.line ||
    a.where.column - b.where.column ||
    LINT_RULES.indexOf(a.rule) - LINT_RULES.indexOf(b.rule);
  return [...findings].sort(order);
}
