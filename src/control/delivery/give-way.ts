import { equal, isObject } from '../../model/json/index.js';
import { isCompleted, readOperation, type OperationState } from '../../model/argo/index.js';
import { keyText, type Key } from '../../model/kubernetes/index.js';
import { followsHead, maySupersede } from '../../plan/index.js';
import type { Target } from '../comparison/index.js';
import { readSuperseded } from '../operation/index.js';
import { advanceOperation, type OperationProgress } from './advance-operation.js';
import type { OperationSlot } from './reconcile-memory.js';
import type { Reconciliation } from './reconciliation.js';
import { revisionsOf, type RenderedTargets } from './render-targets.js';
import { operationStateOf, startOperation, terminateOperation } from './write-operation.js';

/**
 * Replaces a sync that waits by one of a newer commit; undefined where it goes on. Hooks that it waits for are deleted
 * first, under a mark in its state: a process that is started meanwhile finishes that and begins the next sync, once.
 */
export async function giveWay(
  progress: OperationProgress,
  head: RenderedTargets,
  slot: OperationSlot,
): Promise<Reconciliation | undefined> {
  const { reconciliation, parsed, plan } = progress;
  if (isCompleted(parsed.phase)) return isLeaving(progress) ? supersede(reconciliation, parsed, head) : undefined;
  if (!isSuperseded(progress, head, slot)) return undefined;
  if (plan?.waitsFor.some(({ why }) => why === 'hook') !== true) return supersede(reconciliation, parsed, head);
  const message = `revision ${revisionsOf(head).join(', ')} supersedes the hook that this sync waits for`;
  const marked = slot.running === undefined ? undefined : { ...slot.running, isSuperseded: true };
  const terminating = await terminateOperation(reconciliation, message, marked);
  const { application, context } = terminating;
  context.events.record(application.object, 'OperationSuperseded', `Sync operation is ended: ${message}`);
  const ended = await advanceOperation(terminating, progress, slot);
  return isLeaving(ended) ? supersede(ended.reconciliation, ended.parsed, head) : undefined;
}

/** Its hooks are gone, and the sync of the head is still what comes next. */
function isLeaving({ reconciliation, parsed }: OperationProgress): boolean {
  const state = operationStateOf(reconciliation);
  return (
    state.phase === 'Terminating' &&
    readSuperseded(state.operation) &&
    parsed.phase === 'Failed' &&
    followsHead(state, reconciliation.application)
  );
}

/**
 * Whether a newer commit replaces a sync that only waits. One that a person began from other sources is not a step
 * towards the head.
 */
function isSuperseded(progress: OperationProgress, head: RenderedTargets, slot: OperationSlot): boolean {
  const { reconciliation, parsed, plan } = progress;
  const { application, context } = reconciliation;
  return (
    context.controlPlane.settings.improvements.supersede &&
    (parsed.operation.isAutomated || equal([...parsed.sources], [...application.sources])) &&
    maySupersede(parsed, revisionsOf(head), plan, {
      followsHead: followsHead(parsed, application),
      mayEnd: (hook) => mayEndHook(hook, progress, head, slot),
    })
  );
}

/**
 * The head removes or changes the hook; or none of its containers ever ran, so that no work is cut off, and the head
 * changes something else of the application: that may be what it waits for.
 */
function mayEndHook(
  hook: Key,
  { reconciliation, targets }: OperationProgress,
  head: RenderedTargets,
  { running }: OperationSlot,
): boolean {
  const own = findTarget(targets, hook);
  if (own === undefined) return false;
  const next = findTarget(head, hook);
  if (next === undefined || !equal(own.object, next.object)) return true;
  const uid = reconciliation.clusterCache.get(hook)?.metadata.uid ?? '';
  return running?.hookLooks.get(uid)?.reason?.isIdle === true && !areSameTargets(targets, head);
}

/** The target of a hook; the name of a generated one begins as the target says. */
function findTarget({ targets: { targets } }: RenderedTargets, hook: Key): Target | undefined {
  return targets.find(({ key, object }) =>
    key.name === ''
      ? keyText({ ...hook, name: '' }) === keyText(key) && hook.name.startsWith(object.metadata.generateName ?? '')
      : keyText(key) === keyText(hook),
  );
}

function areSameTargets(one: RenderedTargets, other: RenderedTargets): boolean {
  const objects = ({ targets: { targets } }: RenderedTargets): Target['object'][] =>
    targets.map(({ object }) => object);
  return equal(objects(one), objects(other));
}

/** Starts the same operation at the revisions of the head. */
function supersede(
  reconciliation: Reconciliation,
  { operation }: OperationState,
  head: RenderedTargets,
): Promise<Reconciliation> {
  const { application } = reconciliation;
  const sync = isObject(operation.raw.sync) ? operation.raw.sync : {};
  const { revision: _revision, revisions: _revisions, resources: _resources, source, sources, ...rest } = sync;
  const revisions = revisionsOf(head);
  const pinned = application.hasManySources ? { revisions } : { revision: revisions[0] ?? '' };
  const [first = {}] = application.sources;
  const from = {
    ...(source === undefined ? {} : { source: first }),
    ...(sources === undefined ? {} : { sources: [...application.sources] }),
  };
  const superseding = readOperation({ ...operation.raw, sync: { ...rest, ...from, ...pinned } }, 'operation');
  return startOperation(reconciliation, superseding, head, application.sources);
}
