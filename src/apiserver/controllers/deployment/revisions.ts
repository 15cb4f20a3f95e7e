import { clone, drop, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { count, ensure, maybe, sub } from '../../resources/index.js';
import { controllerReference, isControlledBy } from '../../controller-runtime/index.js';
import { isNamespaceTerminating } from '../common/pod-control.js';
import { createdAt } from '../common/pod-conditions.js';
import { templateHash } from '../common/template-hash.js';
import { scaledValue } from '../common/int-or-percent.js';
import {
  COMPONENT,
  HASH_LABEL,
  hasDeadline,
  isRolling,
  maxSurge,
  newCondition,
  progressing,
  replicasOf,
  REVISION,
  saveStatus,
  setCondition,
  specOf,
  sumOf,
  type Rollout,
} from './rollout.js';
import { REPLICA_SETS } from '../../../model/resources/index.js';

const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
/** Longest list of former revisions in an annotation. */
const MAX_HISTORY_LENGTH = 2000;
const MAX_NAME_LENGTH = 253;
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
]);

export function annotationOf(object: KubeObject, name: string): string {
  const value = own(object.metadata.annotations ?? {}, name);
  return typeof value === 'string' ? value : '';
}

export function revisionOf(replicaSet: KubeObject): number {
  const text = annotationOf(replicaSet, REVISION);
  return /^\d+$/.test(text) ? Number(text) : 0;
}

/** The ReplicaSet whose template is the Deployment's; the oldest where there are several. */
export function findNew({ deployment, replicaSets }: Rollout): KubeObject | undefined {
  const template = withoutHash(sub(deployment, 'spec.template'));
  return [...replicaSets].sort(byAge).find((each) => equal(withoutHash(sub(each, 'spec.template')), template));
}

export function byAge(a: KubeObject, b: KubeObject): number {
  return createdAt(a) - createdAt(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

function withoutHash(template: JsonObject): JsonObject {
  const copy = clone(template);
  const labels = maybe(copy, 'metadata.labels');
  if (labels) drop(labels, HASH_LABEL);
  return copy;
}

/** The new ReplicaSet with its annotations in order, made where `create` says so; and all others. */
export async function resolveRevisions(
  rollout: Rollout,
  create: boolean,
): Promise<{ newest: KubeObject | undefined; old: KubeObject[] }> {
  const found = findNew(rollout);
  const old = rollout.replicaSets.filter((each) => each !== found);
  const revision = Math.max(0, ...old.map(revisionOf)) + 1;
  if (found) return { newest: await refreshNew(rollout, found, revision), old };
  return { newest: create ? await createNew(rollout, old, revision) : undefined, old };
}

async function refreshNew(rollout: Rollout, found: KubeObject, revision: number): Promise<KubeObject> {
  const { deployment, host } = rollout;
  const copy = clone(found);
  annotate(deployment, copy, revision);
  const minReadySeconds = count(specOf(deployment), 'minReadySeconds');
  if (minReadySeconds === 0) drop(ensure(copy, 'spec'), 'minReadySeconds');
  else put(ensure(copy, 'spec'), 'minReadySeconds', minReadySeconds);
  if (!equal(copy, found)) return host.client.update(REPLICA_SETS, copy);
  const changed = setRevision(deployment, annotationOf(found, REVISION));
  const noticed = hasDeadline(deployment) && progressing(deployment) === undefined;
  if (noticed)
    setCondition(
      rollout,
      newCondition(
        'Progressing',
        'True',
        'FoundNewReplicaSet',
        `Found new replica set "${found.metadata.name ?? ''}"`,
        host.clock.now(),
      ),
    );
  if (changed || noticed) await saveStatus(rollout);
  return found;
}

function setRevision(deployment: KubeObject, revision: string): boolean {
  if (annotationOf(deployment, REVISION) === revision) return false;
  put((deployment.metadata.annotations ??= {}), REVISION, revision);
  return true;
}

/** Copies the Deployment's annotations and raises the revision; a ReplicaSet that had one before is rolled back to. */
function annotate(deployment: KubeObject, replicaSet: KubeObject, revision: number): void {
  const annotations = (replicaSet.metadata.annotations ??= {});
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!NOT_COPIED.has(key)) put(annotations, key, value);
  }
  const before = annotationOf(replicaSet, REVISION);
  if (revisionOf(replicaSet) >= revision) return;
  put(annotations, REVISION, String(revision));
  if (before !== '')
    put(annotations, REVISION_HISTORY, historyWith(annotationOf(replicaSet, REVISION_HISTORY), before));
}

function historyWith(history: string, revision: string): string {
  const revisions = [...history.split(',').filter((each) => each !== ''), revision];
  while (revisions.join(',').length > MAX_HISTORY_LENGTH) revisions.shift();
  return revisions.join(',');
}

export function setReplicaAnnotations(deployment: KubeObject, replicaSet: KubeObject): void {
  const annotations = (replicaSet.metadata.annotations ??= {});
  put(annotations, DESIRED_REPLICAS, String(replicasOf(deployment)));
  put(annotations, MAX_REPLICAS, String(replicasOf(deployment) + maxSurge(deployment)));
}

/** How many replicas the new ReplicaSet may have now. */
export function newReplicas(deployment: KubeObject, all: readonly KubeObject[], current: number): number {
  const wanted = replicasOf(deployment);
  if (!isRolling(deployment)) return wanted;
  const surge = scaledValue(own(sub(deployment, 'spec.strategy.rollingUpdate'), 'maxSurge'), wanted, 'up');
  const room = wanted + surge - sumOf(all, replicasOf);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

function newReplicaSet({ deployment }: Rollout, old: readonly KubeObject[], revision: number): KubeObject {
  const template = clone(sub(deployment, 'spec.template'));
  const hash = templateHash(template, count(maybe(deployment, 'status'), 'collisionCount'));
  put(ensure(ensure(template, 'metadata'), 'labels'), HASH_LABEL, hash);
  const selector = clone(sub(deployment, 'spec.selector'));
  put(ensure(selector, 'matchLabels'), HASH_LABEL, hash);
  const { name = '', namespace = '' } = deployment.metadata;
  const minReadySeconds = count(specOf(deployment), 'minReadySeconds');
  const created: KubeObject = {
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    metadata: {
      name: `${name.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`,
      namespace,
      ownerReferences: [controllerReference(deployment)],
      labels: clone(sub(template, 'metadata.labels')) as Record<string, string>,
    },
    spec: {
      replicas: newReplicas(deployment, old, 0),
      ...(minReadySeconds === 0 ? {} : { minReadySeconds }),
      selector,
      template,
    },
  };
  annotate(deployment, created, revision);
  setReplicaAnnotations(deployment, created);
  return created;
}

async function createNew(rollout: Rollout, old: readonly KubeObject[], revision: number): Promise<KubeObject> {
  const { deployment, host } = rollout;
  const wanted = newReplicaSet(rollout, old, revision);
  const name = wanted.metadata.name ?? '';
  let created: KubeObject;
  try {
    created = await host.client.create(REPLICA_SETS, wanted);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return existingOr(rollout, name, error);
  }
  const replicas = replicasOf(created);
  if (replicas > 0)
    host.client.event(
      deployment,
      'Normal',
      'ScalingReplicaSet',
      `Scaled up replica set ${name} from 0 to ${replicas}`,
      COMPONENT,
    );
  const changed = setRevision(deployment, String(revision));
  if (hasDeadline(deployment))
    setCondition(
      rollout,
      newCondition(
        'Progressing',
        'True',
        'NewReplicaSetCreated',
        `Created new replica set "${name}"`,
        host.clock.now(),
      ),
    );
  if (changed || hasDeadline(deployment)) await saveStatus(rollout);
  return created;
}

/** A ReplicaSet of the same name that is not ours is a hash collision: the next pass uses another hash. */
async function existingOr(rollout: Rollout, name: string, error: ApiError): Promise<never> {
  const { deployment, host } = rollout;
  if (error.reason === 'AlreadyExists') {
    const taken = host.client.get(REPLICA_SETS, deployment.metadata.namespace ?? '', name);
    if (
      !taken ||
      !isControlledBy(taken, deployment) ||
      !equal(withoutHash(sub(taken, 'spec.template')), withoutHash(sub(deployment, 'spec.template')))
    ) {
      const status = ensure(deployment, 'status');
      put(status, 'collisionCount', count(status, 'collisionCount') + 1);
      await saveStatus(rollout);
    }
  } else if (!isNamespaceTerminating(error)) {
    const message = `Failed to create new replica set "${name}": ${error.message}`;
    if (hasDeadline(deployment)) {
      setCondition(rollout, newCondition('Progressing', 'False', 'ReplicaSetCreateError', message, host.clock.now()));
      await saveStatus(rollout);
    }
    host.client.event(deployment, 'Warning', 'ReplicaSetCreateError', message, COMPONENT);
  }
  throw error;
}
