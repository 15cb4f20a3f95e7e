import { Fault } from '../faults/index.js';
import { fnv1a } from '../formats/index.js';
import { isObject, own, type JsonObject, parseJson } from '../json/index.js';
import type { Key, KubeObject } from '../kubernetes/index.js';

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';
const SKIP_RECONCILE = 'argocd.argoproj.io/skip-reconcile';
/** Holds the whole Secret as somebody applied it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A cluster that applications may name, as its Secret describes it. `config` holds credentials: never print it. */
export interface ClusterRecord {
  /** The name of the Secret. */
  readonly secret: string;
  /** The uid of the Secret. */
  readonly uid: string;
  /** The server where the Secret gives no name, as Argo CD shows it. */
  readonly name: string;
  readonly server: string;
  /** How to get in, in Argo CD's format; `cluster` reads it. */
  readonly config: JsonObject;
  /** The only namespaces that are listed, watched and delivered to; empty for all. */
  readonly namespaces: readonly string[];
  /** Whether objects without a namespace are managed where `namespaces` are named. */
  readonly clusterResources: boolean;
  /** The only project that may use it; empty for all. */
  readonly project: string;
  /** None of its applications is touched. */
  readonly skipReconcile: boolean;
  /** The process that looks after it, where somebody chose one. */
  readonly shard?: number;
}

/** What of a cluster is managed, as its Secret says. */
export type ClusterScope = Pick<ClusterRecord, 'namespaces' | 'clusterResources'>;

export const WHOLE_CLUSTER: ClusterScope = { namespaces: [], clusterResources: true };

/** Whether objects of a kind are managed at all. */
export function isKindInScope(
  { namespaces, clusterResources }: ClusterScope,
  { namespaced }: { readonly namespaced: boolean },
): boolean {
  return namespaced || clusterResources || namespaces.length === 0;
}

/** Why an object is not managed, in Argo CD's words; undefined if it is. */
export function findScopeViolation(
  { namespaces, clusterResources }: ClusterScope,
  { kind, namespace, name }: Pick<Key, 'kind' | 'namespace' | 'name'>,
): string | undefined {
  if (namespaces.length === 0) return undefined;
  if (namespace === '')
    return clusterResources ? undefined : `cluster level ${kind} "${name}" can not be managed when in namespaced mode`;
  return namespaces.includes(namespace) ? undefined : `namespace "${namespace}" for ${kind} "${name}" is not managed`;
}

/** The `cluster` Secrets among these. Those that cannot be read are named with the reason, never with their values. */
export function readClusterSecrets(secrets: readonly KubeObject[]): {
  readonly clusters: readonly ClusterRecord[];
  readonly problems: readonly string[];
} {
  const clusters: ClusterRecord[] = [];
  const problems: string[] = [];
  for (const secret of secrets) {
    if (secret.metadata.labels?.[SECRET_TYPE] !== 'cluster') continue;
    try {
      clusters.push(readClusterSecret(secret));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(`${error.where}: ${error.message}`);
    }
  }
  return { clusters, problems };
}

/**
 * What anybody may know of a cluster: nothing of how to get in. Such a Secret describes a cluster even where its
 * `config` cannot be read.
 */
export interface ClusterFacts {
  readonly name: string;
  readonly server: string;
  readonly project: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function readClusterFacts(secrets: readonly KubeObject[]): ClusterFacts[] {
  return secrets
    .filter(({ metadata }) => metadata.labels?.[SECRET_TYPE] === 'cluster')
    .map((secret) => ({
      name: dataText(secret, 'name'),
      server: dataText(secret, 'server'),
      project: dataText(secret, 'project'),
      labels: secret.metadata.labels ?? {},
      annotations: withoutLastApplied(secret.metadata.annotations),
    }));
}

/** Those of the annotations of a Secret that anybody may know. */
export function withoutLastApplied(
  annotations: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const { [LAST_APPLIED]: _, ...shown } = annotations;
  return shown;
}

/** As Argo CD names the Secret of a new cluster: the host, and a number of the whole address. */
export function clusterSecretName(server: string): string {
  const host = new URL(server).hostname
    .toLowerCase()
    .replaceAll(/^\[|\]$/g, '')
    .replaceAll(':', '-');
  return `cluster-${host}-${fnv1a(server)}`;
}

export function readClusterSecret(secret: KubeObject): ClusterRecord {
  const { metadata } = secret;
  const where = `Secret ${metadata.name ?? ''}`;
  const server = dataText(secret, 'server')
    .trim()
    .replace(/(?<!\/)\/+$/, '');
  if (server === '') throw new Fault('VALUE_INVALID', 'server is missing', { where });
  return {
    secret: metadata.name ?? '',
    uid: metadata.uid ?? '',
    name: dataText(secret, 'name').trim() || server,
    server,
    config: readConfig(dataText(secret, 'config'), where),
    namespaces: dataText(secret, 'namespaces')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    clusterResources: dataText(secret, 'clusterResources').trim() === 'true',
    project: dataText(secret, 'project').trim(),
    skipReconcile: /^(1|t|true)$/i.test(metadata.annotations?.[SKIP_RECONCILE] ?? ''),
    ...shardOf(dataText(secret, 'shard').trim()),
  };
}

/** What is no number chooses nothing, as with Argo CD. */
function shardOf(text: string): { readonly shard?: number } {
  return /^\d{1,4}$/.test(text) ? { shard: Number(text) } : {};
}

function readConfig(text: string, where: string): JsonObject {
  if (text.trim() === '') return {};
  let config;
  try {
    config = parseJson(text);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // The parser's own message would quote what may be a password.
    throw new Fault('VALUE_INVALID', 'config is no JSON', { where });
  }
  if (!isObject(config)) throw new Fault('VALUE_INVALID', 'config must be a JSON object', { where });
  return config;
}

/** Empty where it is absent. `stringData` is there in manifests only, and wins as it would on the server. */
function dataText(secret: KubeObject, name: string): string {
  const plain = isObject(secret.stringData) ? own(secret.stringData, name) : undefined;
  if (typeof plain === 'string') return plain;
  const encoded = isObject(secret.data) ? own(secret.data, name) : undefined;
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : '';
}
