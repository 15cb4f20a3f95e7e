import { Fault } from '../../model/faults/index.js';
import { parseApplication, type Application } from '../../model/argo/index.js';
import {
  checkDocumented,
  checkImmutable,
  checkNarrow,
  checkRespected,
  type ParsedChecklistInput,
} from './ignore-rules.js';
import { checkAutomated, checkOptions, checkProject, checkSigned } from './policy-rules.js';
import type { ChecklistInput, Finding, LineState } from './checklist-input.js';
import { checkSecrets } from './secret-rules.js';
import { checkBranch } from './source-rules.js';
import { checkAcceptance, checkErrors, checkHealthy, checkShared, checkSynced } from './status-rules.js';

/** One line of the checklist. */
export interface ChecklistLine {
  readonly rule: ChecklistRule;
  readonly state: LineState;
  readonly object: string;
  /** A JSON pointer in the object; empty where the object as a whole is meant. */
  readonly field: string;
  /** The file and line, where they are known. */
  readonly where: string;
  readonly message: string;
  readonly remedy: string;
  /** The exact text to add. */
  readonly add: string;
}

interface Rule {
  /** What holds where nothing is found. */
  readonly says: string;
  readonly check:
    | { readonly of: 'any'; readonly find: (question: ChecklistInput) => Finding[] }
    | { readonly of: 'readable'; readonly find: (question: ParsedChecklistInput) => Finding[] };
}

const any = (says: string, find: (question: ChecklistInput) => Finding[]): Rule => ({
  says,
  check: { of: 'any', find },
});
const readable = (says: string, find: (question: ParsedChecklistInput) => Finding[]): Rule => ({
  says,
  check: { of: 'readable', find },
});

/** The boxes of the checklist first, then the rules of the guide. */
const RULES = {
  synced: any('Synced', checkSynced),
  healthy: any('Healthy', checkHealthy),
  'no-errors': any('no error conditions', checkErrors),
  branch: any('tracks a production branch or a version', checkBranch),
  'no-secrets': any('no plaintext secrets in git', checkSecrets),
  documented: readable('every ignore rule is documented', checkDocumented),
  accepted: any('every accepted deviation has a reason', checkAcceptance),
  shared: any('no resource is shared with another application', checkShared),
  'narrow-rules': readable('ignore rules name single fields', checkNarrow),
  'respected-rules': readable('syncs respect the ignore rules', checkRespected),
  recreation: readable('no immutable field differs', checkImmutable),
  'sync-options': readable('every sync option is valid', checkOptions),
  automated: readable('auto-sync with prune and self-heal', checkAutomated),
  project: readable('the project restricts repositories and namespaces', checkProject),
  signed: readable('commits must be signed', checkSigned),
} as const satisfies Record<string, Rule>;

export type ChecklistRule = keyof typeof RULES;
export const CHECKLIST_RULES = Object.keys(RULES) as readonly ChecklistRule[];

/**
 * Evaluates the whole checklist for one application, in its order; a rule without findings has one line that
 * holds.
 */
export function checkApplication(question: ChecklistInput): ChecklistLine[] {
  const parsed = readSpec(question);
  return CHECKLIST_RULES.flatMap((rule) => {
    const { says, check } = RULES[rule];
    const found = findViolations(check, question, parsed);
    return (found.length === 0 ? [{ state: 'holds' as const, message: says }] : found).map((finding) =>
      toLine(rule, finding, question),
    );
  });
}

function findViolations(
  check: (typeof RULES)[keyof typeof RULES]['check'],
  question: ChecklistInput,
  parsed: Application | undefined,
): readonly Finding[] {
  if (check.of === 'any') return check.find(question);
  return parsed === undefined ? [UNREADABLE] : check.find({ ...question, parsed });
}

const UNREADABLE: Finding = { state: 'unchecked', message: 'the spec is invalid, see no-errors' };

function readSpec({ application }: ChecklistInput): Application | undefined {
  try {
    return parseApplication(application);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function toLine(
  rule: ChecklistRule,
  { state, message, object, field = '', where, remedy = '', add = '' }: Finding,
  { application: { metadata }, places }: ChecklistInput,
): ChecklistLine {
  const own = `Application ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name ?? ''}`;
  const isProblem = state === 'fails' || state === 'advised';
  return {
    rule,
    state,
    object: object ?? own,
    field,
    where: where ?? (object === undefined && isProblem ? placeOf(places, field) : ''),
    message,
    remedy,
    add,
  };
}

/** The place of a field, or of the nearest field around it that is written. */
function placeOf(places: ReadonlyMap<string, string>, pointer: string): string {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const place = places.get(at);
    if (place !== undefined || at === '') return place ?? '';
  }
}

/** How many lines are in each state, and how many deviations are accepted. */
export function countLines(lines: readonly ChecklistLine[]): Readonly<Record<LineState, number>> {
  const count = (state: LineState): number => lines.filter((line) => line.state === state).length;
  return {
    holds: count('holds'),
    fails: count('fails'),
    accepted: count('accepted'),
    advised: count('advised'),
    unchecked: count('unchecked'),
  };
}
