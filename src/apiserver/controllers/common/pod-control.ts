import { clone, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import type { LocalClient } from '../../rest/index.js';
import { items, maybe, sub, text } from '../../resources/index.js';
import { controllerReference } from '../../controller-runtime/index.js';
import { PODS } from '../../../model/resources/index.js';

/** Creates and deletes pods on behalf of an owner, and records it in the owner's Events. */
export interface PodControl {
  readonly client: LocalClient;
  /** Source of the Events. */
  readonly component: string;
}

/**
 * A pod as the template describes it, controlled by `owner`; `generateName` is `<owner>-` where that can start a name.
 */
export function podFromTemplate(template: JsonObject, owner: KubeObject): KubeObject {
  const metadata = sub(template, 'metadata');
  const { name = '', namespace = '' } = owner.metadata;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...Object.fromEntries(
        ['labels', 'annotations', 'finalizers'].flatMap((field) => {
          const value = clone(own(metadata, field));
          return value === undefined ? [] : [[field, value]];
        }),
      ),
      ownerReferences: [controllerReference(owner)],
    },
    spec: clone(maybe(template, 'spec') ?? {}),
  };
}

/** Creates the pod and records an Event; so does a failure, which is rethrown, unless the namespace is terminating. */
export async function createPod(
  { client, component }: PodControl,
  pod: KubeObject,
  owner: KubeObject,
): Promise<KubeObject | undefined> {
  try {
    const created = await client.create(PODS, pod);
    client.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name ?? ''}`, component);
    return created;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isNamespaceTerminating(error)) return undefined;
    client.event(owner, 'Warning', 'FailedCreate', `Error creating: ${error.message}`, component);
    throw error;
  }
}

export function isNamespaceTerminating(error: ApiError): boolean {
  return items(error.details, 'causes').some((cause) => text(cause, 'reason') === 'NamespaceTerminating');
}

export async function deletePod({ client, component }: PodControl, pod: KubeObject, owner: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  try {
    await client.remove(PODS, namespace, name, uid === undefined ? {} : { uid });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Gone, or replaced by another of the same name: nothing to delete.
    if (error.reason === 'NotFound' || error.reason === 'Conflict') return;
    client.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`, component);
    throw error;
  }
  client.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`, component);
}

/**
 * Runs `work` `count` times, in batches of 1, 2, 4, ...; the first failure ends it after its batch, so that a full
 * quota costs one rejection and not hundreds. Gives the failure, if any.
 */
export async function slowStart(count: number, work: () => Promise<unknown>): Promise<Error | undefined> {
  for (let left = count, batch = 1; left > 0; left -= batch, batch = Math.min(batch * 2, left)) {
    const results = await Promise.allSettled(Array.from({ length: batch }, () => work()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) return failed.reason instanceof Error ? failed.reason : new Error(String(failed.reason));
  }
  return undefined;
}
