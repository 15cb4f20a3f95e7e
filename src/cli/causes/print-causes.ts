import { idOf, qualifiedName } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ReportedCause } from '../../triage/index.js';
import { labelled, oneLine } from '../application/index.js';
import type { AppSession } from '../session/index.js';
import { causesOf, type CausesByName } from './causes-of.js';

const MAX_CAUSES = 3;
const MAX_STEPS = 6;
const MAX_COMMANDS = 4;

/** A cause as JSON of a command has it: what `argosy triage -o json` has under the same names. */
interface CauseFacts {
  readonly id: string;
  readonly rule: string;
  readonly severity: string;
  readonly confidence: string;
  readonly title: string;
  readonly fix?: { readonly say: string; readonly commands: readonly string[] };
}

/**
 * The causes behind an application that is not well or whose sync waits, with the way from it to each of them and what
 * to do; nothing where it is well or nobody knows.
 */
export async function formatCauses(session: AppSession, application: KubeObject): Promise<string> {
  const causes = (await causesOf(session, [application])).get(qualifiedName(idOf(application))) ?? [];
  return causes
    .slice(0, MAX_CAUSES)
    .map((cause) => formatCause(cause, application))
    .concat(more(causes))
    .join('');
}

/** Each cause once, with the applications that it keeps from being well; empty where nothing is known. */
export function printCauses(byName: CausesByName): string {
  const causes = new Map<string, { readonly cause: ReportedCause; readonly names: string[] }>();
  for (const [name, found] of byName)
    for (const cause of found.slice(0, MAX_CAUSES)) {
      const known = causes.get(cause.id) ?? { cause, names: [] };
      known.names.push(name);
      causes.set(cause.id, known);
    }
  return [...causes.values()]
    .map(({ cause, names }) =>
      [
        labelled('Cause:', `${titleOf(cause)} [${cause.rule}]`),
        labelled('  of:', names.length === 1 ? (names[0] ?? '') : `${names[0] ?? ''} and ${names.length - 1} more`),
        ...remedyOf(cause),
      ].join(''),
    )
    .join('\n');
}

export function causeFacts({ id, rule, severity, confidence, title, fix }: ReportedCause): CauseFacts {
  return {
    ...{ id, rule, severity, confidence, title },
    ...(fix === undefined ? {} : { fix: { say: fix.say, commands: fix.commands } }),
  };
}

function more(causes: readonly ReportedCause[]): string[] {
  return causes.length > MAX_CAUSES ? [labelled('', `and ${causes.length - MAX_CAUSES} more: argosy triage`)] : [];
}

function titleOf({ title, confidence }: ReportedCause): string {
  return `${oneLine(title)}${confidence !== 'sure' ? ' (unconfirmed)' : ''}`;
}

function formatCause(cause: ReportedCause, application: KubeObject): string {
  const own = `Application ${qualifiedName(idOf(application))}`;
  const steps = cause.chain.slice(0, -1).filter(({ object }) => object !== own);
  return [
    labelled('Cause:', titleOf(cause)),
    ...steps.slice(0, MAX_STEPS).map(({ says }, at) => labelled(at === 0 ? '  symptom:' : '', oneLine(says))),
    ...remedyOf(cause),
  ].join('');
}

function remedyOf({ fix }: ReportedCause): string[] {
  if (fix === undefined) return [];
  return [
    labelled('  fix:', oneLine(fix.say)),
    ...fix.commands.slice(0, MAX_COMMANDS).map((command) => labelled('', oneLine(command))),
  ];
}
