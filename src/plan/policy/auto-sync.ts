import { type Json, isArray, isObject, own, type JsonObject } from '../../model/json/index.js';
import type { Application, OperationState, SyncStatus } from '../../model/argo/index.js';
import type { Improvements } from '../../model/settings/index.js';
import type { Key } from '../../model/kubernetes/index.js';
import { isAhead } from '../../model/formats/index.js';
import { areSameSources } from './same-sources.js';

/** A wait that grows with every try, in milliseconds. */
export interface Backoff {
  readonly duration: number;
  readonly factor: number;
  readonly cap: number;
}

export interface AutoSyncSettings {
  /** `controller.self.heal.backoff.*`; undefined where its timeout is 0, then `selfHealTimeout` counts. */
  readonly selfHealBackoff?: Backoff;
  /** `controller.self.heal.timeout.seconds`, in milliseconds. */
  readonly selfHealTimeout: number;
  /** Between automatic syncs of a revision that failed, with `retryFailedRevision`. */
  readonly failedBackoff: Backoff;
  /**
   * The same where what it failed from is different now: soon, but no race with something that changes all the time.
   */
  readonly changedBackoff: Backoff;
}

export const AUTO_SYNC_SETTINGS: AutoSyncSettings = {
  selfHealBackoff: { duration: 2000, factor: 3, cap: 300_000 },
  selfHealTimeout: 0,
  failedBackoff: { duration: 60_000, factor: 2, cap: 3_600_000 },
  changedBackoff: { duration: 1000, factor: 2, cap: 300_000 },
};

/** One row of `status.resources`. */
export interface ComparedResource extends Key {
  /** Undefined for hooks and for objects that belong to someone else: they have no say here. */
  readonly status?: SyncStatus;
  readonly requiresPruning: boolean;
}

/** A field that someone else changed, by the manager that owns it. */
export interface FieldConflict {
  readonly key: Key;
  readonly pointer: string;
  readonly manager: string;
}

export interface AutoSyncInput {
  readonly application: Application;
  /** Of the comparison that was just made. */
  readonly syncStatus: SyncStatus;
  /** What that comparison was made with, one commit for each source. */
  readonly revisions: readonly string[];
  readonly resources: readonly ComparedResource[];
  /**
   * False where commits since the last sync are known to touch none of the application's files: the revision is no
   * reason then.
   */
  readonly mayHaveChanges: boolean;
  readonly isWindowOpen: boolean;
  /** When the windows change their mind. */
  readonly windowChange?: Date;
  /** What the last failure came from is different now, such as an object that it named. */
  readonly isCauseChanged?: boolean;
  /** The differences of this comparison that have an owner. */
  readonly contests?: readonly FieldConflict[];
  readonly settings: AutoSyncSettings;
  readonly improvements: Pick<Improvements, 'retryFailedRevision'>;
  readonly now: Date;
}

export interface SyncCondition {
  readonly type: 'SyncError';
  readonly message: string;
}

export type AutoSyncDecision =
  /** To be written as `operation`; `status.operationState` goes with the same write. */
  | { readonly kind: 'sync'; readonly operation: JsonObject; readonly condition?: SyncCondition }
  | { readonly kind: 'none'; readonly why: string; readonly condition?: SyncCondition; readonly askAgainAt?: Date };

/** In `operation.info`: how many automatic syncs of the same revision failed before. */
export const FAILED_SYNCS = 'argosy.dev/failed-syncs';
const RETRY_LIMIT = 5;

/**
 * Whether the application is to be synced now without anybody asking, and how. A decision without condition clears
 * SyncError.
 */
export function decideAutoSync(input: AutoSyncInput): AutoSyncDecision {
  const { automated } = input.application.syncPolicy;
  const obstacle = automated === undefined ? 'automated sync is off' : findObstacle(input);
  if (automated === undefined || obstacle !== undefined) return none(obstacle ?? '');
  if (!input.isWindowOpen) return none('sync prevented by sync window', { askAgainAt: input.windowChange });
  const judged = input.resources.filter(({ status }) => status !== undefined);
  if (!automated.prune && judged.every(({ status, requiresPruning }) => status === 'Synced' || requiresPruning)) {
    return none('need to prune extra resources only but automated prune is disabled');
  }
  const last = lastAttempt(input);
  const decision = decideAttempt(input, last, judged, automated.selfHeal);
  if (
    decision.kind === 'sync' &&
    automated.prune &&
    !automated.allowEmpty &&
    judged.every(({ requiresPruning }) => requiresPruning)
  ) {
    const why = 'auto-sync will wipe out all resources';
    return none(why, {
      condition: { type: 'SyncError', message: `Skipping sync attempt to [${input.revisions.join(' ')}]: ${why}` },
    });
  }
  return decision;
}

function decideAttempt(
  input: AutoSyncInput,
  last: ReturnType<typeof lastAttempt>,
  judged: AutoSyncInput['resources'],
  selfHeal: boolean,
): AutoSyncDecision {
  if (last === undefined) return { kind: 'sync', operation: newOperation(input) };
  return last.state.phase === 'Succeeded' ? decideSelfHeal(input, last, judged, selfHeal) : decideRetry(input, last);
}

function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

function findObstacle({ application, syncStatus }: AutoSyncInput): string | undefined {
  if (application.operation !== undefined) return 'another operation is in progress';
  if (application.object.metadata.deletionTimestamp !== undefined) return 'deletion in progress';
  return syncStatus === 'OutOfSync' ? undefined : `application status is ${syncStatus}`;
}

/** After a sync that failed: never again for the same revision, unless it is to be tried later. */
function decideRetry(input: AutoSyncInput, last: Attempt): AutoSyncDecision {
  const again = retryFailed(input, last);
  if (typeof again !== 'number')
    return none('failed previous sync attempt', { condition: failure(last, again), askAgainAt: again });
  return { kind: 'sync', operation: { ...newOperation(input), info: [{ name: FAILED_SYNCS, value: String(again) }] } };
}

/** After a sync that succeeded: what differs is drift. */
function decideSelfHeal(
  input: AutoSyncInput,
  { state, revisions }: Attempt,
  judged: readonly ComparedResource[],
  selfHeal: boolean,
): AutoSyncDecision {
  if (!selfHeal) return none(`most recent sync already to [${input.revisions.join(' ')}]`);
  const {
    settings: { selfHealBackoff, selfHealTimeout },
    now,
  } = input;
  const count = state.operation.sync.autoHealAttemptsCount;
  const delay = selfHealBackoff === undefined ? selfHealTimeout : delayAfter(selfHealBackoff, count);
  const finished = finishedAt(state, now);
  // Drift long after the last heal is no fight.
  const condition =
    count > 0 && now.getTime() - finished < 2 * delay ? conflictCondition(input.contests ?? []) : undefined;
  if (finished + delay > now.getTime())
    return none(`already attempted sync to [${revisions.join(' ')}]`, {
      condition,
      askAgainAt: new Date(finished + delay),
    });
  const operation = newOperation(input, {
    autoHealAttemptsCount: count + 1,
    resources: judged.filter(({ status }) => status !== 'Synced').map(choiceOf),
  });
  return { kind: 'sync', operation, ...(condition === undefined ? {} : { condition }) };
}

function none(
  why: string,
  { condition, askAgainAt }: { condition?: SyncCondition | undefined; askAgainAt?: Date | undefined } = {},
): AutoSyncDecision {
  return {
    kind: 'none',
    why,
    ...(condition === undefined ? {} : { condition }),
    ...(askAgainAt === undefined ? {} : { askAgainAt }),
  };
}

/** `operation` as Argo CD writes it for an automatic sync: what is empty is left out. */
function newOperation(
  { application, revisions }: AutoSyncInput,
  heal: { autoHealAttemptsCount: number; resources: JsonObject[] } = { autoHealAttemptsCount: 0, resources: [] },
): JsonObject {
  const { automated, syncOptions } = application.syncPolicy;
  const spec = isObject(application.object.spec) ? application.object.spec : {};
  const policy = isObject(spec.syncPolicy) ? spec.syncPolicy : {};
  const [revision = '', source] = [revisions[0], application.sources[0]];
  return {
    sync: {
      ...(application.hasManySources
        ? { sources: [...application.sources], revisions: [...revisions] }
        : { ...(source === undefined ? {} : { source }), ...(revision === '' ? {} : { revision }) }),
      ...(automated?.prune === true ? { prune: true } : {}),
      ...(heal.resources.length > 0 ? { resources: heal.resources } : {}),
      ...(syncOptions.length > 0 ? { syncOptions: [...syncOptions] } : {}),
      ...(heal.autoHealAttemptsCount > 0 ? { autoHealAttemptsCount: heal.autoHealAttemptsCount } : {}),
    },
    initiatedBy: { automated: true },
    retry: isObject(policy.retry) ? policy.retry : { limit: RETRY_LIMIT },
  };
}

/** Without namespace, as Argo CD writes it. */
function choiceOf({ group, kind, name }: ComparedResource): JsonObject {
  return { ...(group === '' ? {} : { group }), kind, name };
}

interface Attempt {
  readonly state: OperationState;
  readonly revisions: readonly string[];
}

/**
 * The last operation, if it was for the same revisions and the same sources. One that ended without any result counts
 * as that.
 */
function lastAttempt({ application, revisions, mayHaveChanges }: AutoSyncInput): Attempt | undefined {
  const state = application.operationState;
  if (state === undefined) return undefined;
  const result = own(state.raw, 'syncResult');
  if (!isObject(result))
    return state.phase === 'Running' || state.phase === 'Terminating' ? undefined : { state, revisions: [] };
  const { revision, revisions: many, source, sources } = result;
  const synced = application.hasManySources ? listOf(many) : [typeof revision === 'string' ? revision : ''];
  const from = (application.hasManySources ? listOf(sources) : [source]).filter(isObject);
  if (mayHaveChanges && (synced.length !== revisions.length || synced.some((each, index) => each !== revisions[index])))
    return undefined;
  return areSameSources(application.sources, from)
    ? { state, revisions: synced.filter((each) => typeof each === 'string') }
    : undefined;
}

/** How many syncs of the revision failed by now, if it is to be tried again at once; else when, or never. */
function retryFailed(
  { improvements, isCauseChanged, settings, now }: AutoSyncInput,
  { state }: Attempt,
): number | Date | undefined {
  if (!improvements.retryFailedRevision) return undefined;
  const before = Number(state.operation.info.find(({ name }) => name === FAILED_SYNCS)?.value ?? '0');
  const failed = Number.isSafeInteger(before) && before >= 0 ? before + 1 : 1;
  // Whoever ended it by hand does not want it back.
  if (/^Operation terminated(?!, triggered by)/i.test(state.message)) return undefined;
  const at = new Date(
    finishedAt(state, now) +
      delayAfter(isCauseChanged === true ? settings.changedBackoff : settings.failedBackoff, failed),
  );
  return at > now ? at : failed;
}

function failure({ state, revisions }: Attempt, again: Date | undefined): SyncCondition {
  const said =
    again === undefined
      ? state.message
      : `${state.message.replace(/\.$/, '')}. Trying again at ${again.toISOString().replace(/\.\d+Z$/, 'Z')}.`;
  return { type: 'SyncError', message: `Failed last sync attempt to [${revisions.join(' ')}]: ${said}` };
}

function finishedAt(state: OperationState, now: Date): number {
  const parsed = Date.parse(state.finishedAt ?? '');
  if (Number.isNaN(parsed)) return now.getTime();
  // Written by a clock that was far ahead, it must not hold back the next attempt until that time comes.
  return isAhead(parsed, now.getTime()) ? 0 : parsed;
}

/** None before the first, then `duration`, and `factor` times more each time. */
function delayAfter({ duration, factor, cap }: Backoff, count: number): number {
  if (count < 1) return 0;
  if (count === 1 || factor === 0) return duration;
  const grown = duration * factor ** (count - 1);
  return cap > 0 ? Math.min(grown, cap) : grown;
}

/** Names whoever keeps changing what is healed. The text stays the same as long as it is the same fight. */
function conflictCondition(contests: readonly FieldConflict[]): SyncCondition | undefined {
  const [first] = contests;
  if (first === undefined) return undefined;
  const {
    key: { kind, namespace, name },
    manager,
    pointer,
  } = first;
  const more = contests.length === 1 ? '' : ` and ${contests.length - 1} more`;
  const message =
    `${kind} ${namespace === '' ? name : `${namespace}/${name}`} is changed again and again by manager ` +
    `${JSON.stringify(manager)} (${pointer}${more}), so self-heal waits longer each time. ` +
    'Stop that manager, or leave the field to it with ignoreDifferences';
  return { type: 'SyncError', message };
}
