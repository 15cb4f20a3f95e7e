import { clusterSecretConfig, type Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type JsonObject } from '../../model/json/index.js';
import { readClusterSecret } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AppSession } from '../session/index.js';
import { connectTo, verifyConnection } from './add-cluster.js';
import { findCluster } from './clusters.js';
import { tokenOf, tokenSecret } from './manager-account.js';
import { SECRETS, SERVICE_ACCOUNTS } from '../../model/resources/index.js';

/**
 * `cluster rotate-auth`: a new token for the account that the cluster Secret uses; the old one is worth nothing
 * afterwards.
 */
export async function rotateAuth(session: AppSession, wanted: string): Promise<string> {
  const { record, secret } = await findCluster(session, wanted);
  const old = own(record.config, 'bearerToken');
  if (secret === undefined || typeof old !== 'string' || old === '')
    throw new Fault('VALUE_INVALID', `Cluster '${record.server}' does not use bearer token authentication`, {
      where: record.name,
    });
  const holder = tokenOwner(old, record.server);
  const target = connectTo(session, clusterSecretConfig(secret, session.host.environment));
  try {
    const made = await makeToken(target, holder);
    const changed = await replaceToken(session, target, secret, made).catch(async (error: unknown) => {
      // A token that nobody uses is not left behind.
      await target.remove(
        SECRETS,
        { namespace: holder.namespace, name: made.metadata.name ?? '' },
        { uid: made.metadata.uid ?? '' },
      );
      throw error;
    });
    await deleteOldToken(
      connectTo(session, clusterSecretConfig(changed, session.host.environment)),
      holder,
      made.metadata.name ?? '',
    );
  } finally {
    await target.close();
  }
  return `Cluster '${wanted}' rotated auth\n`;
}

/** Writes the new token into the cluster Secret, after it was tried. */
async function replaceToken(
  session: AppSession,
  target: Cluster,
  secret: KubeObject,
  made: KubeObject,
): Promise<KubeObject> {
  const { config } = readClusterSecret(secret);
  const {
    certData: _c,
    keyData: _k,
    ...tlsClientConfig
  } = isObject(config.tlsClientConfig) ? config.tlsClientConfig : {};
  const text = JSON.stringify({ ...config, bearerToken: await tokenOf(session, target, made), tlsClientConfig });
  const changed: KubeObject = {
    ...secret,
    data: { ...(isObject(secret.data) ? secret.data : {}), config: Buffer.from(text).toString('base64') },
  };
  await verifyConnection(session, changed);
  return session.cluster.update(SECRETS, changed);
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
