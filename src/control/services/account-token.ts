import { follow, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type JsonObject } from '../../model/json/index.js';
import { readClusterSecret } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { SECRETS, SERVICE_ACCOUNTS } from '../../model/resources/index.js';

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const TOKEN_TIMEOUT_SECONDS = 30;

/** The cluster of an account, and the time. */
interface Target {
  readonly cluster: Cluster;
  after(milliseconds: number, act: () => void): () => void;
}

/** A Secret that asks the cluster for a token. */
export function tokenSecret(account: string, metadata: KubeObject['metadata']): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: TOKEN_TYPE,
    metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': account } },
  };
}

/** Waits until the cluster has put a token into the Secret. */
export async function tokenOf(target: Target, secret: KubeObject): Promise<string> {
  const { namespace = '', name = '' } = secret.metadata;
  const answer = await follow(
    target,
    secret,
    (now) => (now === undefined ? { token: '' } : readToken(now)),
    TOKEN_TIMEOUT_SECONDS,
    SECRETS,
  );
  if (answer === 'timeout' || answer.token === '')
    throw new Fault(
      'WAIT_TIMED_OUT',
      answer === 'timeout'
        ? `no token came into Secret ${namespace}/${name} within ${TOKEN_TIMEOUT_SECONDS} s`
        : `Secret ${namespace}/${name} was deleted: its account is not there`,
      { where: target.cluster.server },
    );
  return answer.token;
}

function readToken(secret: KubeObject): { readonly token: string } | undefined {
  const data = own(secret, 'data');
  const token = isObject(data) ? own(data, 'token') : undefined;
  return typeof token === 'string' && token !== ''
    ? { token: Buffer.from(token, 'base64').toString('utf8') }
    : undefined;
}

interface Rotation {
  /** The Secret of the control plane that describes the cluster. */
  readonly secret: KubeObject;
  /** Opens the cluster as such a Secret says. */
  connect(secret: KubeObject): Cluster;
  /** Tries what the Secret says, and keeps it; gives it as it was written. */
  keep(secret: KubeObject): Promise<KubeObject>;
  after: Target['after'];
}

/**
 * A new token for the account that a cluster Secret uses: made, tried and written, and only then is the old one taken
 * away, by who the new one makes us.
 */
export async function rotateAccountToken({ secret, connect, keep, after }: Rotation): Promise<void> {
  const { server, config } = readClusterSecret(secret);
  const old = own(config, 'bearerToken');
  if (typeof old !== 'string' || old === '')
    throw new Fault('VALUE_INVALID', `Cluster '${server}' does not use bearer token authentication`, { where: server });
  const owner = tokenOwner(old, server);
  const cluster = connect(secret);
  try {
    const made = await makeToken(cluster, owner);
    const changed = await withToken(secret, { cluster, after }, made)
      .then(keep)
      .catch(async (error: unknown) => {
        // A token that nobody uses is not left behind.
        await cluster.remove(
          SECRETS,
          { namespace: owner.namespace, name: made.metadata.name ?? '' },
          { uid: made.metadata.uid ?? '' },
        );
        throw error;
      });
    await deleteOldToken(connect(changed), owner, made.metadata.name ?? '');
  } finally {
    await cluster.close();
  }
}

async function withToken(secret: KubeObject, target: Target, made: KubeObject): Promise<KubeObject> {
  const { config } = readClusterSecret(secret);
  const {
    certData: _c,
    keyData: _k,
    ...tlsClientConfig
  } = isObject(config.tlsClientConfig) ? config.tlsClientConfig : {};
  const text = JSON.stringify({ ...config, bearerToken: await tokenOf(target, made), tlsClientConfig });
  return {
    ...secret,
    data: { ...(isObject(secret.data) ? secret.data : {}), config: Buffer.from(text).toString('base64') },
  };
}

/** The account of a token, and the Secret that holds it. */
interface TokenOwner {
  readonly namespace: string;
  readonly account: string;
  readonly secret: string;
}

function tokenOwner(token: string, server: string): TokenOwner {
  const claims = claimsOf(token);
  const claim = (name: string): string => {
    const value = own(claims, `kubernetes.io/serviceaccount/${name}`);
    return typeof value === 'string' ? value : '';
  };
  const holder = {
    namespace: claim('namespace'),
    account: claim('service-account.name'),
    secret: claim('secret.name'),
  };
  if (Object.values(holder).includes(''))
    throw new Fault(
      'VALUE_INVALID',
      'its token is not one that a Secret of the cluster holds: make a new one where it came from',
      { where: server },
    );
  return holder;
}

/** What a token says of itself, unchecked; nothing of one that says nothing. */
function claimsOf(token: string): JsonObject {
  try {
    const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isObject(claims) ? claims : {};
  } catch (error) {
    if (error instanceof Fault) return {};
    throw error;
  }
}

async function makeToken(target: Cluster, { namespace, account, secret }: TokenOwner): Promise<KubeObject> {
  const stem = secret.split('-').slice(0, -1).join('-') || secret;
  return target.create(SECRETS, tokenSecret(account, { namespace, generateName: `${stem}-` }));
}

async function deleteOldToken(
  target: Cluster,
  { namespace, account, secret }: TokenOwner,
  successor: string,
): Promise<void> {
  try {
    const found = await target.get(SERVICE_ACCOUNTS, { namespace, name: account });
    const listed = found === undefined || !isArray(found.secrets) ? [] : found.secrets;
    const kept = listed.filter(
      (each) => !(isObject(each) && (own(each, 'name') === secret || own(each, 'name') === successor)),
    );
    if (found !== undefined)
      await target.update(SERVICE_ACCOUNTS, { ...found, secrets: [...kept, { name: successor }] });
    const old = await target.get(SECRETS, { namespace, name: secret });
    if (old !== undefined) await target.remove(SECRETS, { namespace, name: secret }, { uid: old.metadata.uid ?? '' });
  } finally {
    await target.close();
  }
}
