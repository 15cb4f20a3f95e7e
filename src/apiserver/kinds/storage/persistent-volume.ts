import { clone, equal, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkAccessModes, checkPositiveQuantity, VOLUME_MODES } from '../validation/claim-spec.js';
import {
  AGE,
  column,
  NAME,
  wide,
  ensure,
  fill,
  has,
  maybe,
  sub,
  text,
  texts,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { subdomain } from '../validation/name-rules.js';
import { accessModesText, classOf } from './persistent-volume-claim.js';
import { checkNodeSelector } from '../pod/scheduling.js';
import { checkDriverName, checkNoBacksteps } from '../pod/volumes.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { quantities, quantityText } from '../validation/resource-lists.js';
import { structDiff } from '../validation/struct-diff.js';

type Check = (to: FieldErrors, source: JsonObject, field: string) => void;
const needs =
  (...keys: string[]): Check =>
  (to, source, field) =>
    to.needs(source, field, ...keys);

const SOURCES: readonly (readonly [string, Check])[] = [
  [
    'hostPath',
    (to, source, field) => {
      const path = text(source, 'path');
      if (path === '') return to.required(`${field}.path`);
      checkNoBacksteps(to, `${field}.path`, path);
      to.oneOf(source, field, 'type', [
        '',
        'BlockDevice',
        'CharDevice',
        'Directory',
        'DirectoryOrCreate',
        'File',
        'FileOrCreate',
        'Socket',
      ]);
    },
  ],
  ['gcePersistentDisk', needs('pdName')],
  ['awsElasticBlockStore', needs('volumeID')],
  ['glusterfs', needs('endpoints', 'path')],
  ['flocker', () => undefined],
  [
    'nfs',
    (to, source, field) => {
      to.needs(source, field, 'server', 'path');
      if (!text(source, 'path').startsWith('/'))
        to.invalid(`${field}.path`, text(source, 'path'), 'must be an absolute path');
    },
  ],
  ['rbd', needs('image')],
  ['quobyte', needs('registry', 'volume')],
  ['cephfs', () => undefined],
  ['iscsi', needs('targetPortal', 'iqn')],
  ['cinder', needs('volumeID')],
  ['fc', () => undefined],
  ['flexVolume', needs('driver')],
  ['azureFile', needs('secretName', 'shareName')],
  ['vsphereVolume', needs('volumePath')],
  ['photonPersistentDisk', needs('pdID')],
  ['portworxVolume', needs('volumeID')],
  ['azureDisk', needs('diskName', 'diskURI')],
  ['scaleIO', needs('gateway', 'system', 'volumeName')],
  [
    'local',
    (to, source, field) => {
      const path = text(source, 'path');
      if (path === '') return to.required(`${field}.path`);
      checkNoBacksteps(to, `${field}.path`, path);
    },
  ],
  ['storageos', () => undefined],
  [
    'csi',
    (to, source, field) => {
      checkDriverName(to, `${field}.driver`, text(source, 'driver'));
      to.needs(source, field, 'volumeHandle');
    },
  ],
];

const RECYCLE_WARNING =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended ' +
  'approach is to use dynamic provisioning.';

export const PERSISTENT_VOLUME = kind({
  columns: [
    NAME,
    column('Capacity', (volume) => quantityText(sub(volume, 'spec.capacity'), 'storage') ?? '0'),
    column('Access Modes', (volume) => accessModesText(texts(maybe(volume, 'spec'), 'accessModes'))),
    column('Reclaim Policy', (volume) => text(maybe(volume, 'spec'), 'persistentVolumeReclaimPolicy')),
    column('Status', (volume) =>
      has(volume.metadata, 'deletionTimestamp') ? 'Terminating' : text(maybe(volume, 'status'), 'phase'),
    ),
    column('Claim', (volume) => {
      const claim = maybe(volume, 'spec.claimRef');
      return claim === undefined ? '' : `${text(claim, 'namespace')}/${text(claim, 'name')}`;
    }),
    column('StorageClass', classOf),
    column('VolumeAttributesClass', (volume) => text(maybe(volume, 'spec'), 'volumeAttributesClassName') || '<unset>'),
    column('Reason', (volume) => text(maybe(volume, 'status'), 'reason')),
    AGE,
    wide('VolumeMode', (volume) => text(maybe(volume, 'spec'), 'volumeMode') || '<unset>'),
  ],
  strategy: {
    warnings: (volume) =>
      text(sub(volume, 'spec'), 'persistentVolumeReclaimPolicy') === 'Recycle' ? [RECYCLE_WARNING] : [],
    defaults(volume) {
      const spec = ensure(volume, 'spec');
      fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
      fill(ensure(volume, 'status'), { phase: 'Pending' });
      const hostPath = maybe(spec, 'hostPath');
      if (hostPath !== undefined && !has(hostPath, 'type')) hostPath.type = '';
    },
    prepareCreate(volume) {
      const created = volume.metadata.creationTimestamp;
      volume.status = {
        phase: 'Pending',
        ...(typeof created === 'string' ? { lastPhaseTransitionTime: created } : {}),
      };
    },
    prepareUpdate: keepStatus,
    validate: (volume) => collectFieldErrors((to) => check(to, sub(volume, 'spec'))),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        check(to, sub(next, 'spec'));
        checkUpdate(to, next, previous);
      }),
  },
});

function check(to: FieldErrors, spec: JsonObject): void {
  if (texts(spec, 'accessModes').length === 0) to.required('spec.accessModes');
  checkAccessModes(to, spec, 'spec');
  const capacity = quantities(spec, 'capacity');
  if (capacity.length === 0) to.required('spec.capacity');
  if (capacity.length > 1 || !has(sub(spec, 'capacity'), 'storage'))
    to.unsupported('spec.capacity', own(spec, 'capacity') ?? null, ['storage']);
  for (const [name, amount] of capacity) checkPositiveQuantity(to, `spec.capacity[${name}]`, amount);
  to.oneOf(spec, 'spec', 'persistentVolumeReclaimPolicy', ['Delete', 'Recycle', 'Retain']);
  checkNodeAffinity(to, spec);
  checkSource(to, spec);
  const className = text(spec, 'storageClassName');
  if (className !== '') to.invalidEach('spec.storageClassName', className, subdomain(className));
  to.oneOf(spec, 'spec', 'volumeMode', VOLUME_MODES);
  if (!has(spec, 'volumeAttributesClassName')) return;
  const attributes = text(spec, 'volumeAttributesClassName');
  if (attributes === '') to.required('spec.volumeAttributesClassName', 'an empty string is disallowed');
  else to.invalidEach('spec.volumeAttributesClassName', attributes, subdomain(attributes));
  if (!has(spec, 'csi')) to.required('spec.csi', 'has to be specified when using volumeAttributesClassName');
}

function checkNodeAffinity(to: FieldErrors, spec: JsonObject): void {
  const affinity = maybe(spec, 'nodeAffinity');
  if (affinity === undefined) return;
  const required = maybe(affinity, 'required');
  if (required === undefined) to.required('spec.nodeAffinity.required', 'must specify required node constraints');
  else checkNodeSelector(to, required, 'spec.nodeAffinity.required');
}

function checkSource(to: FieldErrors, spec: JsonObject): void {
  let found = 0;
  for (const [name, checkFields] of SOURCES) {
    const source = maybe(spec, name);
    if (source === undefined) continue;
    if (found++ > 0) to.forbidden(`spec.${name}`, 'may not specify more than 1 volume type');
    else checkFields(to, source, `spec.${name}`);
    if (name === 'local' && !has(spec, 'nodeAffinity'))
      to.required('spec.nodeAffinity', 'Local volume requires node affinity');
  }
  if (found === 0) to.required('spec', 'must specify a volume type');
  if (
    text(maybe(spec, 'hostPath'), 'path').replace(/(?<!\/)\/+$/, '') === '' &&
    has(spec, 'hostPath') &&
    text(spec, 'persistentVolumeReclaimPolicy') === 'Recycle'
  ) {
    to.forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'");
  }
}

function sourceOf(spec: JsonObject): JsonObject {
  const source: JsonObject = {};
  for (const [name] of SOURCES) if (has(spec, name)) put(source, name, clone(own(spec, name) as Json));
  return source;
}

function checkUpdate(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const [now, before] = [sourceOf(sub(next, 'spec')), sourceOf(sub(previous, 'spec'))];
  const csi = maybe(now, 'csi');
  if (csi !== undefined && has(before, 'csi') && !has(sub(before, 'csi'), 'controllerExpandSecretRef'))
    csi.controllerExpandSecretRef = undefined;
  if (!equal(now, before)) {
    const diff = structDiff(before, now, 'core.PersistentVolumeSource');
    to.forbidden('spec.persistentvolumesource', `spec.persistentvolumesource is immutable after creation\n${diff}`);
  }
  const mode = own(sub(next, 'spec'), 'volumeMode');
  if (mode !== own(sub(previous, 'spec'), 'volumeMode')) to.invalid('volumeMode', mode ?? null, IMMUTABLE);
  if (
    has(sub(previous, 'spec'), 'nodeAffinity') &&
    !equal(own(sub(next, 'spec'), 'nodeAffinity'), own(sub(previous, 'spec'), 'nodeAffinity'))
  ) {
    to.invalid('nodeAffinity', own(sub(next, 'spec'), 'nodeAffinity') ?? null, IMMUTABLE);
  }
}
