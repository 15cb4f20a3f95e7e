import { clone, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkClaimSpec } from '../validation/claim-spec.js';
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
import { compareQuantities } from '../validation/quantities.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { quantityText } from '../validation/resource-lists.js';
import { structDiff } from '../validation/struct-diff.js';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const SHORT: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** `RWO,ROX`, always in this order. */
export function accessModesText(modes: readonly string[]): string {
  return SHORT.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The class of a volume or claim; old objects name it in an annotation. */
export function classOf(object: KubeObject): string {
  const annotation = text(sub(object.metadata, 'annotations'), BETA_CLASS);
  return annotation !== '' ? annotation : text(maybe(object, 'spec'), 'storageClassName');
}

export const PERSISTENT_VOLUME_CLAIM = kind({
  columns: [
    NAME,
    column('Status', (claim) =>
      has(claim.metadata, 'deletionTimestamp') ? 'Terminating' : text(maybe(claim, 'status'), 'phase'),
    ),
    column('Volume', (claim) => text(maybe(claim, 'spec'), 'volumeName')),
    column('Capacity', (claim) =>
      isAssigned(claim) ? (quantityText(sub(claim, 'status.capacity'), 'storage') ?? '0') : '',
    ),
    column('Access Modes', (claim) =>
      isAssigned(claim) ? accessModesText(texts(maybe(claim, 'status'), 'accessModes')) : '',
    ),
    column('StorageClass', classOf),
    column('VolumeAttributesClass', (claim) => text(maybe(claim, 'spec'), 'volumeAttributesClassName') || '<unset>'),
    AGE,
    wide('VolumeMode', (claim) => text(maybe(claim, 'spec'), 'volumeMode') || '<unset>'),
  ],
  strategy: {
    defaults(claim) {
      const spec = ensure(claim, 'spec');
      fill(spec, { volumeMode: 'Filesystem' });
      fill(ensure(claim, 'status'), { phase: 'Pending' });
      alignDataSources(spec);
    },
    prepareCreate(claim) {
      claim.status = { phase: 'Pending' };
    },
    prepareUpdate: keepStatus,
    validate: (claim) => collectFieldErrors((to) => checkClaimSpec(to, sub(claim, 'spec'), 'spec')),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkClaimSpec(to, sub(next, 'spec'), 'spec');
        checkUpdate(to, next, previous);
      }),
  },
});

function isAssigned(claim: KubeObject): boolean {
  return text(maybe(claim, 'spec'), 'volumeName') !== '';
}

/** One field was renamed; a client may give either. The old one takes claims and snapshots, and ignores the rest. */
function alignDataSources(spec: JsonObject): void {
  const ref = maybe(spec, 'dataSourceRef');
  const source = maybe(spec, 'dataSource');
  const known = ['/PersistentVolumeClaim', 'snapshot.storage.k8s.io/VolumeSnapshot'].includes(
    `${text(source, 'apiGroup')}/${text(source, 'kind')}`,
  );
  if (ref === undefined && source !== undefined && !known) spec.dataSource = undefined;
  if (has(spec, 'dataSource') && ref === undefined) spec.dataSourceRef = clone(spec.dataSource);
  else if (ref !== undefined && !has(spec, 'dataSource') && text(ref, 'namespace') === '') spec.dataSource = clone(ref);
}

function checkUpdate(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const [now, before] = [clone(sub(next, 'spec')), clone(sub(previous, 'spec'))];
  if (text(before, 'volumeName') === '') before.volumeName = now.volumeName;
  const [annotation, oldAnnotation] = [classAnnotation(next), classAnnotation(previous)];
  if (annotation !== oldAnnotation) to.invalid(`metadata.annotations[${BETA_CLASS}]`, annotation, IMMUTABLE);
  if (
    has(now, 'storageClassName') &&
    !has(before, 'storageClassName') &&
    (oldAnnotation === '' || oldAnnotation === text(now, 'storageClassName'))
  ) {
    now.storageClassName = undefined;
  }
  const [newSize, oldSize] = [storage(next), storage(previous)];
  if (text(maybe(next, 'status'), 'phase') === 'Bound') {
    if (has(sub(now, 'resources'), 'requests')) put(sub(now, 'resources.requests'), 'storage', oldSize);
    now.volumeAttributesClassName = before.volumeAttributesClassName;
  }
  if (!equal(now, before)) {
    to.forbidden(
      'spec',
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound ' +
        `claims\n${structDiff(before, now, 'core.PersistentVolumeClaimSpec')}`,
    );
  }
  const capacity = quantityText(sub(previous, 'status.capacity'), 'storage') ?? '0';
  if (compareQuantities(newSize, oldSize) < 0 && compareQuantities(newSize, capacity) <= 0) {
    to.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
  }
  const mode = own(sub(next, 'spec'), 'volumeMode');
  if (mode !== own(sub(previous, 'spec'), 'volumeMode')) to.invalid('volumeMode', mode ?? null, IMMUTABLE);
}

function classAnnotation(claim: KubeObject): string {
  return text(sub(claim.metadata, 'annotations'), BETA_CLASS);
}

function storage(claim: KubeObject): string {
  return quantityText(sub(claim, 'spec.resources.requests'), 'storage') ?? '0';
}
