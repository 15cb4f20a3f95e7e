import { equal } from '../../../model/json/index.js';
import type { KubeObject, OwnerReference } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { type ControllerHost, controllerReference, ignoreNotFound } from '../../controller-runtime/index.js';
import { sub, text } from '../../resources/index.js';
import { claimsOf, isInRange, ordinalOf } from './identity.js';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../model/resources/index.js';

const COMPONENT = 'statefulset-controller';

/** Makes the claims that a pod needs and that do not exist; throws where one cannot be had. */
export async function createClaims({ client }: ControllerHost, set: KubeObject, pod: KubeObject): Promise<void> {
  const violations: string[] = [];
  for (const claim of claimsOf(set, ordinalOf(pod))) {
    const { namespace = '', name = '' } = claim.metadata;
    const found = client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name);
    if (found?.metadata.deletionTimestamp !== undefined) violations.push(`pvc ${name} is being deleted`);
    if (found) continue;
    try {
      await client.create(PERSISTENT_VOLUME_CLAIMS, claim);
      client.event(
        set,
        'Normal',
        'SuccessfulCreate',
        `create Claim ${name} Pod ${pod.metadata.name ?? ''} in StatefulSet ${set.metadata.name ?? ''} success`,
        COMPONENT,
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      violations.push(`failed to create PVC ${name}: ${error.message}`);
      client.event(
        set,
        'Warning',
        'FailedCreate',
        `create Claim ${name} for Pod ${pod.metadata.name ?? ''} in StatefulSet ${set.metadata.name ?? ''} ` +
          `failed error: ${error.message}`,
        COMPONENT,
      );
    }
  }
  if (violations.length > 0)
    throw new ApiError(
      500,
      'InternalError',
      violations.length === 1 ? String(violations[0]) : `[${violations.join(', ')}]`,
    );
}

/**
 * Gives the pod's claims the owners that the retention policy asks for: the set, the pod that was scaled away, or none.
 */
export async function ownClaims({ client }: ControllerHost, set: KubeObject, pod: KubeObject): Promise<void> {
  const policy = sub(set, 'spec.persistentVolumeClaimRetentionPolicy');
  const goesWithSet = text(policy, 'whenDeleted') === 'Delete';
  const goesWithPod = text(policy, 'whenScaled') === 'Delete';
  const condemned = !isInRange(set, ordinalOf(pod));
  const ownerSet = goesWithSet ? set : undefined;
  const owner = goesWithPod && condemned ? pod : ownerSet;
  for (const wanted of claimsOf(set, ordinalOf(pod))) {
    const { namespace = '', name = '' } = wanted.metadata;
    const found = client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name);
    if (!found) continue;
    const owners = ownersFor(found.metadata.ownerReferences ?? [], set, pod, owner);
    if (owners === undefined || equal(owners, found.metadata.ownerReferences ?? [])) continue;
    await ignoreNotFound(
      client.edit(PERSISTENT_VOLUME_CLAIMS, namespace, name, ({ metadata }) => {
        if (owners.length > 0) metadata.ownerReferences = owners;
        else delete metadata.ownerReferences;
      }),
    );
  }
}

/** Undefined where another controller or an earlier set or pod of that name owns the claim: it is left alone. */
function ownersFor(
  references: readonly OwnerReference[],
  set: KubeObject,
  pod: KubeObject,
  owner: KubeObject | undefined,
): OwnerReference[] | undefined {
  const isOurs = ({ kind, name }: OwnerReference): boolean =>
    (kind === 'StatefulSet' && name === set.metadata.name) || (kind === 'Pod' && name === pod.metadata.name);
  const uids = [set.metadata.uid, pod.metadata.uid];
  if (references.some((reference) => isOurs(reference) && !uids.includes(reference.uid))) return undefined;
  const others = references.filter((reference) => !isOurs(reference));
  if (others.some((reference) => reference.controller === true)) return others;
  return owner ? [...others, controllerReference(owner)] : others;
}

/** Does a claim still wait for the end of an earlier pod of this name? */
export function hasStaleClaim({ client }: ControllerHost, set: KubeObject, pod: KubeObject): boolean {
  if (text(sub(set, 'spec.persistentVolumeClaimRetentionPolicy'), 'whenScaled') !== 'Delete') return false;
  return claimsOf(set, ordinalOf(pod)).some(({ metadata: { namespace = '', name = '' } }) =>
    client
      .get(PERSISTENT_VOLUME_CLAIMS, namespace, name)
      ?.metadata.ownerReferences?.some((reference) => reference.kind === 'Pod' && reference.name === pod.metadata.name),
  );
}
