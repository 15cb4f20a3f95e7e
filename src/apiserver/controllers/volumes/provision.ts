import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import type { LocalClient } from '../../rest/index.js';
import { classOf } from '../../kinds/index.js';
import { maybe, text, texts } from '../../resources/index.js';
import {
  BINDER,
  CSI_DRIVER,
  PROVISIONED_BY,
  SIMULATED,
  storageClassOf,
  VOLUMES,
  sizeOf,
} from '../../scheduler/index.js';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../model/resources/index.js';

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const PROVISIONER_ANNOTATIONS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
];

/** Asks the class's provisioner for a volume; where that is our own, makes one. */
export async function provision(client: LocalClient, claim: KubeObject): Promise<void> {
  const { namespace = '', name = '' } = claim.metadata;
  const storageClass = storageClassOf(client, claim);
  if (!storageClass) {
    client.event(
      claim,
      'Warning',
      'ProvisioningFailed',
      `storageclass.storage.k8s.io ${JSON.stringify(classOf(claim))} not found`,
      BINDER,
    );
    return;
  }
  const provisioner = text(storageClass, 'provisioner');
  if (provisioner === NO_PROVISIONER) return;
  const isNew = claim.metadata.annotations?.[PROVISIONER_ANNOTATIONS[1] ?? ''] !== provisioner;
  if (isNew) {
    await client.edit(PERSISTENT_VOLUME_CLAIMS, namespace, name, (copy) => {
      copy.metadata.annotations = {
        ...copy.metadata.annotations,
        ...Object.fromEntries(PROVISIONER_ANNOTATIONS.map((key) => [key, provisioner])),
      };
    });
    client.event(
      claim,
      'Normal',
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually ` +
        'by the system administrator. If volume creation is delayed, please verify that the provisioner is ' +
        'running and correctly registered.',
      BINDER,
    );
  }
  if (provisioner === SIMULATED) await createVolume(client, claim, storageClass);
}

async function createVolume(client: LocalClient, claim: KubeObject, storageClass: KubeObject): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata;
  const volume = `pvc-${uid}`;
  if (client.get(VOLUMES, '', volume)) return;
  const source = `${SIMULATED}_provisioner`;
  client.event(
    claim,
    'Normal',
    'Provisioning',
    `External provisioner is provisioning volume for claim "${namespace}/${name}"`,
    source,
  );
  const options = texts(storageClass, 'mountOptions');
  try {
    await client.create(VOLUMES, {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name: volume, annotations: { [PROVISIONED_BY]: SIMULATED } },
      spec: {
        capacity: { storage: sizeOf(claim) },
        accessModes: texts(maybe(claim, 'spec'), 'accessModes'),
        storageClassName: classOf(claim),
        persistentVolumeReclaimPolicy: text(storageClass, 'reclaimPolicy') || 'Delete',
        volumeMode: text(maybe(claim, 'spec'), 'volumeMode') || 'Filesystem',
        claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid, apiVersion: 'v1', resourceVersion },
        csi: { driver: CSI_DRIVER, volumeHandle: volume },
        ...(options.length === 0 ? {} : { mountOptions: options }),
      },
    });
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return;
    throw error;
  }
  client.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume}`, source);
}
