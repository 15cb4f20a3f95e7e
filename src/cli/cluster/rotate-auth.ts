import { clusterSecretConfig, type Cluster } from '../../cluster/index.js';
import { Fault, isArray, isObject, own, parseJson, type JsonObject, type KubeObject } from '../../model/index.js';
import type { AppSession } from '../app/session.js';
import { open, tryOut } from './add-cluster.js';
import { findCluster } from './clusters.js';
import { ACCOUNTS, SECRETS, tokenOf, tokenSecret } from './manager-account.js';

/** `cluster rotate-auth`: a new token for the account that the cluster Secret uses; the old one is worth nothing afterwards. */
export async function rotateAuth(session: AppSession, wanted: string): Promise<string> {
  const { record, secret } = await findCluster(session, wanted);
  const old = own(record.config, 'bearerToken');
  if (secret === undefined || typeof old !== 'string' || old === '') throw new Fault('VALUE_INVALID', `Cluster '${record.server}' does not use bearer token authentication`, { where: record.name });
  const holder = holderOf(old, record.server);
  const target = open(session, clusterSecretConfig(secret, session.world.environment));
  try {
    const made = await makeToken(target, holder);
    const token = await tokenOf(session, target, made);
    const { certData: _c, keyData: _k, ...tls } = isObject(record.config.tlsClientConfig) ? record.config.tlsClientConfig : {};
    const config = Buffer.from(JSON.stringify({ ...record.config, bearerToken: token, tlsClientConfig: tls })).toString('base64');
    const changed: KubeObject = { ...secret, data: { ...(isObject(secret.data) ? secret.data : {}), config } };
    await tryOut(session, changed);
    await session.cluster.update(SECRETS, changed);
    await retire(open(session, clusterSecretConfig(changed, session.world.environment)), holder, made.metadata.name ?? '');
  } finally {
    await target.close();
  }
  return `Cluster '${wanted}' rotated auth\n`;
}

/** The account of a token, and the Secret that holds it. */
interface Holder {
  readonly namespace: string;
  readonly account: string;
  readonly secret: string;
}

function holderOf(token: string, server: string): Holder {
  const claims = claimsOf(token);
  const claim = (name: string): string => {
    const value = own(claims, `kubernetes.io/serviceaccount/${name}`);
    return typeof value === 'string' ? value : '';
  };
  const holder = { namespace: claim('namespace'), account: claim('service-account.name'), secret: claim('secret.name') };
  if (Object.values(holder).includes('')) throw new Fault('VALUE_INVALID', 'its token is not one that a Secret of the cluster holds: make a new one where it came from', { where: server });
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

async function makeToken(target: Cluster, { namespace, account, secret }: Holder): Promise<KubeObject> {
  const stem = secret.split('-').slice(0, -1).join('-') || secret;
  return target.create(SECRETS, tokenSecret(account, { namespace, generateName: `${stem}-` }));
}

async function retire(target: Cluster, { namespace, account, secret }: Holder, successor: string): Promise<void> {
  try {
    const found = await target.get(ACCOUNTS, { namespace, name: account });
    const listed = found === undefined || !isArray(found.secrets) ? [] : found.secrets;
    const kept = listed.filter((each) => !(isObject(each) && (own(each, 'name') === secret || own(each, 'name') === successor)));
    if (found !== undefined) await target.update(ACCOUNTS, { ...found, secrets: [...kept, { name: successor }] });
    const old = await target.get(SECRETS, { namespace, name: secret });
    if (old !== undefined) await target.remove(SECRETS, { namespace, name: secret }, { uid: old.metadata.uid ?? '' });
  } finally {
    await target.close();
  }
}
