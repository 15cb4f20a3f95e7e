import { readFileSync } from 'node:fs';
import {
  clusterSecretConfig,
  connect,
  systemClock,
  type Cluster,
  type ClusterConfig,
  type PemSource,
} from '../../cluster/index.js';
import { clusterSecretName, readClusterSecret } from '../../model/argo/index.js';
import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppFlags, AppSession } from '../session/index.js';
import { splitPair } from '../command/index.js';
import { findContext } from '../host/index.js';
import { installManager, longLivedToken } from './manager-account.js';
import { SECRETS } from '../../model/resources/index.js';

export interface AddClusterFlags extends AppFlags {
  readonly name?: string;
  readonly namespace?: readonly string[];
  readonly clusterResources?: boolean;
  readonly label?: readonly string[];
  readonly annotation?: readonly string[];
  readonly project?: string;
  readonly shard?: number;
  readonly serviceAccount?: string;
  readonly systemNamespace: string;
  readonly inCluster?: boolean;
  readonly clusterEndpoint?: string;
  readonly proxyUrl?: string;
  readonly execCommand?: string;
  readonly execCommandArgs?: readonly string[];
  readonly execCommandEnv?: readonly string[];
  readonly execCommandApiVersion?: string;
  readonly execCommandInstallHint?: string;
  readonly upsert?: boolean;
  readonly yes?: boolean;
}

const IN_CLUSTER_SERVER = 'https://kubernetes.default.svc';
const CONNECT_TIMEOUT = 10_000;

/**
 * `cluster add`: an account on the cluster of a context, and the Secret that lets applications go there. Gives false
 * where somebody said no.
 */
export async function addCluster(session: AppSession, context: string, flags: AddClusterFlags): Promise<boolean> {
  const { host } = session;
  const isInternal = flags.inCluster === true || flags.clusterEndpoint === 'internal';
  if (flags.inCluster === true && flags.clusterEndpoint !== undefined)
    throw new Fault('USAGE', 'Can only use one of --in-cluster or --cluster-endpoint');
  const labels = pairs(flags.label, '--label');
  const annotations = pairs(flags.annotation, '--annotation');
  const config = withProxy(await findContext(context, flags.kubeconfig, host), flags.proxyUrl);
  const program = programOf(flags);
  const rights = (flags.namespace ?? []).length > 0 ? 'namespace' : 'cluster';
  if (
    program === undefined &&
    flags.serviceAccount === undefined &&
    flags.yes !== true &&
    host.stdout.isTTY === true &&
    !(await host.confirm(
      `This makes the service account argocd-manager with full ${rights} level rights on ${config.server} ` +
        `(context ${context}). Go on?`,
    ))
  )
    return false;
  const target = connectTo(session, config);
  try {
    const login =
      program === undefined
        ? { bearerToken: await accountToken(session, target, flags) }
        : { execProviderConfig: program };
    const secret = secretFor(session, config, login, {
      server: isInternal ? IN_CLUSTER_SERVER : config.server,
      name: flags.name ?? context,
      flags,
      labels,
      annotations,
    });
    // An address inside of the cluster can be tried only from there.
    if (!isInternal) await verifyConnection(session, secret);
    await write(session, secret, flags.upsert === true);
    host.stdout.write(`Cluster '${readClusterSecret(secret).server}' added\n`);
    return true;
  } finally {
    await target.close();
  }
}

/** The token of an account of the cluster, which is made where none is named. */
async function accountToken(
  session: AppSession,
  target: Cluster,
  { serviceAccount, systemNamespace, namespace = [] }: AddClusterFlags,
): Promise<string> {
  return longLivedToken(
    session,
    target,
    systemNamespace,
    serviceAccount ?? (await installManager(target, systemNamespace, namespace)),
  );
}

/** What gives the credentials instead of an account. It must be there where Argosy runs. */
function programOf({
  execCommand: command,
  execCommandArgs: args = [],
  execCommandEnv,
  execCommandApiVersion: apiVersion,
  execCommandInstallHint: installHint,
  serviceAccount,
}: AddClusterFlags): JsonObject | undefined {
  if (command === undefined) {
    if (args.length > 0 || execCommandEnv !== undefined || apiVersion !== undefined || installHint !== undefined)
      throw new Fault('USAGE', 'the other flags of the program need --exec-command');
    return undefined;
  }
  if (serviceAccount !== undefined) throw new Fault('USAGE', 'Can only use one of --exec-command or --service-account');
  return {
    command,
    apiVersion: apiVersion ?? 'client.authentication.k8s.io/v1',
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(execCommandEnv === undefined ? {} : { env: pairs(execCommandEnv, '--exec-command-env') }),
    ...(installHint === undefined ? {} : { installHint }),
  };
}

function pairs(texts: readonly string[] = [], flag: string): Record<string, string> {
  return Object.fromEntries(texts.map((text) => splitPair(text, flag)).map(({ name, value }) => [name, value]));
}

function withProxy(config: ClusterConfig, proxyUrl: string | undefined): ClusterConfig {
  if (proxyUrl === undefined) return config;
  if (!/^(https?|socks5):\/\/./.test(proxyUrl))
    throw new Fault('USAGE', 'the address must start with http://, https:// or socks5://', { where: '--proxy-url' });
  return { ...config, proxyUrl };
}

export function connectTo({ host }: AppSession, config: ClusterConfig): Cluster {
  return connect(
    config,
    { clock: systemClock, random: Math.random, report: (problem) => void host.stderr.write(`${problem}\n`) },
    { version: host.version, environment: host.environment },
  );
}

interface SecretInput {
  readonly server: string;
  readonly name: string;
  readonly flags: AddClusterFlags;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Only the account or the program opens the cluster: what opens it for the person who adds it stays with them. */
function secretFor(
  { controlNamespace }: AppSession,
  config: ClusterConfig,
  login: JsonObject,
  { server, name, flags, labels, annotations }: SecretInput,
): KubeObject {
  const { authority, skipTlsVerify, tlsServerName = '', proxyUrl } = config;
  const tlsClientConfig: JsonObject = {
    insecure: skipTlsVerify,
    ...(tlsServerName === '' ? {} : { serverName: tlsServerName }),
    ...(authority === undefined ? {} : { caData: Buffer.from(pemText(authority)).toString('base64') }),
  };
  const fields: Record<string, string> = {
    name,
    server,
    config: JSON.stringify({
      ...login,
      tlsClientConfig,
      ...(flags.proxyUrl === undefined || proxyUrl === undefined ? {} : { proxyUrl }),
    }),
    ...((flags.namespace ?? []).length === 0
      ? {}
      : {
          namespaces: (flags.namespace ?? []).join(','),
          ...(flags.clusterResources === true ? { clusterResources: 'true' } : {}),
        }),
    ...(flags.project === undefined ? {} : { project: flags.project }),
    ...(flags.shard === undefined ? {} : { shard: String(flags.shard) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name: clusterSecretName(server),
      namespace: controlNamespace,
      labels: { ...labels, 'argocd.argoproj.io/secret-type': 'cluster' },
      annotations: { ...annotations, 'managed-by': 'argocd.argoproj.io' },
    },
    data: Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  };
}

function pemText(source: PemSource): string {
  if (source.kind === 'text') return source.pem;
  try {
    return readFileSync(source.path, 'utf8');
  } catch (error) {
    throw new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), {
      where: source.path,
      cause: error,
    });
  }
}

/** The cluster must answer to what the Secret says before it is written. */
export async function verifyConnection(session: AppSession, secret: KubeObject): Promise<void> {
  const cluster = connectTo(session, clusterSecretConfig(secret, session.host.environment));
  try {
    await cluster.document('/version', { signal: AbortSignal.timeout(CONNECT_TIMEOUT), limits: { tries: 1 } });
  } finally {
    await cluster.close();
  }
}

async function write({ cluster, controlNamespace }: AppSession, secret: KubeObject, mayUpdate: boolean): Promise<void> {
  const { server } = readClusterSecret(secret);
  const { items } = await cluster.list(SECRETS, {
    namespace: controlNamespace,
    labelSelector: 'argocd.argoproj.io/secret-type=cluster',
  });
  const before = items.find((each) => each.metadata.name === secret.metadata.name || serverOf(each) === server);
  if (before === undefined) {
    await cluster.create(SECRETS, secret);
    return;
  }
  if (!mayUpdate && JSON.stringify(before.data) !== JSON.stringify(secret.data))
    throw new Fault('VALUE_INVALID', 'existing cluster spec is different; use upsert flag to force update', {
      where: server,
    });
  await cluster.update(SECRETS, {
    ...before,
    data: secret.data,
    metadata: {
      ...before.metadata,
      labels: { ...before.metadata.labels, ...secret.metadata.labels },
      annotations: { ...before.metadata.annotations, ...secret.metadata.annotations },
    },
  });
}

function serverOf(secret: KubeObject): string {
  try {
    return readClusterSecret(secret).server;
  } catch (error) {
    if (error instanceof Fault) return '';
    throw error;
  }
}
