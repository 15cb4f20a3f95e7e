import { equal, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient } from '../rest/index.js';
import { classOf, quantityText } from '../kinds/index.js';
import { ensure, flag, maybe, sub, text } from '../resources/index.js';
import { BIND_COMPLETED, isFor } from './match-volume.js';
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../model/resources/index.js';

export const VOLUMES = { group: '', plural: 'persistentvolumes' } as const;
/** Source of Events, as the real controller names itself. */
export const BINDER = 'persistentvolume-controller';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** The provisioner that makes volumes here; they hold nothing. */
export const SIMULATED = 'argosy.dev/simulated';
/** Its volumes name this driver: a driver's name has no slash. */
export const CSI_DRIVER = 'simulated.argosy.dev';
export const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export function storageClassOf(client: LocalClient, claim: KubeObject): KubeObject | undefined {
  const name = classOf(claim);
  return name === '' ? undefined : client.get(STORAGE_CLASSES, '', name);
}

/** Joins the two: first the volume says whose it is, then the claim says which it has. */
export async function bindTogether(client: LocalClient, volume: KubeObject, claim: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid = '' } = claim.metadata;
  const wasReserved = isFor(volume, claim);
  const joined = await client.edit(VOLUMES, '', volume.metadata.name ?? '', (copy) => {
    const reference = maybe(copy, 'spec.claimRef');
    if (reference && !isFor(copy, claim)) return false;
    if (text(reference, 'uid') === uid) return false;
    ensure(copy, 'spec')['claimRef'] = {
      kind: 'PersistentVolumeClaim',
      namespace,
      name,
      uid,
      apiVersion: 'v1',
      resourceVersion: claim.metadata.resourceVersion ?? '',
    };
    if (!wasReserved) copy.metadata.annotations = { ...copy.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
    return true;
  });
  if (!joined || text(maybe(joined, 'spec.claimRef'), 'uid') !== uid) return;
  await setVolumePhase(client, joined, 'Bound');
  await client.edit(PERSISTENT_VOLUME_CLAIMS, namespace, name, (copy) => {
    if (copy.metadata.uid !== uid) return false;
    const asked = text(ensure(copy, 'spec'), 'volumeName') !== '';
    ensure(copy, 'spec')['volumeName'] = volume.metadata.name ?? '';
    copy.metadata.annotations = {
      ...copy.metadata.annotations,
      [BIND_COMPLETED]: 'yes',
      ...(asked ? {} : { [BOUND_BY_CONTROLLER]: 'yes' }),
    };
    return true;
  });
  await setClaimBound(client, claim, joined);
}

export async function setClaimBound(client: LocalClient, claim: KubeObject, volume: KubeObject): Promise<void> {
  const spec = maybe(volume, 'spec');
  const status: JsonObject = {
    phase: 'Bound',
    accessModes: spec?.['accessModes'] ?? [],
    capacity: { storage: quantityText(sub(volume, 'spec.capacity'), 'storage') ?? '0' },
  };
  await setClaimStatus(client, claim, status);
}

export async function setClaimStatus(client: LocalClient, claim: KubeObject, status: JsonObject): Promise<void> {
  const { namespace = '', name = '', uid } = claim.metadata;
  await client.edit(
    PERSISTENT_VOLUME_CLAIMS,
    namespace,
    name,
    (copy) => {
      if (copy.metadata.uid !== uid || equal(copy['status'], status)) return false;
      copy['status'] = status;
      return true;
    },
    'status',
  );
}

/** True where the phase is new. */
export async function setVolumePhase(
  client: LocalClient,
  volume: KubeObject,
  phase: string,
  message = '',
): Promise<boolean> {
  if (text(maybe(volume, 'status'), 'phase') === phase && text(maybe(volume, 'status'), 'message') === message)
    return false;
  await client.edit(
    VOLUMES,
    '',
    volume.metadata.name ?? '',
    (copy) => {
      if (copy.metadata.uid !== volume.metadata.uid) return false;
      copy['status'] = { ...sub(copy, 'status'), phase, ...(message === '' ? {} : { message }) };
      return true;
    },
    'status',
  );
  return true;
}

/** The class that claims get which name none: the newest of those marked so. */
export function defaultClass(client: LocalClient): KubeObject | undefined {
  return client
    .list(STORAGE_CLASSES)
    .filter((each) => each.metadata.annotations?.[DEFAULT_CLASS] === 'true')
    .sort(
      (a, b) =>
        (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '') ||
        (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
    )[0];
}

export function waitsForConsumer(storageClass: KubeObject | undefined): boolean {
  return text(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer';
}

export function mayGrow(storageClass: KubeObject | undefined): boolean {
  return flag(storageClass, 'allowVolumeExpansion');
}
