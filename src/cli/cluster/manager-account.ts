import { type Cluster, ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { tokenOf, tokenSecret } from '../../control/index.js';
import type { AppSession } from '../session/index.js';
import { type ResourceRef, SECRETS, SERVICE_ACCOUNTS } from '../../model/resources/index.js';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const ACCOUNT = 'argocd-manager';
const ROLE = 'argocd-manager-role';
const BINDING = 'argocd-manager-role-binding';

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
  return tokenOf(
    { cluster, after: (milliseconds, act) => session.after(milliseconds, act) },
    known ?? (await cluster.create(SECRETS, tokenSecret(account, { name, namespace }))),
  );
}
