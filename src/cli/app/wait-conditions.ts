import { equal, objectAt, objectsAt, textAt, textsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { timeOf, type Choice, resourceStates } from '../application/index.js';

/** What is waited for. */
export interface Goal {
  readonly sync: boolean;
  readonly health: boolean;
  readonly operation: boolean;
  readonly suspended: boolean;
  readonly degraded: boolean;
  readonly delete: boolean;
  readonly hydrated: boolean;
  /** A commit (or its beginning), or the version of a chart; empty for any. */
  readonly revision: string;
}

export const OPERATION_ONLY: Goal = {
  sync: false,
  health: false,
  operation: true,
  suspended: false,
  degraded: false,
  delete: false,
  hydrated: false,
  revision: '',
};

/** Whether an operation runs, or ended and the application was not compared again since. */
export function operationProgress(application: KubeObject): 'none' | 'running' | 'settling' {
  if (objectAt(application, 'operation') !== undefined) return 'running';
  const state = objectAt(application, 'status', 'operationState');
  if (state === undefined) return 'none';
  const finished = textAt(state, 'finishedAt');
  if (finished === '') return 'running';
  const isDry = objectAt(state, 'operation', 'sync')?.dryRun === true;
  return !isDry && timeOf(textAt(application, 'status', 'reconciledAt')) < timeOf(finished) ? 'settling' : 'none';
}

/** Whether the application, or each chosen resource of it, is as it should be. */
export function isReached(
  application: KubeObject,
  goal: Goal,
  choices: readonly Choice[],
  healths: ReadonlyMap<string, string> = new Map(),
): boolean {
  if (goal.delete) return false;
  if (goal.operation && operationProgress(application) !== 'none') return false;
  if (goal.hydrated && !isHydrated(application)) return false;
  if (!isAtRevision(application, goal.revision)) return false;
  if (choices.length === 0)
    return isGood(
      goal,
      textAt(application, 'status', 'health', 'status'),
      textAt(application, 'status', 'sync', 'status'),
    );
  return resourceStates(application, choices, healths).every(({ health, status }) => isGood(goal, health, status));
}

function isGood(goal: Goal, health: string, sync: string): boolean {
  const wanted = [
    ...(goal.health ? ['Healthy'] : []),
    ...(goal.suspended ? ['Suspended'] : []),
    ...(goal.degraded ? ['Degraded'] : []),
  ];
  return (wanted.length === 0 || wanted.includes(health)) && (!goal.sync || sync === 'Synced');
}

/** Synced to that revision, or deployed and gone on to a later one; to have been compared with it is not enough. */
function isAtRevision(application: KubeObject, revision: string): boolean {
  if (revision === '') return true;
  const fits = (one: string): boolean =>
    one === revision || (/^[0-9a-f]{7,}$/i.test(revision) && one.startsWith(revision.toLowerCase()));
  const of = (holder: KubeObject | ReturnType<typeof objectsAt>[number], ...path: string[]): string[] => [
    textAt(holder, ...path, 'revision'),
    ...textsAt(holder, ...path, 'revisions'),
  ];
  const isSynced =
    textAt(application, 'status', 'sync', 'status') === 'Synced' && of(application, 'status', 'sync').some(fits);
  const isDelivered =
    textAt(application, 'status', 'operationState', 'phase') === 'Succeeded' &&
    of(application, 'status', 'operationState', 'syncResult').some(fits);
  return isSynced || isDelivered || objectsAt(application, 'status', 'history').some((entry) => of(entry).some(fits));
}

function isHydrated(application: KubeObject): boolean {
  const current = objectAt(application, 'status', 'sourceHydrator', 'currentOperation');
  const last = objectAt(application, 'status', 'sourceHydrator', 'lastSuccessfulOperation');
  return (
    current !== undefined &&
    last !== undefined &&
    current.phase === 'Hydrated' &&
    current.drySHA === last.drySHA &&
    equal(current.sourceHydrator, last.sourceHydrator)
  );
}
