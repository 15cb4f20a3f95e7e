import { createMergePatch } from '../../model/patch/index.js';
import { equal, isArray, isObject, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { Application, Health, SyncStatus } from '../../model/argo/index.js';
import type { SourceType } from '../../render/index.js';
import { gvkOf } from '../../model/kubernetes/index.js';
import { compareText } from '../../model/go/index.js';
import { writeConditions, type Condition, type ComparedState, type ManagedResource } from '../comparison/index.js';
import { summaryOf } from './application-summary.js';
import { waveOf } from '../../plan/index.js';

/** What a pass found out, to be told in the status. */
export interface ReconcileOutcome {
  readonly sync: SyncStatus;
  readonly health: Health;
  readonly conditions: readonly Condition[];
  /** Undefined: nothing could be compared, and the list of resources stays as it was. */
  readonly comparedState?: Pick<ComparedState, 'resources'>;
  readonly revisions: readonly string[];
  readonly sourceTypes: readonly (SourceType | undefined)[];
}

/** The API server takes objects of about 1.5 MB; the rest of the Application needs room as well. */
const MAX_STATUS_BYTES = 900_000;

/** The status that the verdict means, from the one before: times change only with what they belong to. */
export function nextStatus(
  application: Application,
  verdict: ReconcileOutcome,
  operationState: JsonObject | undefined,
  history: readonly JsonObject[],
  now: string,
): JsonObject {
  // These are written anew or not at all, so that what is wrong or over does not stay.
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
  const resources = verdict.comparedState === undefined ? listed : listResources(verdict.comparedState.resources);
  const revision = many ? { revisions: [...verdict.revisions] } : { revision: verdict.revisions[0] ?? '' };
  const status: JsonObject = {
    ...before,
    sync: {
      status: verdict.sync,
      comparedTo: {
        ...(many
          ? { sources: application.sources.map((source) => source) }
          : { source: application.sources[0] ?? { repoURL: '' } }),
        destination: isObject(raw.destination) ? raw.destination : {},
        ...(isArray(raw.ignoreDifferences) ? { ignoreDifferences: raw.ignoreDifferences } : {}),
      },
      ...(verdict.revisions.length === 0 ? {} : revision),
    },
    health: healthStatus(verdict.health, before.health, now),
    conditions: writeConditions(verdict.conditions, before.conditions, now),
    summary:
      verdict.comparedState === undefined
        ? isObject(before.summary)
          ? before.summary
          : {}
        : summaryOf(verdict.comparedState.resources),
    controllerNamespace: application.namespace,
    ...(isArray(resources) ? { resources } : {}),
    ...(many
      ? { sourceTypes: verdict.sourceTypes.map((type) => type ?? '') }
      : verdict.sourceTypes[0] === undefined
        ? {}
        : { sourceType: verdict.sourceTypes[0] }),
    ...(operationState === undefined ? {} : { operationState }),
    ...(history.length === 0 ? {} : { history: [...history] }),
  };
  if (isArray(status.conditions) && status.conditions.length === 0) delete status.conditions;
  return truncateStatus(status, before.conditions, now);
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
      const { key, target, live, status, health, isHook: hook, requiresPruning } = resource;
      const object = target ?? live;
      const wave = object === undefined ? 0 : waveOf(object);
      return {
        ...(key.group === '' ? {} : { group: key.group }),
        version: object === undefined ? '' : gvkOf(object).version,
        kind: key.kind,
        ...(key.namespace === '' ? {} : { namespace: key.namespace }),
        name: key.name,
        ...(status === '' ? {} : { status }),
        ...(health === undefined
          ? live === undefined && !hook
            ? { health: { status: 'Missing' } }
            : {}
          : {
              health: {
                status: health.status,
                ...(health.message === undefined || health.message === '' || health.status === 'Healthy'
                  ? {}
                  : { message: health.message }),
              },
            }),
        ...(hook ? { hook: true } : {}),
        ...(requiresPruning ? { requiresPruning: true } : {}),
        ...(wave === 0 ? {} : { syncWave: wave }),
      };
    });
}

/** A status that the server would refuse keeps what is wrong and says that the rest is left out. */
function truncateStatus(status: JsonObject, before: Json | undefined, now: string): JsonObject {
  const { resources, conditions } = status;
  if (!isArray(resources) || resources.length < 500 || sizeOf(status) <= MAX_STATUS_BYTES) return status;
  const bad = resources.filter(
    (resource) =>
      isObject(resource) &&
      (resource.status !== 'Synced' || (isObject(resource.health) && resource.health.status !== 'Healthy')),
  );
  const kept: Json[] = [];
  let bytes = sizeOf({ ...status, resources: [] });
  for (const resource of bad) {
    bytes += sizeOf(resource) + 1;
    if (bytes > MAX_STATUS_BYTES) break;
    kept.push(resource);
  }
  const message =
    `the application has ${resources.length} resources, more than its status can hold: ${kept.length} of the ` +
    `${bad.length} that are not Synced and Healthy are listed`;
  const written = writeConditions([{ type: 'StatusSizeWarning', message }], before, now);
  return { ...status, resources: kept, conditions: [...(isArray(conditions) ? conditions : []), ...written] };
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * What to change in the object, undefined where nothing did. `reconciledAt` alone is no change, unless somebody asked.
 */
export function statusPatch(
  application: Application,
  status: JsonObject,
  now: string,
  isAsked: boolean,
): JsonObject | undefined {
  const before = isObject(application.object.status) ? application.object.status : {};
  const { reconciledAt: _old, ...known } = before;
  const { reconciledAt: _new, ...next } = status;
  if (!isAsked && equal(known, next)) return undefined;
  const patch = createMergePatch(known, next);
  const body: JsonObject = isObject(patch) ? patch : {};
  put(body, 'reconciledAt', now);
  return body;
}
