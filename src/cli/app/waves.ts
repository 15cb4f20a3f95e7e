import type { Inspection } from '../../control/index.js';
import { checkWaves, type PlannedTask, type PlannedWait, type WaveViolation } from '../../plan/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { formatTable } from '../output/index.js';
import { type AppFlags, type AppSession, applicationId, findApplication } from '../session/index.js';
import { textAt } from '../../model/json/index.js';
import { withDestination, readIfPermitted } from '../application/index.js';
import { inspectApplication, rejectUnknownStatus } from './inspect.js';
import { STORAGE_CLASSES } from '../../model/resources/index.js';

export interface WavesFlags extends AppFlags {
  readonly check?: boolean;
  readonly revision?: string;
  readonly output?: string;
}

const MAX_WAITS = 3;

/** `app waves`: the steps of a sync in order. With `--check`, what cannot work in this order. */
export async function waves(
  session: AppSession,
  name: string,
  flags: WavesFlags,
): Promise<{ readonly text: string; readonly hasProblems: boolean }> {
  const application = await findApplication(session, applicationId(name, session));
  const inspection = await inspectApplication(session, application, flags);
  rejectUnknownStatus(inspection);
  if (flags.check !== true)
    return {
      text: flags.output === 'json' ? `${JSON.stringify(inspection.plan, null, 2)}\n` : formatPlan(inspection),
      hasProblems: false,
    };
  const rights = inspection.hooks
    .filter(({ kind }) => kind !== 'unchecked')
    .map(({ kind, key, message, add }) => ({
      rule: kind === 'waits' ? 'hook-waits-for-later' : `hook-rights-${kind}`,
      key,
      message,
      hint: '',
      ...(add === '' ? {} : { add }),
    }));
  const order = checkWaves({
    objects: inspection.resources.flatMap(({ target }) => target ?? []),
    destinationNamespace: textAt(application, 'spec', 'destination', 'namespace'),
    storageClasses: await readClasses(session, application),
  });
  const problems: readonly OrderProblem[] = [...order, ...rights];
  return {
    text: flags.output === 'json' ? `${JSON.stringify(problems, null, 2)}\n` : formatProblems(problems, inspection),
    hasProblems: problems.length > 0,
  };
}

function readClasses(session: AppSession, application: KubeObject): Promise<readonly KubeObject[]> {
  return withDestination(
    session,
    application,
    async (cluster) => (await readIfPermitted(() => cluster.list(STORAGE_CLASSES)))?.items ?? [],
  );
}

function formatPlan({ plan }: Inspection): string {
  if (plan.length === 0) return 'nothing to sync: the application has no resources\n';
  const rows = plan.flatMap(({ phase, wave, tasks, waitsFor }) =>
    tasks.map((task, index) => [
      ...(index === 0 ? [phase, String(wave)] : ['', '']),
      task.key.group,
      task.key.kind,
      task.key.namespace,
      task.key.name,
      describeTask(task),
      index === 0 ? describeWaits(waitsFor, phase) : '',
      task.notes.join('; '),
    ]),
  );
  return formatTable(['PHASE', 'WAVE', 'GROUP', 'KIND', 'NAMESPACE', 'NAME', 'DOES', 'STARTS AFTER', 'NOTES'], rows);
}

function describeTask({ does, isHook, status, phase }: PlannedTask): string {
  const done = status === undefined ? '' : ` (${[status, phase].filter((word) => word !== undefined).join(', ')})`;
  return `${isHook ? 'run hook' : does}${done}`;
}

function describeWaits(waitsFor: readonly PlannedWait[], phase: string): string {
  if (phase === 'SyncFail') return 'a failure';
  const shown = waitsFor.slice(0, MAX_WAITS).map(({ why, key }) => `${key.kind} ${key.name} ${WAIT_REASONS[why]}`);
  return [...shown, ...(waitsFor.length > MAX_WAITS ? [`${waitsFor.length - MAX_WAITS} more`] : [])].join(', ');
}

const WAIT_REASONS: Readonly<Record<PlannedWait['why'], string>> = {
  health: 'is Healthy',
  hook: 'has completed',
  deletion: 'is deleted',
  'prune-confirmation': 'is confirmed for pruning',
  'unknown-kind': 'has its CRD',
  image: 'exists',
};

function indented(text: string): string {
  return `${text.trimEnd().replaceAll(/^/gm, '      ')}\n`;
}

/** A problem of the order, or of a hook's rights, whose message says what to do itself. */
interface OrderProblem extends Omit<WaveViolation, 'rule'> {
  readonly rule: string;
  /** Manifests to add to git. */
  readonly add?: string;
}

function formatProblems(problems: readonly OrderProblem[], { resources, hooks }: Inspection): string {
  const unchecked = hooks
    .filter(({ kind }) => kind === 'unchecked')
    .map(({ message }) => `${message}\n`)
    .join('');
  if (problems.length === 0) return `no problems with the sync order\n${unchecked}`;
  const origins = new Map(resources.map(({ key, origin }) => [keyText(key), origin]));
  const where = (key: Key): string => origins.get(keyText(key)) ?? '';
  const lines = problems.map(
    ({ rule, key, message, hint, add }) =>
      `${where(key) === '' ? '' : `${where(key)}: `}${message} [${rule}]\n` +
      `${hint === '' ? '' : `    fix: ${hint}\n`}${add === undefined ? '' : `    add:\n${indented(add)}`}`,
  );
  return `${lines.join('')}${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}\n${unchecked}`;
}
