import { equal, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Strategy } from '../resources/index.js';
import { formatCheck } from '../cel/index.js';
import { withCondition } from './accept-names.js';
import { list, object, propertiesOf, readCrd, text } from './crd.js';
import { defaultCrd } from './default-crd.js';
import { validateCrd, validateCrdUpdate } from './validate-crd.js';

const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** How the kind CustomResourceDefinition itself behaves. */
export const CRD_STRATEGY: Strategy = {
  generation: true,
  versionedUpdate: true,
  validatesUpdates: true,
  defaults: defaultCrd,
  prepareCreate(crd) {
    const stored = readCrd(crd).versions.find((version) => version.storage);
    crd['status'] = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: stored === undefined ? null : [stored.name],
    };
  },
  prepareUpdate(next, previous) {
    next['status'] = object(previous['status']);
    const stored = readCrd(next).versions.find((version) => version.storage);
    const kept = list(object(next['status']).storedVersions).map(text);
    if (stored !== undefined && !kept.includes(stored.name))
      next['status'] = { ...object(next['status']), storedVersions: [...kept, stored.name] };
    if (!equal(next['spec'], previous['spec'])) next.metadata.generation = (previous.metadata.generation ?? 0) + 1;
  },
  beginDelete,
  validate: validateCrd,
  validateUpdate: validateCrdUpdate,
  warnings: (crd) =>
    readCrd(crd)
      .versions.flatMap((version) => unknownFormats(version.schema ?? {}))
      .filter((format, index, all) => all.indexOf(format) === index)
      .map((format) => `unrecognized format ${JSON.stringify(format)}`),
};

/**
 * What deleting a CRD does first: a finalizer keeps it until its objects are gone, and a condition says so. The
 * controller that deletes the objects takes the finalizer away.
 */
function beginDelete(crd: KubeObject, current: KubeObject, now: string): void {
  const { metadata } = crd;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(CLEANUP_FINALIZER)) metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
  // The real server marks CRDs by a way of their own, which knows neither grace periods nor generations.
  delete metadata.deletionGracePeriodSeconds;
  if (current.metadata.generation !== undefined) metadata.generation = current.metadata.generation;
  const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  crd['status'] = withCondition(
    object(crd['status']),
    'Terminating',
    { status: 'True', reason: 'InstanceDeletionPending', message },
    now,
  );
}

function unknownFormats(schema: JsonObject): string[] {
  const format = text(schema.format);
  const here = format !== '' && schema.type === 'string' && formatCheck(format) === undefined ? [format] : [];
  const additional = schema.additionalProperties;
  return [
    ...here,
    ...propertiesOf(schema).flatMap(([, property]) => unknownFormats(property)),
    ...(schema.items === undefined ? [] : unknownFormats(object(schema.items))),
    ...(typeof additional === 'object' ? unknownFormats(object(additional)) : []),
    ...[schema.allOf, schema.anyOf, schema.oneOf].flatMap((schemas) =>
      list(schemas).flatMap((item) => unknownFormats(object(item))),
    ),
  ];
}
