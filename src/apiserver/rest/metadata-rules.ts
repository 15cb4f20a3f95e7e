import {
  ANNOTATIONS_SIZE_LIMIT,
  annotationsSize,
  checkAnnotationKey,
  checkFinalizerName,
  checkLabelKey,
  checkLabelValue,
  checkObjectName,
  type KubeObject,
  type ObjectMeta,
} from '../../model/kubernetes/index.js';
import { equal, isArray, isObject, own, type Json } from '../../model/json/index.js';
import { forbiddenField, invalidField, requiredField, tooLongField, type FieldError } from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';

/** Rules on metadata that hold for every kind when an object is created. */
export function validateMetadata(type: ResourceType, object: KubeObject): FieldError[] {
  const { metadata } = object;
  const rule = type.strategy.nameRule ?? 'subdomain';
  const errors: FieldError[] = [];
  if (metadata.generateName !== undefined && metadata.generateName !== '') {
    for (const violation of checkObjectName(metadata.generateName, rule, true))
      errors.push(invalidField('metadata.generateName', metadata.generateName, violation));
  }
  if (metadata.name === undefined || metadata.name === '') {
    errors.push(requiredField('metadata.name', 'name or generateName is required'));
  } else {
    for (const violation of checkObjectName(metadata.name, rule))
      errors.push(invalidField('metadata.name', metadata.name, violation));
  }
  if (type.namespaced) {
    if (metadata.namespace === undefined || metadata.namespace === '') errors.push(requiredField('metadata.namespace'));
    else
      for (const violation of checkObjectName(metadata.namespace, 'label'))
        errors.push(invalidField('metadata.namespace', metadata.namespace, violation));
  } else if (metadata.namespace !== undefined && metadata.namespace !== '') {
    errors.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  }
  return [...errors, ...validateMaps(type, metadata)];
}

/** Rules on metadata when an object changes; server-set fields have been restored before. */
export function validateMetadataUpdate(type: ResourceType, next: KubeObject, previous: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const now = next.metadata;
  const was = previous.metadata;
  if (was.deletionTimestamp !== undefined) errors.push(...newFinalizers(now, was));
  for (const field of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (!equal(own(now, field), own(was, field)))
      errors.push(invalidField(`metadata.${field}`, own(now, field) ?? '', 'field is immutable'));
  }
  return [...validateMaps(type, now), ...errors];
}

function newFinalizers(now: ObjectMeta, was: ObjectMeta): FieldError[] {
  const added = (now.finalizers ?? []).filter((name) => !(was.finalizers ?? []).includes(name));
  if (added.length === 0) return [];
  return [
    forbiddenField(
      'metadata.finalizers',
      'no new finalizers can be added if the object is being deleted, found new finalizers ' +
        `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
    ),
  ];
}

function validateMaps(type: ResourceType, metadata: ObjectMeta): FieldError[] {
  return [
    ...validateAnnotations(metadata.annotations),
    ...validateLabels(metadata.labels, 'metadata.labels'),
    ...validateOwners(metadata),
    ...validateFinalizers(type, metadata),
  ];
}

/** Used for metadata.labels and for the labels of a pod template. */
export function validateLabels(labels: Json | undefined, path: string): FieldError[] {
  if (!isObject(labels)) return [];
  return Object.keys(labels)
    .sort()
    .flatMap((key) => [
      ...checkLabelKey(key).map((violation) => invalidField(path, key, violation)),
      ...checkLabelValue(String(own(labels, key))).map((violation) => invalidField(path, own(labels, key), violation)),
    ]);
}

function validateAnnotations(annotations: Json | undefined): FieldError[] {
  if (!isObject(annotations)) return [];
  const keys = Object.keys(annotations);
  const errors = keys.flatMap((key) =>
    checkAnnotationKey(key).map((violation) => invalidField('metadata.annotations', key, violation)),
  );
  if (annotationsSize(annotations as Record<string, string>) > ANNOTATIONS_SIZE_LIMIT)
    errors.push(tooLongField('metadata.annotations', ANNOTATIONS_SIZE_LIMIT));
  return errors;
}

function validateOwners(metadata: ObjectMeta): FieldError[] {
  const owners = metadata.ownerReferences;
  if (!isArray(owners)) return [];
  const errors: FieldError[] = [];
  let controller: string | undefined;
  owners.forEach((owner) => {
    const path = 'metadata.ownerReferences';
    if (owner.apiVersion === '' || owner.apiVersion.split('/').length > 2)
      errors.push(invalidField(`${path}.apiVersion`, owner.apiVersion, 'version must not be empty'));
    if (owner.kind === '') errors.push(invalidField(`${path}.kind`, owner.kind, 'must not be empty'));
    if (owner.name === '') errors.push(invalidField(`${path}.name`, owner.name, 'must not be empty'));
    if (owner.uid === '') errors.push(invalidField(`${path}.uid`, owner.uid, 'must not be empty'));
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.push(invalidField(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
    if (owner.controller !== true) return;
    if (controller !== undefined) {
      errors.push(
        invalidField(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} ` +
            `and ${owner.kind}/${owner.name}`,
        ),
      );
    }
    controller ??= `${owner.kind}/${owner.name}`;
  });
  return errors;
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Only kinds of Kubernetes itself ask for a domain in the name. */
function finalizerErrors(type: ResourceType, name: string, index: number): FieldError[] {
  const errors = checkFinalizerName(name).map((violation) => invalidField('metadata.finalizers', name, violation));
  if (type.custom || name.includes('/') || STANDARD_FINALIZERS.has(name)) return errors;
  return [
    ...errors,
    invalidField(
      `metadata.finalizers[${index}]`,
      name,
      'name is neither a standard finalizer name nor is it fully qualified',
    ),
  ];
}

function validateFinalizers(type: ResourceType, metadata: ObjectMeta): FieldError[] {
  const names = metadata.finalizers ?? [];
  const errors = names.flatMap((name, index) => finalizerErrors(type, name, index));
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    errors.push(
      invalidField('metadata.finalizers', names, 'finalizer orphan and foregroundDeletion cannot be both set'),
    );
  }
  return errors;
}
