import { objects, text, texts, wrong, isArray, isObject, own, type Json, type JsonObject } from '../json/index.js';
import type { KubeObject } from '../kubernetes/index.js';

/** A destination that a project allows, or denies where a part starts with `!`. All three are patterns. */
export interface DestinationRule {
  readonly server: string;
  readonly name: string;
  readonly namespace: string;
}

/** Kinds of a list: patterns for group and kind; an empty name stands for every name. */
export interface KindRule {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export interface SyncWindow {
  /** `allow` or `deny`; anything else has no effect. */
  readonly kind: string;
  /** Five fields, as cron reads them. */
  readonly schedule: string;
  /** Such as `1h30m`. */
  readonly duration: string;
  readonly applications: readonly string[];
  readonly namespaces: readonly string[];
  readonly clusters: readonly string[];
  readonly manualSync: boolean;
  /** Empty for UTC. */
  readonly timeZone: string;
  /** Applications, clusters and namespaces must all match, not only one of them. */
  readonly andOperator: boolean;
  /** A sync that began while it was allowed may go on. */
  readonly syncOverrun: boolean;
  readonly description: string;
}

/** Whose rights a sync uses at a destination; server and namespace are patterns. */
export interface DestinationServiceAccount {
  readonly server: string;
  readonly namespace: string;
  readonly defaultServiceAccount: string;
}

/** Which repositories need signed commits, by which keys. */
export interface SignaturePolicy {
  /** Patterns of addresses; one that starts with `!` takes repositories out. */
  readonly repositories: readonly string[];
  readonly mode: 'none' | 'head' | 'strict';
  readonly keys: readonly string[];
}

export interface AppProject {
  readonly object: KubeObject;
  readonly name: string;
  readonly sourceRepos: readonly string[];
  readonly destinations: readonly DestinationRule[];
  readonly clusterResourceWhitelist: readonly KindRule[];
  readonly clusterResourceBlacklist: readonly KindRule[];
  /** Undefined allows every kind, an empty list none. */
  readonly namespaceResourceWhitelist?: readonly KindRule[];
  readonly namespaceResourceBlacklist: readonly KindRule[];
  /** Where its Applications may stand, besides the namespace of the control plane. */
  readonly sourceNamespaces: readonly string[];
  readonly permitOnlyProjectScopedClusters: boolean;
  readonly destinationServiceAccounts: readonly DestinationServiceAccount[];
  /** Undefined: nobody looks for orphans. */
  readonly orphanedResources?: { readonly warn: boolean; readonly ignore: readonly KindRule[] };
  /** `sourceIntegrity.git.policies`, or what the older `signatureKeys` mean where those are absent. */
  readonly signaturePolicies: readonly SignaturePolicy[];
  readonly syncWindows: readonly SyncWindow[];
}

/** What Argo CD writes into the project `default` when it starts first: everything is allowed. */
export const DEFAULT_PROJECT_SPEC: JsonObject = {
  sourceRepos: ['*'],
  destinations: [{ server: '*', namespace: '*' }],
  clusterResourceWhitelist: [{ group: '*', kind: '*' }],
};

/** Reads an AppProject; a Fault names the first field that is wrong. Roles are read by whoever asks who may do what. */
export function parseAppProject(object: KubeObject): AppProject {
  const spec = own(object, 'spec') ?? {};
  if (!isObject(spec)) throw wrong('spec', 'must be an object');
  const orphans = own(spec, 'orphanedResources');
  return {
    object,
    name: object.metadata.name ?? '',
    sourceRepos: texts(spec, 'sourceRepos', 'spec'),
    destinations: objects(spec, 'destinations', 'spec').map((raw, index) =>
      readDestinationRule(raw, `spec.destinations[${index}]`),
    ),
    clusterResourceWhitelist: kindRules(spec, 'clusterResourceWhitelist') ?? [],
    clusterResourceBlacklist: kindRules(spec, 'clusterResourceBlacklist') ?? [],
    ...optional('namespaceResourceWhitelist', kindRules(spec, 'namespaceResourceWhitelist')),
    namespaceResourceBlacklist: kindRules(spec, 'namespaceResourceBlacklist') ?? [],
    sourceNamespaces: texts(spec, 'sourceNamespaces', 'spec'),
    permitOnlyProjectScopedClusters: spec.permitOnlyProjectScopedClusters === true,
    destinationServiceAccounts: objects(spec, 'destinationServiceAccounts', 'spec').map((raw, index) =>
      readServiceAccount(raw, `spec.destinationServiceAccounts[${index}]`),
    ),
    ...optional(
      'orphanedResources',
      isObject(orphans)
        ? { warn: orphans.warn === true, ignore: kindRules(orphans, 'ignore', 'spec.orphanedResources') ?? [] }
        : undefined,
    ),
    signaturePolicies: readSignaturePolicies(spec),
    syncWindows: objects(spec, 'syncWindows', 'spec').map((raw, index) =>
      readSyncWindow(raw, `spec.syncWindows[${index}]`),
    ),
  };
}

/** The project together with the global projects that apply to it: their lists are added to its own. */
export function mergeGlobalProjects(project: AppProject, globals: readonly AppProject[]): AppProject {
  return globals.reduce(
    (merged, other) => ({
      ...merged,
      sourceRepos: [...merged.sourceRepos, ...other.sourceRepos],
      destinations: [...merged.destinations, ...other.destinations],
      clusterResourceWhitelist: [...merged.clusterResourceWhitelist, ...other.clusterResourceWhitelist],
      clusterResourceBlacklist: [...merged.clusterResourceBlacklist, ...other.clusterResourceBlacklist],
      ...optional(
        'namespaceResourceWhitelist',
        addLists(merged.namespaceResourceWhitelist, other.namespaceResourceWhitelist),
      ),
      namespaceResourceBlacklist: [...merged.namespaceResourceBlacklist, ...other.namespaceResourceBlacklist],
      syncWindows: [...merged.syncWindows, ...other.syncWindows],
      destinationServiceAccounts: [...merged.destinationServiceAccounts, ...other.destinationServiceAccounts],
    }),
    project,
  );
}

/**
 * An empty list added to no list is still no list, so that a global project cannot take away every kind by saying
 * nothing.
 */
function addLists<T>(first: readonly T[] | undefined, second: readonly T[] | undefined): readonly T[] | undefined {
  return first === undefined && (second === undefined || second.length === 0)
    ? undefined
    : [...(first ?? []), ...(second ?? [])];
}

function readDestinationRule(raw: JsonObject, at: string): DestinationRule {
  return { server: text(raw, 'server', at), name: text(raw, 'name', at), namespace: text(raw, 'namespace', at) };
}

function kindRules(holder: JsonObject, field: string, at = 'spec'): KindRule[] | undefined {
  if (!isArray(own(holder, field) ?? undefined)) {
    objects(holder, field, at);
    return undefined;
  }
  return objects(holder, field, at).map((raw, index) => {
    const where = `${at}.${field}[${index}]`;
    return { group: text(raw, 'group', where), kind: text(raw, 'kind', where), name: text(raw, 'name', where) };
  });
}

function readServiceAccount(raw: JsonObject, at: string): DestinationServiceAccount {
  return {
    server: text(raw, 'server', at),
    namespace: text(raw, 'namespace', at),
    defaultServiceAccount: text(raw, 'defaultServiceAccount', at),
  };
}

function readSyncWindow(raw: JsonObject, at: string): SyncWindow {
  return {
    kind: text(raw, 'kind', at),
    schedule: text(raw, 'schedule', at),
    duration: text(raw, 'duration', at),
    applications: texts(raw, 'applications', at),
    namespaces: texts(raw, 'namespaces', at),
    clusters: texts(raw, 'clusters', at),
    manualSync: raw.manualSync === true,
    timeZone: text(raw, 'timeZone', at),
    andOperator: raw.andOperator === true,
    syncOverrun: raw.syncOverrun === true,
    description: text(raw, 'description', at),
  };
}

/** `signatureKeys` speak of every repository; where policies for git exist as well, those count alone. */
function readSignaturePolicies(spec: JsonObject): SignaturePolicy[] {
  const keys = objects(spec, 'signatureKeys', 'spec').map((raw, index) =>
    text(raw, 'keyID', `spec.signatureKeys[${index}]`),
  );
  const integrity = own(spec, 'sourceIntegrity');
  const git = isObject(integrity) ? own(integrity, 'git') : undefined;
  if (!isObject(git)) return keys.length === 0 ? [] : [{ repositories: ['*'], mode: 'head', keys }];
  return objects(git, 'policies', 'spec.sourceIntegrity.git').map((raw, index) =>
    readSignaturePolicy(raw, `spec.sourceIntegrity.git.policies[${index}]`),
  );
}

function readSignaturePolicy(raw: JsonObject, at: string): SignaturePolicy {
  const gpg = own(raw, 'gpg');
  if (!isObject(gpg)) throw wrong(`${at}.gpg`, 'must be an object with mode and keys');
  return {
    repositories: objects(raw, 'repos', at).map((each, index) => text(each, 'url', `${at}.repos[${index}]`)),
    mode: signatureMode(gpg.mode, `${at}.gpg.mode`),
    keys: texts(gpg, 'keys', `${at}.gpg`),
  };
}

function signatureMode(value: Json | undefined, at: string): SignaturePolicy['mode'] {
  if (value === 'none' || value === 'head' || value === 'strict') return value;
  throw wrong(at, 'must be none, head or strict');
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [K in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };
}
