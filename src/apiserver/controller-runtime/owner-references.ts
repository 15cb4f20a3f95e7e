import type { KubeObject, OwnerReference } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import type { LocalClient, ResourceName, WatchedObject } from '../rest/index.js';
import type { ControllerHost, ObjectName } from './controller.js';

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference that makes `owner` an object's controller. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

interface Claim {
  readonly client: LocalClient;
  /** What is claimed: pods, replicasets, controllerrevisions. */
  readonly of: ResourceName;
  readonly owner: KubeObject;
  readonly candidates: readonly KubeObject[];
  readonly matches: (object: KubeObject) => boolean;
  /** Finalizer that goes with the owner when an object is released. */
  readonly finalizer?: string;
}

/**
 * The candidates that belong to the owner: orphans that match are adopted, owned ones that no longer match are
 * released.
 */
export async function claim({ client, of, owner, candidates, matches, finalizer }: Claim): Promise<KubeObject[]> {
  const ending = owner.metadata.deletionTimestamp !== undefined;
  const claimed: KubeObject[] = [];
  for (const object of candidates) {
    const controller = controllerOf(object);
    if (controller === undefined) {
      if (ending || !matches(object) || object.metadata.deletionTimestamp !== undefined) continue;
      const adopted = await adopt(client, of, object, owner, finalizer);
      if (adopted !== undefined) claimed.push(adopted);
    } else if (controller.uid === owner.metadata.uid) {
      if (matches(object)) claimed.push(object);
      else if (!ending) await release(client, of, object, owner, finalizer);
    }
  }
  return claimed;
}

async function adopt(
  client: LocalClient,
  of: ResourceName,
  object: KubeObject,
  owner: KubeObject,
  finalizer: string | undefined,
): Promise<KubeObject | undefined> {
  const { namespace = '', name = '', uid } = object.metadata;
  return ignoreNotFound(
    client.edit(of, namespace, name, ({ metadata }) => {
      if (metadata.uid !== uid || metadata.ownerReferences?.some((reference) => reference.controller === true))
        return false;
      metadata.ownerReferences = [...(metadata.ownerReferences ?? []), controllerReference(owner)];
      if (finalizer !== undefined && !metadata.finalizers?.includes(finalizer))
        metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
      return true;
    }),
  );
}

async function release(
  client: LocalClient,
  of: ResourceName,
  object: KubeObject,
  owner: KubeObject,
  finalizer: string | undefined,
): Promise<void> {
  const { namespace = '', name = '', uid } = object.metadata;
  await ignoreNotFound(
    client.edit(of, namespace, name, ({ metadata }) => {
      if (metadata.uid !== uid) return false;
      const others = (metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid);
      if (others.length > 0) metadata.ownerReferences = others;
      else delete metadata.ownerReferences;
      if (finalizer !== undefined) removeFinalizer(metadata, finalizer);
      return true;
    }),
  );
}

export function removeFinalizer(metadata: KubeObject['metadata'], finalizer: string): void {
  const others = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
  if (others.length > 0) metadata.finalizers = others;
  else delete metadata.finalizers;
}

/** The result, or undefined where the object has gone meanwhile. */
export async function ignoreNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return undefined;
    throw error;
  }
}

/**
 * Which owners a change of a dependent concerns: its controller now and before; for an orphan, every object of the kind
 * in its namespace that would adopt it.
 */
export function ownersOf(
  kind: string,
  of: ResourceName,
  matches: (owner: KubeObject, dependent: KubeObject) => boolean,
) {
  return ({ type, object, previous }: WatchedObject, { client }: ControllerHost): ObjectName[] => {
    const namespace = object.metadata.namespace ?? '';
    const named = [object, previous].flatMap((each) => {
      const controller = each && controllerOf(each);
      return controller?.kind === kind ? [{ namespace, name: controller.name }] : [];
    });
    if (type === 'DELETED' || controllerOf(object) !== undefined) return named;
    const adopters = client.list(of, namespace).filter((owner) => matches(owner, object));
    return [...named, ...adopters.map((owner) => ({ namespace, name: owner.metadata.name ?? '' }))];
  };
}
