import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { parseDuration } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { timestamp } from '../rest/index.js';
import { checkExpectation, type Compare } from './check-expectation.js';
import type { MemoryCluster } from './memory-cluster.js';
import { asObject, putObject, resourceFor, selected } from './put-object.js';

export type CaseStep = (cluster: MemoryCluster, argument: Json, compare: Compare) => Promise<void>;

/** What a case may do. Each step is followed by settling. */
export const CASE_STEPS: Readonly<Record<string, CaseStep>> = {
  apply: putObject,
  advance: (cluster, duration) =>
    cluster.clock.advance(Number(parseDuration(typeof duration === 'string' ? duration : '')) / 1e6, () =>
      cluster.waitUntilQuiet(),
    ),
  async delete(cluster, argument) {
    const object = asObject(argument);
    const of = resourceFor(cluster, object);
    const options = isObject(argument) && isObject(argument.options) ? argument.options : {};
    await cluster.client.remove(
      of,
      of.namespaced ? (object.metadata.namespace ?? 'default') : '',
      object.metadata.name ?? '',
      options,
    );
  },
  /** Merges `patch` over every object of a kind that `select` (labels) or `name` matches. */
  async each(cluster, argument) {
    const { patch } = argument as JsonObject;
    for (const { apiVersion, kind, metadata } of selected(cluster, argument)) {
      const merged = isObject(patch) ? patch : {};
      const place = { name: metadata.name, namespace: metadata.namespace };
      await putObject(cluster, {
        ...merged,
        apiVersion,
        kind,
        metadata: { ...(isObject(merged.metadata) ? merged.metadata : {}), ...place },
      });
    }
  },
  /** Selected pods are Running and Ready from now on. */
  run: (cluster, argument) =>
    setPods(cluster, argument, (pod, now) => ({
      phase: 'Running',
      podIP: `10.244.0.${Number((pod.metadata.uid ?? '').slice(-3))}`,
      startTime: now,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now }],
    })),
  /** Selected pods run but are not ready. */
  unready: (cluster, argument) =>
    setPods(cluster, argument, (_, now) => ({
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
    })),
  succeed: (cluster, argument) => setPods(cluster, argument, (pod, now) => ended(pod, now, 0)),
  fail: (cluster, argument) =>
    setPods(cluster, argument, (pod, now) => ended(pod, now, Number((argument as JsonObject)['exitCode'] ?? 1))),
  expect(cluster, argument, compare) {
    for (const item of (Array.isArray(argument) ? argument : [argument]).filter(isObject))
      checkExpectation(cluster, item, compare);
    return Promise.resolve();
  },
};

function ended(pod: KubeObject, now: string, exitCode: number): JsonObject {
  const containers =
    isObject(pod.spec) && Array.isArray(pod.spec.containers) ? pod.spec.containers.filter(isObject) : [];
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
    containerStatuses: containers.map((container) => ({
      name: container.name,
      image: container.image,
      imageID: '',
      ready: false,
      restartCount: 0,
      state: {
        terminated: {
          exitCode,
          startedAt: now,
          finishedAt: now,
          ...(exitCode === 0 ? { reason: 'Completed' } : { reason: 'Error' }),
        },
      },
    })),
  };
}

async function setPods(
  cluster: MemoryCluster,
  argument: Json,
  status: (pod: KubeObject, now: string) => JsonObject,
): Promise<void> {
  const now = timestamp(cluster.clock.now());
  for (const pod of selected(cluster, argument)) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    await cluster.client.edit(
      { group: '', plural: 'pods' },
      pod.metadata.namespace ?? '',
      pod.metadata.name ?? '',
      (copy) => {
        copy['status'] = { ...(isObject(copy['status']) ? copy['status'] : {}), ...status(pod, now) };
      },
      'status',
    );
  }
}
