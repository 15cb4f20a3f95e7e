import {
  count,
  objects,
  text,
  texts,
  wrong,
  isArray,
  isObject,
  own,
  type Json,
  type JsonObject,
} from '../json/index.js';
import { readRetry, type RetryPolicy } from './retry-policy.js';

export type OperationPhase = 'Running' | 'Terminating' | 'Succeeded' | 'Failed' | 'Error';

export const SYNC_PHASES = ['PreSync', 'Sync', 'PostSync', 'SyncFail'] as const;
export type SyncPhase = (typeof SYNC_PHASES)[number];

/** What became of one object of a sync. */
export type ResultCode = 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';

/**
 * One row of `operationState.syncResult.resources`: what was done, and how far it got (`hookPhase`, also for objects
 * that are no hooks).
 */
export interface ResourceResult {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly syncPhase: SyncPhase;
  readonly status?: ResultCode;
  readonly message: string;
  readonly hookType?: string;
  readonly hookPhase?: OperationPhase;
  readonly images?: readonly string[];
}

/** Which objects a sync is limited to. Empty namespace: any. */
export interface ResourceChoice {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `operation.sync`. */
export interface SyncRequest {
  readonly revision: string;
  readonly revisions: readonly string[];
  readonly prune: boolean;
  readonly dryRun: boolean;
  /** `apply` leaves out every hook. */
  readonly strategy: 'hook' | 'apply';
  readonly force: boolean;
  /** Empty: everything. */
  readonly resources: readonly ResourceChoice[];
  /** Instead of the Application's own: a rollback, or a sync to another source. */
  readonly sources: readonly JsonObject[];
  /** Manifests that came with the request. */
  readonly manifests: readonly string[];
  readonly syncOptions: readonly string[];
  readonly autoHealAttemptsCount: number;
}

export interface Operation {
  /** As it is written in the object. */
  readonly raw: JsonObject;
  readonly sync: SyncRequest;
  readonly isAutomated: boolean;
  readonly username: string;
  readonly info: readonly { readonly name: string; readonly value: string }[];
  readonly retry?: RetryPolicy;
}

/** `status.operationState`: the last operation, or the one under way. */
export interface OperationState {
  readonly raw: JsonObject;
  readonly operation: Operation;
  readonly phase: OperationPhase;
  readonly message: string;
  /** As written, RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly retryCount: number;
  /** The commits that the operation is pinned to, one for each source; empty before they were resolved. */
  readonly revisions: readonly string[];
  readonly sources: readonly JsonObject[];
  readonly results: readonly ResourceResult[];
}

/** Of a phase as it is read, or as anybody wrote it. */
export function isCompleted(phase: unknown): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
}

export function readOperation(raw: JsonObject, at: string): Operation {
  const { sync, initiatedBy, retry } = raw;
  const by = isObject(initiatedBy) ? initiatedBy : {};
  return {
    raw,
    sync: readSyncRequest(isObject(sync) ? sync : {}, `${at}.sync`),
    isAutomated: by.automated === true,
    username: text(by, 'username', `${at}.initiatedBy`),
    info: objects(raw, 'info', at).map((item, index) => ({
      name: text(item, 'name', `${at}.info[${index}]`),
      value: text(item, 'value', `${at}.info[${index}]`),
    })),
    ...(isObject(retry) ? { retry: readRetry(retry, `${at}.retry`) } : {}),
  };
}

function readSyncRequest(raw: JsonObject, at: string): SyncRequest {
  const strategy = isObject(raw.syncStrategy) ? raw.syncStrategy : {};
  const [apply, hook] = [own(strategy, 'apply'), own(strategy, 'hook')];
  const source = own(raw, 'source');
  const many = objects(raw, 'sources', at);
  return {
    revision: text(raw, 'revision', at),
    revisions: texts(raw, 'revisions', at),
    prune: raw.prune === true,
    dryRun: raw.dryRun === true,
    strategy: isObject(apply) ? 'apply' : 'hook',
    force: (isObject(apply) && apply.force === true) || (isObject(hook) && hook.force === true),
    resources: objects(raw, 'resources', at).map((choice, index) => readChoice(choice, `${at}.resources[${index}]`)),
    sources: many.length > 0 ? many : singleSource(source),
    manifests: texts(raw, 'manifests', at),
    syncOptions: texts(raw, 'syncOptions', at),
    autoHealAttemptsCount: count(raw, 'autoHealAttemptsCount', at) ?? 0,
  };
}

function readChoice(raw: JsonObject, at: string): ResourceChoice {
  const choice = {
    group: text(raw, 'group', at),
    kind: text(raw, 'kind', at),
    namespace: text(raw, 'namespace', at),
    name: text(raw, 'name', at),
  };
  if (choice.kind === '' || choice.name === '') throw wrong(at, 'needs kind and name');
  return choice;
}

/** The controller wrote it, so it is read with patience: what cannot be understood counts as absent. */
export function readOperationState(raw: JsonObject): OperationState {
  const result = isObject(raw.syncResult) ? raw.syncResult : {};
  const source = own(result, 'source');
  const sources = own(result, 'sources');
  return {
    raw,
    operation: readOperation(isObject(raw.operation) ? raw.operation : {}, 'status.operationState.operation'),
    phase: isPhase(raw.phase) ? raw.phase : 'Error',
    message: typeof raw.message === 'string' ? raw.message : '',
    startedAt: typeof raw.startedAt === 'string' ? raw.startedAt : '',
    ...(typeof raw.finishedAt === 'string' ? { finishedAt: raw.finishedAt } : {}),
    retryCount: typeof raw.retryCount === 'number' ? raw.retryCount : 0,
    revisions: syncedRevisions(own(result, 'revisions'), own(result, 'revision')),
    sources: isArray(sources) && sources.length > 0 ? sources.filter(isObject) : singleSource(source),
    results: isArray(result.resources) ? result.resources.filter(isObject).map(readResult) : [],
  };
}

function singleSource(source: Json | undefined): JsonObject[] {
  return isObject(source) ? [source] : [];
}

function syncedRevisions(many: Json | undefined, one: Json | undefined): string[] {
  if (isArray(many) && many.length > 0) return many.filter((each) => typeof each === 'string');
  return typeof one === 'string' && one !== '' ? [one] : [];
}

function readResult(raw: JsonObject): ResourceResult {
  const said = (name: string): string => {
    const value = own(raw, name);
    return typeof value === 'string' ? value : '';
  };
  const [syncPhase, status, hookPhase] = [said('syncPhase'), said('status'), own(raw, 'hookPhase')];
  const images = own(raw, 'images');
  return {
    group: said('group'),
    version: said('version'),
    kind: said('kind'),
    namespace: said('namespace'),
    name: said('name'),
    message: said('message'),
    syncPhase: SYNC_PHASES.find((phase) => phase === syncPhase) ?? 'Sync',
    ...(isResultCode(status) ? { status } : {}),
    ...(said('hookType') === '' ? {} : { hookType: said('hookType') }),
    ...(isPhase(hookPhase) ? { hookPhase } : {}),
    ...(isArray(images) ? { images: images.filter((each) => typeof each === 'string') } : {}),
  };
}

function isResultCode(text: string): text is ResultCode {
  return text === 'Synced' || text === 'SyncFailed' || text === 'Pruned' || text === 'PruneSkipped';
}

function isPhase(value: Json | undefined): value is OperationPhase {
  return (
    value === 'Running' || value === 'Terminating' || value === 'Succeeded' || value === 'Failed' || value === 'Error'
  );
}
