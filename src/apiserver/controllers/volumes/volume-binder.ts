import { compareText } from '../../../model/go/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { WatchedObject } from '../../rest/index.js';
import { compareQuantities, classOf, quantityText } from '../../kinds/index.js';
import {
  claimsOf,
  BINDER,
  bindTogether,
  defaultClass,
  mayGrow,
  PROVISIONED_BY,
  setClaimBound,
  setClaimStatus,
  setVolumePhase,
  SIMULATED,
  storageClassOf,
  VOLUMES,
  waitsForConsumer,
  findVolume,
  isBound,
  isFor,
  sizeOf,
} from '../../scheduler/index.js';
import { ensure, has, maybe, sub, text, texts } from '../../resources/index.js';
import { ownKey, reconciler, type ControllerHost, type ObjectName } from '../../controller-runtime/index.js';
import { provision } from './provision.js';
import { PERSISTENT_VOLUME_CLAIMS, PODS, STORAGE_CLASSES } from '../../../model/resources/index.js';

const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** Brings claims and volumes together, and makes volumes where a class says how. */
export const volumeBinder = reconciler({
  name: 'persistentvolume-binder',
  watches: [
    { of: PERSISTENT_VOLUME_CLAIMS, keys: ownKey },
    { of: VOLUMES, keys: (event, host) => claimsFor(event, host) },
    { of: STORAGE_CLASSES, keys: (_, host) => pending(host) },
    {
      of: PODS,
      keys: ({ object, type }, host) =>
        type === 'ADDED'
          ? claimsOf(object).flatMap(({ name }) => openClaim(host, object.metadata.namespace ?? '', name))
          : [],
    },
  ],
  async reconcile({ namespace, name }, host) {
    const claim = host.client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name);
    if (!claim) return;
    if (isBound(claim)) await keepBound(claim, host);
    else if (claim.metadata.deletionTimestamp === undefined) await bindNew(claim, host);
  },
});

function pending({ client }: ControllerHost): ObjectName[] {
  return client
    .list(PERSISTENT_VOLUME_CLAIMS)
    .filter((claim) => !isBound(claim))
    .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }));
}

function openClaim({ client }: ControllerHost, namespace: string, name: string): ObjectName[] {
  const claim = client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name);
  return claim && !isBound(claim) ? [{ namespace, name }] : [];
}

/** The claim that a volume names; a free volume may suit any claim that has none. */
function claimsFor({ object, type }: WatchedObject, host: ControllerHost): ObjectName[] {
  const reference = maybe(object, 'spec.claimRef');
  if (reference) return [{ namespace: text(reference, 'namespace'), name: text(reference, 'name') }];
  return type === 'DELETED' ? [] : pending(host);
}

async function keepBound(claim: KubeObject, { client }: ControllerHost): Promise<void> {
  const volume = client.get(VOLUMES, '', text(maybe(claim, 'spec'), 'volumeName'));
  if (volume && isFor(volume, claim)) {
    if (text(maybe(volume, 'spec.claimRef'), 'uid') === '') return bindTogether(client, volume, claim);
    return setClaimBound(client, claim, await grown(client, claim, volume));
  }
  if (text(maybe(claim, 'status'), 'phase') === 'Lost') return;
  await setClaimStatus(client, claim, { phase: 'Lost' });
  const [reason, message] = volume
    ? ['ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly']
    : ['ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'];
  client.event(claim, 'Warning', reason, message, BINDER);
}

/** A claim may ask for more than it got, where its class lets volumes grow. */
async function grown(client: ControllerHost['client'], claim: KubeObject, volume: KubeObject): Promise<KubeObject> {
  const wanted = sizeOf(claim);
  const has = quantityText(sub(volume, 'spec.capacity'), 'storage') ?? '0';
  if (
    compareQuantities(wanted, has) <= 0 ||
    volume.metadata.annotations?.[PROVISIONED_BY] !== SIMULATED ||
    !mayGrow(storageClassOf(client, claim))
  )
    return volume;
  return (
    (await client.edit(VOLUMES, '', volume.metadata.name ?? '', (copy) => {
      ensure(ensure(copy, 'spec'), 'capacity')['storage'] = wanted;
    })) ?? volume
  );
}

async function bindNew(claim: KubeObject, host: ControllerHost): Promise<void> {
  const { client } = host;
  const asked = text(maybe(claim, 'spec'), 'volumeName');
  if (asked !== '') return bindRequested(claim, asked, host);
  const storageClass = storageClassOf(client, claim);
  const delayed = waitsForConsumer(storageClass);
  const volumes = client.list(VOLUMES);
  const found = findVolume(claim, delayed ? volumes.filter((volume) => isFor(volume, claim)) : volumes);
  if (found) return bindTogether(client, found, claim);
  if (await assignDefaultClass(claim, host)) return;
  if (delayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined) return recordWaiting(claim, host);
  if (classOf(claim) !== '') return provision(client, claim);
  client.event(
    claim,
    'Normal',
    'FailedBinding',
    'no persistent volumes available for this claim and no storage class is set',
    BINDER,
  );
}

/** A claim that was made before there was a default class gets it afterwards. */
async function assignDefaultClass(claim: KubeObject, { client }: ControllerHost): Promise<boolean> {
  if (has(sub(claim, 'spec'), 'storageClassName') || classOf(claim) !== '') return false;
  const name = defaultClass(client)?.metadata.name;
  if (name === undefined) return false;
  await client.edit(PERSISTENT_VOLUME_CLAIMS, claim.metadata.namespace ?? '', claim.metadata.name ?? '', (copy) => {
    ensure(copy, 'spec')['storageClassName'] = name;
  });
  return true;
}

function recordWaiting(claim: KubeObject, { client }: ControllerHost): void {
  const namespace = claim.metadata.namespace ?? '';
  const pods = client
    .list(PODS, namespace)
    .filter(
      (pod) =>
        text(maybe(pod, 'spec'), 'nodeName') === '' && claimsOf(pod).some(({ name }) => name === claim.metadata.name),
    )
    .map((pod) => pod.metadata.name ?? '')
    .sort(compareText);
  if (pods.length === 0)
    return client.event(
      claim,
      'Normal',
      'WaitForFirstConsumer',
      'waiting for first consumer to be created before binding',
      BINDER,
    );
  const who = pods.length > 1 ? `pods ${pods.join(',')}` : `pod ${pods[0] ?? ''}`;
  client.event(claim, 'Normal', 'WaitForPodScheduled', `waiting for ${who} to be scheduled`, BINDER);
}

async function bindRequested(claim: KubeObject, name: string, { client }: ControllerHost): Promise<void> {
  const volume = client.get(VOLUMES, '', name);
  if (!volume) return;
  if (maybe(volume, 'spec.claimRef') && !isFor(volume, claim)) {
    return client.event(
      claim,
      'Warning',
      'FailedBinding',
      `volume ${JSON.stringify(name)} already bound to a different claim.`,
      BINDER,
    );
  }
  const why = maybe(volume, 'spec.claimRef') ? undefined : mismatch(volume, claim);
  if (why === undefined) return bindTogether(client, volume, claim);
  client.event(
    claim,
    'Warning',
    'VolumeMismatch',
    `Cannot bind to requested volume ${JSON.stringify(name)}: ${why}`,
    BINDER,
  );
}

function mismatch(volume: KubeObject, claim: KubeObject): string | undefined {
  const [spec, wanted] = [maybe(volume, 'spec'), maybe(claim, 'spec')];
  if (volume.metadata.deletionTimestamp !== undefined) return 'the volume is marked for deletion';
  if (compareQuantities(quantityText(sub(volume, 'spec.capacity'), 'storage') ?? '0', sizeOf(claim)) < 0)
    return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  const mode = (of: typeof spec): string => text(of, 'volumeMode') || 'Filesystem';
  if (mode(spec) !== mode(wanted)) return 'incompatible volumeMode';
  const modes = texts(spec, 'accessModes');
  return texts(wanted, 'accessModes').every((each) => modes.includes(each)) ? undefined : 'incompatible accessMode';
}

/** Phases of volumes, and what becomes of one whose claim is gone. */
export const volumePhases = reconciler({
  name: 'persistentvolume-binder',
  watches: [
    { of: VOLUMES, keys: (event) => (event.type === 'DELETED' ? [] : ownKey(event)) },
    { of: PERSISTENT_VOLUME_CLAIMS, keys: ({ object }) => volumeOf(object) },
  ],
  async reconcile({ name }, host) {
    const volume = host.client.get(VOLUMES, '', name);
    if (volume) await syncVolume(volume, host);
  },
});

function volumeOf(claim: KubeObject): ObjectName[] {
  const name = text(maybe(claim, 'spec'), 'volumeName');
  return name === '' ? [] : [{ namespace: '', name }];
}

async function syncVolume(volume: KubeObject, { client }: ControllerHost): Promise<void> {
  const reference = maybe(volume, 'spec.claimRef');
  const claim =
    reference && client.get(PERSISTENT_VOLUME_CLAIMS, text(reference, 'namespace'), text(reference, 'name'));
  const uid = text(reference, 'uid');
  if (!reference || uid === '') {
    if (volume.metadata.deletionTimestamp === undefined) await setVolumePhase(client, volume, 'Available');
    return;
  }
  if (claim && claim.metadata.uid === uid) {
    if (isBound(claim)) await setVolumePhase(client, volume, 'Bound');
    return;
  }
  await reclaim(volume, client);
}

async function reclaim(volume: KubeObject, client: ControllerHost['client']): Promise<void> {
  const policy = text(maybe(volume, 'spec'), 'persistentVolumeReclaimPolicy');
  const name = volume.metadata.name ?? '';
  if (policy !== 'Delete') {
    await setVolumePhase(client, volume, 'Released');
    return;
  }
  if (volume.metadata.annotations?.[PROVISIONED_BY] !== undefined) {
    await setVolumePhase(client, volume, 'Released');
    if (volume.metadata.annotations[PROVISIONED_BY] === SIMULATED && volume.metadata.deletionTimestamp === undefined)
      await client.remove(VOLUMES, '', name);
    return;
  }
  const message =
    `error getting deleter volume plugin for volume ${JSON.stringify(name)}: no deletable volume plugin ` + 'matched';
  if (await setVolumePhase(client, volume, 'Failed', message))
    client.event(volume, 'Warning', 'VolumeFailedDelete', message, BINDER);
}
