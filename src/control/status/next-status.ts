import { createMergePatch } from '../../model/patch/index.js';
import { equal, isArray, isObject, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Application, Health, SyncStatus } from '../../model/argo/index.js';
import type { SourceType } from '../../render/index.js';
import { gvkOf } from '../../model/kubernetes/index.js';
import { compareText } from '../../model/go/index.js';
import { writeConditions, type Condition, type ComparedState, type ManagedResource } from '../comparison/index.js';
import { summaryOf } from './application-summary.js';
import { waveOf } from '../../plan/index.js';

/** The outcome of a reconcile, as the status shows it. */
export interface ReconcileOutcome {
  readonly sync: SyncStatus;
  readonly health: Health;
  readonly conditions: readonly Condition[];
  /** Undefined if nothing could be compared: the list of resources stays as it was. */
  readonly comparedState?: Pick<ComparedState, 'resources'>;
  readonly revisions: readonly string[];
  readonly sourceTypes: readonly (SourceType | undefined)[];
}

/** etcd takes 1.5 MiB at once: the whole object, as the API server writes it. */
const MAX_OBJECT_BYTES = 1_400_000;
/** The room for a status is a multiple of it, so that an annotation more does not change the list. */
const ROOM_STEP = 1 << 16;

/** The next status from the last one; a time changes only with the value it belongs to. */
export function nextStatus(
  application: Application,
  outcome: ReconcileOutcome,
  operationState: JsonObject | undefined,
  history: readonly JsonObject[],
  now: string,
): JsonObject {
  // Written again or not at all, so that nothing outdated stays.
  const {
    history: _history,
    sourceType: _type,
    sourceTypes: _types,
    resources: listed,
    ...before
  } = isObject(application.object.status) ? application.object.status : {};
  const { spec } = application.object;
  const raw = isObject(spec) ? spec : {};
  const many = application.hasManySources;
  const resources = outcome.comparedState === undefined ? listed : listResources(outcome.comparedState.resources);
  const revision = many ? { revisions: [...outcome.revisions] } : { revision: outcome.revisions[0] ?? '' };
  const status: JsonObject = {
    ...before,
    sync: {
      status: outcome.sync,
      comparedTo: {
        ...(many
          ? { sources: application.sources.map((source) => source) }
          : { source: application.sources[0] ?? { repoURL: '' } }),
        destination: isObject(raw.destination) ? raw.destination : {},
        ...(isArray(raw.ignoreDifferences) ? { ignoreDifferences: raw.ignoreDifferences } : {}),
      },
      ...(outcome.revisions.length === 0 ? {} : revision),
    },
    health: healthStatus(outcome.health, before.health, now),
    conditions: writeConditions(outcome.conditions, before.conditions, now),
    summary: nextSummary(outcome, before.summary),
    controllerNamespace: application.namespace,
    ...(isArray(resources) ? { resources } : {}),
    ...sourceTypesOf(outcome, many),
    ...(operationState === undefined ? {} : { operationState }),
    ...(history.length === 0 ? {} : { history: [...history] }),
  };
  if (isArray(status.conditions) && status.conditions.length === 0) delete status.conditions;
  return truncateStatus(status, roomFor(application), before.conditions, now);
}

function nextSummary({ comparedState }: ReconcileOutcome, before: Json | undefined): JsonObject {
  if (comparedState !== undefined) return summaryOf(comparedState.resources);
  return isObject(before) ? before : {};
}

function sourceTypesOf({ sourceTypes }: ReconcileOutcome, many: boolean): JsonObject {
  if (many) return { sourceTypes: sourceTypes.map((type) => type ?? '') };
  const [sourceType] = sourceTypes;
  return sourceType === undefined ? {} : { sourceType };
}

function healthStatus({ status, message }: Health, before: Json | undefined, now: string): JsonObject {
  const old = isObject(before) ? before : {};
  const since = old.status === status ? old.lastTransitionTime : undefined;
  return {
    status,
    lastTransitionTime: typeof since === 'string' ? since : now,
    ...(message === undefined || message === '' ? {} : { message }),
  };
}

/** The resources of the status, sorted by group, kind, namespace and name. */
function listResources(resources: readonly ManagedResource[]): JsonObject[] {
  const order = ({ key }: ManagedResource): string => [key.group, key.kind, key.namespace, key.name].join('\0');
  return [...resources]
    .filter(({ key }) => key.name !== '')
    .sort((a, b) => compareText(order(a), order(b)))
    .map((resource) => {
      const { key, target, live, status, isHook: hook, requiresPruning } = resource;
      const object = target ?? live;
      const wave = object === undefined ? 0 : waveOf(object);
      return {
        ...(key.group === '' ? {} : { group: key.group }),
        version: object === undefined ? '' : gvkOf(object).version,
        kind: key.kind,
        ...(key.namespace === '' ? {} : { namespace: key.namespace }),
        name: key.name,
        ...(status === '' ? {} : { status }),
        ...resourceHealth(resource),
        ...(hook ? { hook: true } : {}),
        ...(requiresPruning ? { requiresPruning: true } : {}),
        ...(wave === 0 ? {} : { syncWave: wave }),
      };
    });
}

function resourceHealth({ health, live, isHook }: ManagedResource): JsonObject {
  if (health === undefined) return live === undefined && !isHook ? { health: { status: 'Missing' } } : {};
  const { status, message } = health;
  const isQuiet = message === undefined || message === '' || status === 'Healthy';
  return { health: { status, ...(isQuiet ? {} : { message }) } };
}

/** What the rest of the Application leaves of it. */
function roomFor({ object: { status: _, ...rest } }: Application): number {
  return Math.floor((MAX_OBJECT_BYTES - sizeOf(rest)) / ROOM_STEP) * ROOM_STEP;
}

/** A status that is too large lists first what is not Synced and Healthy, then as many others as fit. */
function truncateStatus(status: JsonObject, room: number, before: Json | undefined, now: string): JsonObject {
  const { resources, conditions } = status;
  if (!isArray(resources) || resources.length < 500 || sizeOf(status) <= room) return status;
  const bad = resources.filter((resource) => !isGood(resource));
  const kept = new Set<Json>();
  let bytes = sizeOf({ ...status, resources: [] }) + CONDITION_BYTES;
  for (const resource of [...bad, ...resources.filter(isGood)]) {
    bytes += sizeOf(resource) + 1;
    if (bytes > room) break;
    kept.add(resource);
  }
  const listed =
    kept.size < bad.length
      ? `${kept.size} of the ${bad.length} that are not Synced and Healthy are listed`
      : `${kept.size} are listed, with all ${bad.length} that are not Synced and Healthy`;
  const message = `the application has ${resources.length} resources, more than its status can hold: ${listed}`;
  const written = writeConditions([{ type: 'StatusSizeWarning', message }], before, now);
  return {
    ...status,
    resources: resources.filter((resource) => kept.has(resource)),
    conditions: [...(isArray(conditions) ? conditions : []), ...written],
  };
}

/** For the condition that says so. */
const CONDITION_BYTES = 400;

function isGood(resource: Json): boolean {
  if (!isObject(resource)) return true;
  const { status, health } = resource;
  return status === 'Synced' && !(isObject(health) && health.status !== 'Healthy');
}

/** As Go writes it: some characters take six bytes. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, '\\u0000'));
}

/** The patch of the status, undefined without a change. `reconciledAt` alone is one only if a refresh was requested. */
export function statusPatch(
  application: Application,
  status: JsonObject,
  now: string,
  isRefresh: boolean,
): JsonObject | undefined {
  const before = isObject(application.object.status) ? application.object.status : {};
  const { reconciledAt: _old, ...known } = before;
  const { reconciledAt: _new, ...next } = status;
  if (!isRefresh && equal(known, next)) return undefined;
  const patch = createMergePatch(known, next);
  const body: JsonObject = isObject(patch) ? patch : {};
  put(body, 'reconciledAt', now);
  return body;
}
