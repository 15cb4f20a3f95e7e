import { isObject } from '../../model/json/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { NotebookJob } from '../../notebook/index.js';
import { type ResourceRef, SUBJECT_ACCESS_REVIEWS } from '../../model/resources/index.js';

export interface TriggerTarget {
  readonly kind: ResourceRef;
  readonly namespace: string;
  readonly name: string;
  readonly deletesPods: boolean;
}

/** Why a job must not reach a target, and the commands that would let it. */
export interface TriggerDenial {
  readonly message: string;
  readonly allow: string;
}

/**
 * Why a job must not reach a target; undefined if it may. An annotation borrows our permissions, so outside its
 * namespace a job reaches only what an administrator allowed or its own service account can do.
 */
export async function mayTrigger(
  job: NotebookJob,
  target: TriggerTarget,
  world: { readonly cluster: Cluster; readonly allowedNamespaces: readonly string[] },
): Promise<TriggerDenial | undefined> {
  if (
    target.kind.namespaced &&
    (target.namespace === job.namespace || world.allowedNamespaces.includes(target.namespace))
  )
    return undefined;
  const user = `system:serviceaccount:${job.namespace}:${job.serviceAccount}`;
  const attributes = target.deletesPods
    ? { verb: 'delete', group: '', version: 'v1', resource: 'pods' }
    : {
        verb: 'patch',
        group: target.kind.group,
        version: target.kind.version,
        resource: target.kind.plural,
        name: target.name,
      };
  const review = await world.cluster.create(SUBJECT_ACCESS_REVIEWS, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: SUBJECT_ACCESS_REVIEWS.kind,
    metadata: {},
    spec: {
      user,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${job.namespace}`, 'system:authenticated'],
      resourceAttributes: { ...attributes, ...(target.kind.namespaced ? { namespace: target.namespace } : {}) },
    },
  });
  if (isObject(review.status) && review.status.allowed === true) return undefined;
  return {
    message:
      `${target.kind.kind} ${target.namespace}/${target.name} is in another namespace, and the service account ` +
      `${job.serviceAccount} cannot ${attributes.verb} ${attributes.resource} there`,
    allow: roleCommands(job, target, attributes),
  };
}

/** A Role for this job alone, and for nothing but what the trigger does. */
function roleCommands(
  job: NotebookJob,
  { kind, namespace, name, deletesPods }: TriggerTarget,
  { verb, group, resource }: { readonly verb: string; readonly group: string; readonly resource: string },
): string {
  const role = `${job.namespace}-${job.name}-trigger`;
  const what = kind.namespaced ? { role: 'role', binding: 'rolebinding', place: ` -n ${quoted(namespace)}` } : CLUSTER;
  const only = deletesPods ? '' : ` --resource-name=${quoted(name)}`;
  return (
    `kubectl create ${what.role} ${role}${what.place} --verb=${verb} ` +
    `--resource=${resource}${group === '' ? '' : `.${group}`}${only} && ` +
    `kubectl create ${what.binding} ${role}${what.place} --${what.role}=${role} ` +
    `--serviceaccount=${job.namespace}:${job.serviceAccount}`
  );
}

const CLUSTER = { role: 'clusterrole', binding: 'clusterrolebinding', place: '' };

/** For a shell: the name of a target is what somebody wrote into an annotation. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
