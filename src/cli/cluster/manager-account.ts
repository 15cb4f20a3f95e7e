import { type Cluster, ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { follow, type AppSession } from '../session/index.js';
import { type ResourceRef, SECRETS, SERVICE_ACCOUNTS } from '../../model/resources/index.js';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const ACCOUNT = 'argocd-manager';
const ROLE = 'argocd-manager-role';
const BINDING = 'argocd-manager-role-binding';
const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const TOKEN_TIMEOUT_SECONDS = 30;

/**
 * Makes the account that delivers, with full rights: in the whole cluster, or in the namespaces named. Gives its name.
 */
export async function installManager(
  cluster: Cluster,
  namespace: string,
  namespaces: readonly string[],
): Promise<string> {
  try {
    await cluster.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: ACCOUNT, namespace },
    });
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
  }
  const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
  const subjects = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }];
  if (namespaces.length === 0) {
    await grant(cluster, 'Cluster', undefined, [everything, { nonResourceURLs: ['*'], verbs: ['*'] }], subjects);
  } else {
    for (const each of namespaces) await grant(cluster, '', each, [everything], subjects);
  }
  return ACCOUNT;
}

async function grant(
  cluster: Cluster,
  prefix: 'Cluster' | '',
  namespace: string | undefined,
  rules: object[],
  subjects: object[],
): Promise<void> {
  const metadata = namespace === undefined ? {} : { namespace };
  const ref = (word: 'Role' | 'RoleBinding'): ResourceRef => ({
    ...RBAC,
    kind: `${prefix}${word}`,
    plural: `${prefix}${word}s`.toLowerCase(),
    namespaced: prefix === '',
  });
  const apiVersion = `${RBAC.group}/${RBAC.version}`;
  // Forced: an account that was installed by argocd before is the same one.
  await cluster.apply(
    ref('Role'),
    { apiVersion, kind: `${prefix}Role`, metadata: { name: ROLE, ...metadata }, rules } as unknown as KubeObject,
    { force: true },
  );
  await cluster.apply(
    ref('RoleBinding'),
    {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata: { name: BINDING, ...metadata },
      roleRef: { apiGroup: RBAC.group, kind: `${prefix}Role`, name: ROLE },
      subjects,
    } as unknown as KubeObject,
    { force: true },
  );
}

/** The token of an account that does not end, from the Secret that holds it; made where there is none. */
export async function longLivedToken(
  session: AppSession,
  cluster: Cluster,
  namespace: string,
  account: string,
): Promise<string> {
  if ((await cluster.get(SERVICE_ACCOUNTS, { namespace, name: account })) === undefined)
    throw new Fault('NAME_UNKNOWN', `ServiceAccount ${namespace}/${account} not found`, { where: cluster.server });
  const name = `${account}-long-lived-token`;
  const known = await cluster.get(SECRETS, { namespace, name });
  return tokenOf(session, cluster, known ?? (await cluster.create(SECRETS, tokenSecret(account, { name, namespace }))));
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
export async function tokenOf(session: AppSession, cluster: Cluster, secret: KubeObject): Promise<string> {
  const { namespace = '', name = '' } = secret.metadata;
  const answer = await follow(
    { ...session, cluster },
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
      { where: cluster.server },
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
