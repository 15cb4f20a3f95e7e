import { hasManySources } from './sources.js';
import { parseApplicationSource } from './application-source.js';
import {
  count,
  flag,
  object as objectField,
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
import { isHealthStatus, type HealthStatus } from './health.js';
import type { KubeObject } from '../kubernetes/index.js';
import { readOperation, readOperationState, type Operation, type OperationState } from './operation.js';
import { readRetry, type RetryPolicy } from './retry-policy.js';

export type SyncStatus = 'Synced' | 'OutOfSync' | 'Unknown';

/** Where objects go: a cluster by address or by name, and the namespace of objects that name none. */
export interface Destination {
  readonly server: string;
  readonly name: string;
  readonly namespace: string;
}

/** Whoever syncs by itself, and how far it goes. */
export interface Automated {
  readonly prune: boolean;
  readonly selfHeal: boolean;
  readonly allowEmpty: boolean;
}

export interface SyncPolicy {
  /** Undefined where people sync. */
  readonly automated?: Automated;
  readonly syncOptions: readonly string[];
  readonly managedNamespaceMetadata?: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly retry?: RetryPolicy;
}

/** Fields that may differ. Group and kind are patterns; name and namespace are exact, empty for any. */
export interface IgnoreRule {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly jsonPointers: readonly string[];
  readonly jqPathExpressions: readonly string[];
  readonly managedFieldsManagers: readonly string[];
}

/** One entry of `status.history`. */
export interface Deployment {
  readonly id: number;
  readonly raw: JsonObject;
}

/** An Application as its controller reads it. Sources stay as written: `render` reads them. */
export interface Application {
  readonly object: KubeObject;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly project: string;
  readonly destination: Destination;
  readonly sources: readonly JsonObject[];
  /** Written as `spec.sources`; the status speaks in plural then. */
  readonly hasManySources: boolean;
  readonly syncPolicy: SyncPolicy;
  readonly ignoreDifferences: readonly IgnoreRule[];
  readonly revisionHistoryLimit: number;
  /** Asked for and not yet begun. */
  readonly operation?: Operation;
  readonly operationState?: OperationState;
  readonly history: readonly Deployment[];
  readonly syncStatus?: SyncStatus;
  readonly healthStatus?: HealthStatus;
}

const HISTORY_LIMIT = 10;

/**
 * Reads an Application; a Fault names the first field that is wrong. What only its status says is read with patience.
 */
export function parseApplication(object: KubeObject): Application {
  const spec = own(object, 'spec');
  if (!isObject(spec)) throw wrong('spec', 'must be an object');
  const status = isObject(object.status) ? object.status : {};
  const operation = isObject(object.operation) ? readOperation(object.operation, 'operation') : undefined;
  const operationState = isObject(status.operationState) ? readOperationState(status.operationState) : undefined;
  const sources = readSources(spec);
  const syncStatus = isObject(status.sync) ? status.sync.status : undefined;
  const healthStatus = isObject(status.health) ? status.health.status : undefined;
  return {
    object,
    name: object.metadata.name ?? '',
    namespace: object.metadata.namespace ?? '',
    uid: object.metadata.uid ?? '',
    project: text(spec, 'project', 'spec') || 'default',
    destination: readDestination(spec.destination),
    sources,
    hasManySources: hasManySources(object),
    syncPolicy: readSyncPolicy(spec.syncPolicy),
    ignoreDifferences: objects(spec, 'ignoreDifferences', 'spec').map((rule, index) =>
      readIgnoreRule(rule, `spec.ignoreDifferences[${index}]`),
    ),
    revisionHistoryLimit: count(spec, 'revisionHistoryLimit', 'spec') ?? HISTORY_LIMIT,
    ...(operation === undefined ? {} : { operation }),
    ...(operationState === undefined ? {} : { operationState }),
    history: isArray(status.history)
      ? status.history.filter(isObject).map((raw) => ({ id: typeof raw.id === 'number' ? raw.id : 0, raw }))
      : [],
    ...(syncStatus === 'Synced' || syncStatus === 'OutOfSync' || syncStatus === 'Unknown' ? { syncStatus } : {}),
    ...(isHealthStatus(healthStatus) ? { healthStatus } : {}),
  };
}

/** Every source can be read; how it is rendered is not known here. */
function readSources(spec: JsonObject): JsonObject[] {
  const hydrator = objectField(spec, 'sourceHydrator', 'spec');
  if (hydrator !== undefined) return [hydratedSource(hydrator)];
  const many = objects(spec, 'sources', 'spec');
  for (const [index, source] of many.entries()) parseApplicationSource(source, `spec.sources[${index}]`);
  if (many.length > 0) return many;
  const source = objectField(spec, 'source', 'spec');
  if (source === undefined) return [];
  parseApplicationSource(source, 'spec.source');
  return [source];
}

/** What a hydrator wrote is delivered as one plain source: the branch and path that it writes to. */
function hydratedSource(hydrator: JsonObject): JsonObject {
  const [dry, target] = [own(hydrator, 'drySource'), own(hydrator, 'syncSource')];
  if (!isObject(dry) || !isObject(target)) throw wrong('spec.sourceHydrator', 'needs drySource and syncSource');
  return {
    repoURL:
      text(target, 'repoURL', 'spec.sourceHydrator.syncSource') ||
      text(dry, 'repoURL', 'spec.sourceHydrator.drySource'),
    path: text(target, 'path', 'spec.sourceHydrator.syncSource'),
    targetRevision: text(target, 'targetBranch', 'spec.sourceHydrator.syncSource'),
  };
}

function readDestination(raw: Json | undefined): Destination {
  if (!isObject(raw)) throw wrong('spec.destination', 'must be an object with server or name');
  return {
    server: text(raw, 'server', 'spec.destination'),
    name: text(raw, 'name', 'spec.destination'),
    namespace: text(raw, 'namespace', 'spec.destination'),
  };
}

function readSyncPolicy(raw: Json | undefined): SyncPolicy {
  if (raw === undefined || raw === null) return { syncOptions: [] };
  if (!isObject(raw)) throw wrong('spec.syncPolicy', 'must be an object');
  const at = 'spec.syncPolicy';
  const [automated, metadata, retry] = [
    objectField(raw, 'automated', at),
    objectField(raw, 'managedNamespaceMetadata', at),
    objectField(raw, 'retry', at),
  ];
  const isAutomated =
    automated !== undefined && (flag(automated, 'enabled', `${at}.automated`) || own(automated, 'enabled') !== false);
  return {
    syncOptions: texts(raw, 'syncOptions', at),
    ...(isAutomated
      ? {
          automated: {
            prune: flag(automated, 'prune', `${at}.automated`),
            selfHeal: flag(automated, 'selfHeal', `${at}.automated`),
            allowEmpty: flag(automated, 'allowEmpty', `${at}.automated`),
          },
        }
      : {}),
    ...(metadata === undefined
      ? {}
      : {
          managedNamespaceMetadata: {
            labels: textMap(metadata, 'labels'),
            annotations: textMap(metadata, 'annotations'),
          },
        }),
    ...(retry === undefined ? {} : { retry: readRetry(retry, `${at}.retry`) }),
  };
}

export function readIgnoreRule(raw: JsonObject, at: string): IgnoreRule {
  return {
    group: text(raw, 'group', at),
    kind: text(raw, 'kind', at),
    name: text(raw, 'name', at),
    namespace: text(raw, 'namespace', at),
    jsonPointers: texts(raw, 'jsonPointers', at),
    jqPathExpressions: texts(raw, 'jqPathExpressions', at),
    managedFieldsManagers: texts(raw, 'managedFieldsManagers', at),
  };
}

function textMap(metadata: JsonObject, name: string): Record<string, string> {
  const at = 'spec.syncPolicy.managedNamespaceMetadata';
  const map = objectField(metadata, name, at) ?? {};
  if (!Object.values(map).every((value) => typeof value === 'string'))
    throw wrong(`${at}.${name}`, 'must be texts by name');
  return map as Record<string, string>;
}
