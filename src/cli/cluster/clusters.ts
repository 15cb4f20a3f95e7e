import { clusterSecretConfig, connect, systemClock, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { readClusterSecrets, type ClusterRecord } from '../../model/argo/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { prettyJson, formatTable } from '../output/index.js';
import { SECRETS } from '../../model/resources/index.js';

const IN_CLUSTER_SERVER = 'https://kubernetes.default.svc';
const CONNECT_TIMEOUT = 10_000;

interface KnownCluster {
  readonly record: ClusterRecord;
  readonly secret?: KubeObject;
  readonly version: string;
  readonly status: 'Successful' | 'Failed';
  readonly message: string;
}

/** The cluster itself, unless a Secret speaks of it, and those of Secrets; each is asked for its version. */
async function readClusters(session: AppSession): Promise<KnownCluster[]> {
  const { cluster, controlNamespace, host } = session;
  const { items } = await cluster.list(SECRETS, {
    namespace: controlNamespace,
    labelSelector: 'argocd.argoproj.io/secret-type=cluster',
  });
  const { clusters, problems } = readClusterSecrets(items);
  for (const problem of problems) host.stderr.write(`${problem}\n`);
  const own: ClusterRecord = {
    secret: '',
    uid: '',
    name: 'in-cluster',
    server: IN_CLUSTER_SERVER,
    config: {},
    namespaces: [],
    clusterResources: false,
    project: '',
    skipReconcile: false,
  };
  const all = clusters.some(({ server }) => server === IN_CLUSTER_SERVER) ? clusters : [own, ...clusters];
  return Promise.all(
    all.map(async (record) => {
      const secret = items.find(({ metadata }) => metadata.name === record.secret);
      return { record, ...(secret === undefined ? {} : { secret }), ...(await readVersion(session, record, secret)) };
    }),
  );
}

async function readVersion(
  { cluster, host, access }: AppSession,
  { server }: ClusterRecord,
  secret: KubeObject | undefined,
): Promise<Pick<KnownCluster, 'version' | 'status' | 'message'>> {
  let other: Cluster | undefined;
  try {
    if (server !== IN_CLUSTER_SERVER && secret !== undefined)
      other = connect(
        clusterSecretConfig(secret, host.environment),
        { clock: systemClock, random: Math.random, report: () => undefined },
        { version: host.version, environment: host.environment, readOnly: access === 'read' },
      );
    const version = await (other ?? cluster).document('/version', {
      signal: AbortSignal.timeout(CONNECT_TIMEOUT),
      limits: { tries: 1 },
    });
    const [major, minor] = isObject(version) ? [String(version.major), String(version.minor)] : ['', ''];
    return { version: `${major}.${minor}`, status: 'Successful', message: '' };
  } catch (error) {
    return { version: '', status: 'Failed', message: error instanceof Error ? error.message : String(error) };
  } finally {
    await other?.close();
  }
}

export async function listClusters(session: AppSession, output: string): Promise<string> {
  const known = await readClusters(session);
  if (output === 'server') return known.map(({ record }) => `${record.server}\n`).join('');
  if (output === 'json') return prettyJson(known.map(clusterView));
  if (output === 'yaml') return writeYaml(known.map(clusterView));
  return formatTable(
    ['SERVER', 'NAME', 'VERSION', 'STATUS', 'MESSAGE', 'PROJECT'],
    known.map(({ record, version, status, message }) => [
      record.namespaces.length === 0 ? record.server : `${record.server} (${record.namespaces.length} namespaces)`,
      record.name,
      version,
      status,
      message,
      record.project,
    ]),
  );
}

/** Never what opens it. */
function clusterView({ record, version, status, message }: KnownCluster): JsonObject {
  return {
    server: record.server,
    name: record.name,
    ...(record.namespaces.length === 0 ? {} : { namespaces: [...record.namespaces] }),
    ...(record.project === '' ? {} : { project: record.project }),
    info: { serverVersion: version, connectionState: { status, message } },
  };
}

function find(known: readonly KnownCluster[], wanted: string): KnownCluster {
  const found = known.find(
    ({ record }) => record.server === wanted.replace(/(?<!\/)\/+$/, '') || record.name === wanted,
  );
  if (found === undefined) throw new Fault('NAME_UNKNOWN', `cluster "${wanted}" not found`);
  return found;
}

/** A cluster by its address or name. */
export async function findCluster(
  session: AppSession,
  wanted: string,
): Promise<Pick<KnownCluster, 'record' | 'secret'>> {
  return find(await readClusters(session), wanted);
}

export async function getCluster(session: AppSession, wanted: string, output: string): Promise<string> {
  const known = find(await readClusters(session), wanted);
  if (output === 'json') return prettyJson(clusterView(known));
  if (output === 'yaml') return writeYaml(clusterView(known));
  const { record, version } = known;
  const { config } = record;
  const tls: Json | undefined = config.tlsClientConfig;
  const has = (value: Json | undefined): string =>
    String(value !== undefined && value !== '' && value !== null && value !== false);
  return [
    'Cluster information',
    '',
    `  Server URL:            ${record.server}`,
    `  Server Name:           ${record.name || '-'}`,
    `  Server Version:        ${version}`,
    `  Namespaces:            ${record.namespaces.join(', ') || 'all namespaces'}`,
    '',
    'TLS configuration',
    '',
    `  Client cert:           ${has(isObject(tls) ? tls.certData : undefined)}`,
    `  Cert validation:       ${String(!(isObject(tls) && tls.insecure === true))}`,
    '',
    'Authentication',
    '',
    `  Basic authentication:  ${has(config.username)}`,
    `  oAuth authentication:  ${has(config.bearerToken)}`,
    `  AWS authentication:    ${has(config.awsAuthConfig)}`,
    '',
    `Disable compression: ${has(config.disableCompression)}`,
    '',
    `Use proxy: ${has(config.proxyUrl)}`,
    '',
    '',
  ].join('\n');
}

export async function removeClusters(session: AppSession, names: readonly string[]): Promise<string> {
  const { cluster, controlNamespace } = session;
  let told = '';
  for (const name of names) {
    const { secret, record } = find(await readClusters(session), name);
    if (secret === undefined)
      throw new Fault(
        'VALUE_INVALID',
        'the cluster that Applications are kept in has no Secret that could be removed',
        { where: record.server },
      );
    await cluster.remove(
      SECRETS,
      { namespace: controlNamespace, name: secret.metadata.name ?? '' },
      { uid: secret.metadata.uid ?? '', propagation: 'Background' },
    );
    told += `Cluster '${name}' removed\n`;
  }
  return told;
}

export interface SetFlags {
  readonly name?: string;
  readonly namespace?: readonly string[];
  readonly label?: readonly string[];
  readonly annotation?: readonly string[];
}

export async function setCluster(
  session: AppSession,
  wanted: string,
  { name, namespace, label, annotation }: SetFlags,
): Promise<string> {
  const { secret, record } = find(await readClusters(session), wanted);
  if (secret === undefined)
    throw new Fault('VALUE_INVALID', 'the cluster that Applications are kept in has no Secret that could be changed', {
      where: record.server,
    });
  if (name === undefined && namespace === undefined && label === undefined && annotation === undefined)
    return 'Specify the cluster field to be updated.\n';
  const pairs = (items: readonly string[] = []): Record<string, string> =>
    Object.fromEntries(
      items.map((item) => {
        const at = item.indexOf('=');
        if (at < 1) throw new Fault('USAGE', `"${item}" is not NAME=VALUE`);
        return [item.slice(0, at), item.slice(at + 1)];
      }),
    );
  const namespaces = namespace?.length === 1 && namespace[0] === '*' ? '' : namespace?.join(',');
  await session.cluster.patch(
    SECRETS,
    { namespace: session.controlNamespace, name: secret.metadata.name ?? '' },
    {
      type: 'merge',
      body: {
        metadata: { labels: pairs(label), annotations: pairs(annotation) },
        stringData: { ...(name === undefined ? {} : { name }), ...(namespaces === undefined ? {} : { namespaces }) },
      },
    },
  );
  return `Cluster '${wanted}' updated.\n`;
}
