import { own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ensure, flag, has, maybe, sub, text } from '../resources/index.js';
import { compareQuantities, quantityText } from '../kinds/index.js';
import type { AdmissionPlugin } from '../rest/index.js';
import { defaultClass } from './default-class.js';
import { isAbout, type HeadLister } from './head-lister.js';
import { admissionForbidden } from './admission-forbidden.js';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** The class of a claim: the old annotation, then the field. */
export function classOfClaim(claim: KubeObject): string {
  return claim.metadata.annotations?.[CLASS_ANNOTATION] ?? text(maybe(claim, 'spec'), 'storageClassName');
}

/** A claim without a class gets the default one; an empty name means that it wants none. */
export function defaultStorageClass(newest: HeadLister): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate(request) {
      const { object, operation } = request;
      if (!object || operation !== 'CREATE' || !isAbout(request, '', 'persistentvolumeclaims')) return;
      const spec = ensure(object, 'spec');
      if (has(spec, 'storageClassName') || object.metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
      const found = defaultClass(newest.list(['storage.k8s.io', 'storageclasses']), DEFAULT_CLASS);
      if (found) spec.storageClassName = found.metadata.name;
    },
  };
}

const PROTECTION: Readonly<Record<string, string>> = {
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Claims and volumes stay until nothing uses them. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, type, subresource, object }) {
    if (
      operation !== 'CREATE' ||
      !object ||
      subresource !== '' ||
      (type.group !== '' && type.group !== 'storage.k8s.io')
    )
      return;
    const finalizer = PROTECTION[`${type.group}/${type.plural}`];
    if (finalizer === undefined || object.metadata.finalizers?.includes(finalizer) === true) return;
    object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  },
};

/** A claim grows only where its class can do that. */
export function persistentVolumeClaimResize(newest: HeadLister): AdmissionPlugin {
  const canGrow = (claim: KubeObject, before: KubeObject): boolean => {
    const name = classOfClaim(claim);
    if (name === '' || name !== classOfClaim(before)) return false;
    return flag(newest.get(['storage.k8s.io', 'storageclasses'], '', name), 'allowVolumeExpansion');
  };
  return {
    name: 'PersistentVolumeClaimResize',
    validate(request) {
      const { object, old, operation } = request;
      if (operation !== 'UPDATE' || !object || !old || !isAbout(request, '', 'persistentvolumeclaims')) return;
      const size = (claim: KubeObject): string => quantityText(sub(claim, 'spec.resources.requests'), 'storage') ?? '0';
      if (compareQuantities(size(object), size(old)) <= 0) return;
      if (own(sub(old, 'status'), 'phase') !== 'Bound')
        throw admissionForbidden(request, 'Only bound persistent volume claims can be expanded');
      if (!canGrow(object, old))
        throw admissionForbidden(
          request,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc ' +
            'must support resize',
        );
    },
  };
}
