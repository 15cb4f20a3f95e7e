import type { KubeObject } from '../../model/kubernetes/index.js';
import { maybe, text } from '../resources/index.js';
import { timestamp } from '../rest/index.js';
import { addDisruption } from '../runtime/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
} from '../controller-runtime/index.js';
import { hasEnded } from './common/pod-conditions.js';
import { NODES, PODS } from '../../model/resources/index.js';

/** A node that is gone may come back within this many milliseconds. */
const QUARANTINE = 40_000;

/** Removes pods of nodes that are gone, and deleted pods that never had one. */
export function podGarbageCollector(): Controller {
  /** Since when a pod's node was missed, in milliseconds, by the pod's uid. */
  const missed = new Map<string, number>();
  return reconciler({
    name: 'pod-garbage-collector',
    watches: [
      { of: PODS, keys: (event) => (event.type === 'DELETED' ? [] : ownKey(event)) },
      { of: NODES, keys: ({ type, object }, host) => (type === 'DELETED' ? podsOn(object, host) : []) },
    ],
    async reconcile({ namespace, name }, host) {
      const pod = host.client.get(PODS, namespace, name);
      if (!pod) return undefined;
      const { uid = '', deletionTimestamp } = pod.metadata;
      const node = text(maybe(pod, 'spec'), 'nodeName');
      if (node !== '' && !host.client.get(NODES, '', node)) {
        const now = host.clock.now().getTime();
        const since = missed.get(uid) ?? now;
        missed.set(uid, since);
        if (since + QUARANTINE > now) return since + QUARANTINE - now;
        if (!hasEnded(pod)) await markFailed(pod, host);
      } else if (node !== '' || deletionTimestamp === undefined) {
        missed.delete(uid);
        return undefined;
      }
      missed.delete(uid);
      await host.client.remove(PODS, namespace, name, { gracePeriodSeconds: 0, uid });
      return undefined;
    },
  });
}

function podsOn(node: KubeObject, { client }: ControllerHost): ObjectName[] {
  return client
    .list(PODS)
    .filter((pod) => text(maybe(pod, 'spec'), 'nodeName') === node.metadata.name)
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }));
}

/** Whoever waits for the pod's end learns that it failed. */
async function markFailed(pod: KubeObject, { client, clock }: Pick<ControllerHost, 'client' | 'clock'>): Promise<void> {
  await client.edit(
    PODS,
    pod.metadata.namespace ?? '',
    pod.metadata.name ?? '',
    (copy) => {
      if (copy.metadata.uid !== pod.metadata.uid) return false;
      addDisruption(
        copy,
        { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' },
        timestamp(clock.now()),
      );
      copy['status'] = { ...(maybe(copy, 'status') ?? {}), phase: 'Failed' };
      return true;
    },
    'status',
  );
}
