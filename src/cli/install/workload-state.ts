import { type Cluster } from '../../cluster/index.js';
import { listAt, numberAt, objectAt, objectsAt, textAt, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { DEPLOYMENTS, PODS, REPLICA_SETS, STATEFUL_SETS } from '../../model/resources/index.js';

export interface WorkloadState {
  readonly object: KubeObject;
  readonly isAvailable: boolean;
  /** Such as `argosy-server 1/2`. */
  readonly text: string;
}

/** Which Deployments and StatefulSets of an installation are up to date and available. */
export async function workloadsOf(objects: readonly KubeObject[], cluster: Cluster): Promise<WorkloadState[]> {
  return Promise.all(
    objects
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map(async (object) => {
        const { name = '', namespace } = object.metadata;
        const live = await cluster.get(object.kind === 'Deployment' ? DEPLOYMENTS : STATEFUL_SETS, { name, namespace });
        const wanted = numberAt(object, 'spec', 'replicas') ?? 1;
        const has = (field: string): number => (live === undefined ? 0 : (numberAt(live, 'status', field) ?? 0));
        const isSeen = has('observedGeneration') >= (live?.metadata.generation ?? 1);
        const isAvailable =
          isSeen && has('updatedReplicas') >= wanted && has('availableReplicas') >= wanted && has('replicas') <= wanted;
        return {
          object: live ?? object,
          isAvailable,
          text: `${name} ${isSeen ? has('availableReplicas') : 0}/${wanted}`,
        };
      }),
  );
}

/** Why the pods of a workload do not become available, as far as their states and conditions say it. */
export async function workloadProblem(cluster: Cluster, workload: KubeObject): Promise<string | undefined> {
  const { name = '', namespace = '' } = workload.metadata;
  const labels = objectAt(workload, 'spec', 'selector', 'matchLabels') ?? {};
  const labelSelector = Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
  const { items: pods } = await cluster.list(PODS, { namespace, labelSelector });
  for (const pod of pods) {
    const problem = podProblem(pod);
    if (problem !== undefined) return `pod ${pod.metadata.name ?? ''}: ${problem}`;
  }
  const { items: sets } = await cluster.list(REPLICA_SETS, { namespace, labelSelector });
  // Such as pods that a policy or a quota refuses.
  const refused = [workload, ...sets].flatMap((each) =>
    objectsAt(each, 'status', 'conditions').filter(
      (condition) => condition.type === 'ReplicaFailure' && condition.status === 'True',
    ),
  )[0];
  if (refused !== undefined) return `${name}: ${textAt(refused, 'message')}`;
  return pods.length === 0 ? `${name} has no pods yet` : undefined;
}

function podProblem(pod: KubeObject): string | undefined {
  for (const status of objectsAt(pod, 'status', 'containerStatuses')) {
    const waiting = objectAt(status, 'state', 'waiting');
    const ended = objectAt(status, 'lastState', 'terminated') ?? objectAt(status, 'state', 'terminated');
    if (waiting !== undefined && textAt(waiting, 'reason') !== 'ContainerCreating')
      return [`${textAt(waiting, 'reason')}: ${textAt(waiting, 'message')}`, ...endOf(ended)].join(', ');
    if (ended !== undefined) return endOf(ended).join('');
    if (status.ready === false && objectAt(status, 'state', 'running') !== undefined) return 'runs and is not ready';
  }
  const unscheduled = objectsAt(pod, 'status', 'conditions').find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (unscheduled !== undefined) return textAt(unscheduled, 'message');
  return listAt(pod, 'status', 'containerStatuses').length === 0 ? 'waits for its node' : undefined;
}

function endOf(ended: JsonObject | undefined): string[] {
  if (ended === undefined) return [];
  const code = numberAt(ended, 'exitCode');
  return [`it ended with exit code ${code ?? 'unknown'} (${textAt(ended, 'reason')})`];
}
