import { equal, own, type Json, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  ensure,
  fill,
  flag,
  has,
  items,
  maybe,
  number,
  pairs,
  sub,
  text,
  texts,
  keepMetadata,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { checkSelector, formatSelector } from '../validation/label-selectors.js';
import { qualifiedName, subdomain } from '../validation/name-rules.js';
import { checkDriverName } from '../pod/volumes.js';
import { compareQuantities } from '../validation/quantities.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { quantityText } from '../validation/resource-lists.js';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function checkProvisioner(to: FieldErrors, object: KubeObject, key: string): void {
  const value = text(object, key).toLowerCase();
  if (value === '') to.required(key);
  else to.invalidEach(key, value, qualifiedName(value));
}

function checkParameters(to: FieldErrors, object: KubeObject, needed: boolean): void {
  const parameters = pairs(object, 'parameters');
  if (parameters.length > 512) return to.tooLong('parameters', 512);
  if (parameters.some(([key]) => key === '')) to.invalid('parameters', '', 'field can not be empty.');
  const size = parameters.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (size > 256 * 1024) to.tooLong('parameters', 256 * 1024);
  if (needed && parameters.length === 0) to.required('parameters', 'must contain at least one key/value pair');
}

function forbidUpdates(to: FieldErrors, next: KubeObject, previous: KubeObject, ...keys: string[]): void {
  for (const key of keys)
    if (!equal(own(next, key), own(previous, key))) to.forbidden(key, `updates to ${key} are forbidden.`);
}

export const STORAGE_CLASS = kind({
  columns: [
    {
      ...NAME,
      cell: (object) => {
        const isDefault = DEFAULT_CLASS.some((key) => text(sub(object.metadata, 'annotations'), key) === 'true');
        return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
      },
    },
    column('Provisioner', (object) => text(object, 'provisioner')),
    column('ReclaimPolicy', (object) => text(object, 'reclaimPolicy') || 'Delete'),
    column('VolumeBindingMode', (object) => text(object, 'volumeBindingMode') || 'Immediate'),
    column('AllowVolumeExpansion', (object) => flag(object, 'allowVolumeExpansion')),
    AGE,
  ],
  strategy: {
    defaults: (object) => fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
    validate: (object) => collectFieldErrors((to) => checkStorageClass(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkStorageClass(to, next);
        forbidUpdates(to, next, previous, 'parameters', 'provisioner', 'reclaimPolicy');
        if (text(next, 'volumeBindingMode') !== text(previous, 'volumeBindingMode'))
          to.invalid('volumeBindingMode', text(next, 'volumeBindingMode'), IMMUTABLE);
      }),
  },
});

function checkStorageClass(to: FieldErrors, object: KubeObject): void {
  checkProvisioner(to, object, 'provisioner');
  checkParameters(to, object, false);
  const policy = text(object, 'reclaimPolicy');
  if (!['Delete', 'Retain'].includes(policy)) to.unsupported('reclaimPolicy', policy, ['Delete', 'Retain']);
  const mode = text(object, 'volumeBindingMode');
  if (!['Immediate', 'WaitForFirstConsumer'].includes(mode))
    to.unsupported('volumeBindingMode', mode, ['Immediate', 'WaitForFirstConsumer']);
  items(object, 'allowedTopologies').forEach((term, index) => {
    const keys = new Set<string>();
    items(term, 'matchLabelExpressions').forEach((expression, at) => {
      const field = `allowedTopologies[${index}].matchLabelExpressions[${at}]`;
      const values = texts(expression, 'values');
      if (values.length === 0) to.required(`${field}.values`);
      values.forEach((value, position) => {
        if (values.indexOf(value) < position) to.duplicate(`${field}.values[${position}]`, value);
      });
      const key = text(expression, 'key');
      to.invalidEach(`${field}.key`, key, qualifiedName(key));
      if (keys.has(key)) to.duplicate(`${field}.key`, key);
      keys.add(key);
    });
  });
}

export const VOLUME_ATTRIBUTES_CLASS = kind({
  columns: [NAME, column('DriverName', (object) => text(object, 'driverName')), AGE],
  strategy: {
    validate: (object) => collectFieldErrors((to) => checkAttributes(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        forbidUpdates(to, next, previous, 'driverName', 'parameters');
        checkAttributes(to, next);
      }),
  },
});

function checkAttributes(to: FieldErrors, object: KubeObject): void {
  checkProvisioner(to, object, 'driverName');
  checkParameters(to, object, true);
}

export const CSI_DRIVER = kind({
  columns: [
    NAME,
    column('AttachRequired', (object) => own(sub(object, 'spec'), 'attachRequired') !== false, 'boolean'),
    column('PodInfoOnMount', (object) => flag(maybe(object, 'spec'), 'podInfoOnMount'), 'boolean'),
    column('StorageCapacity', (object) => flag(maybe(object, 'spec'), 'storageCapacity'), 'boolean'),
    column('TokenRequests', (object) => {
      const spec = sub(object, 'spec');
      return has(spec, 'tokenRequests')
        ? items(spec, 'tokenRequests')
            .map((request) => text(request, 'audience'))
            .join(',')
        : '<unset>';
    }),
    column('RequiresRepublish', (object) => flag(maybe(object, 'spec'), 'requiresRepublish'), 'boolean'),
    column('Modes', (object) => texts(maybe(object, 'spec'), 'volumeLifecycleModes').join(',') || '<none>'),
    AGE,
  ],
  strategy: {
    defaults(object) {
      const spec = ensure(object, 'spec');
      fill(spec, {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        requiresRepublish: false,
        seLinuxMount: false,
      });
      if (texts(spec, 'volumeLifecycleModes').length === 0) spec.volumeLifecycleModes = ['Persistent'];
    },
    validate: (object) => collectFieldErrors((to) => checkDriver(to, sub(object, 'spec'))),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        const [now, before] = [sub(next, 'spec'), sub(previous, 'spec')];
        checkDriver(to, now);
        for (const [key, printed] of [
          ['attachRequired', 'attachedRequired'],
          ['volumeLifecycleModes', 'volumeLifecycleModes'],
        ] as const) {
          if (!equal(own(now, key), own(before, key))) to.invalid(`spec.${printed}`, own(now, key) ?? null, IMMUTABLE);
        }
      }),
  },
});

function checkDriver(to: FieldErrors, spec: JsonObject): void {
  to.oneOf(spec, 'spec', 'fsGroupPolicy', ['File', 'None', 'ReadWriteOnceWithFSType']);
  const audiences = new Set<string>();
  items(spec, 'tokenRequests').forEach((request, index) => {
    const audience = text(request, 'audience');
    if (audiences.has(audience)) return to.duplicate(`spec.tokenRequests[${index}].audience`, audience);
    audiences.add(audience);
    const seconds = number(request, 'expirationSeconds');
    if (seconds !== undefined && seconds < 600)
      to.invalid(
        `spec.tokenRequests[${index}].expirationSeconds`,
        seconds,
        'may not specify a duration less than 10 minutes',
      );
  });
  for (const mode of texts(spec, 'volumeLifecycleModes')) {
    if (!['Persistent', 'Ephemeral'].includes(mode))
      to.unsupported('spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']);
  }
}

export const CSI_NODE = kind({
  columns: [NAME, column('Drivers', (object) => items(maybe(object, 'spec'), 'drivers').length, 'integer'), AGE],
  strategy: {
    validate: (object) => collectFieldErrors((to) => checkNode(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkNode(to, next);
        const bare = (driver: JsonObject): JsonObject => ({ ...driver, allocatable: undefined });
        for (const old of items(maybe(previous, 'spec'), 'drivers')) {
          const now = items(maybe(next, 'spec'), 'drivers').find(
            (driver) => text(driver, 'name') === text(old, 'name'),
          );
          if (now !== undefined && !equal(bare(now), bare(old)))
            to.invalid('spec.drivers', formatDriver(now), IMMUTABLE);
        }
      }),
  },
});

function formatDriver(driver: JsonObject): Json {
  return {
    Name: text(driver, 'name'),
    NodeID: text(driver, 'nodeID'),
    TopologyKeys: own(driver, 'topologyKeys') ?? null,
    Allocatable: null,
  };
}

function checkNode(to: FieldErrors, object: KubeObject): void {
  const names = new Set<string>();
  items(maybe(object, 'spec'), 'drivers').forEach((driver, index) => {
    const field = `spec.drivers[${index}]`;
    const [name, id] = [text(driver, 'name'), text(driver, 'nodeID')];
    checkDriverName(to, `${field}.name`, name);
    if (id === '') to.required(`${field}.nodeID`);
    if (id.length > 256) to.invalid(`${field}.nodeID`, id, 'must be 256 characters or less');
    to.nonNegative(sub(driver, 'allocatable'), `${field}.allocatable`, 'count');
    if (names.has(name)) to.duplicate(`${field}.name`, name);
    names.add(name);
    const keys = texts(driver, 'topologyKeys');
    keys.forEach((key, at) => {
      if (key === '') to.required(field);
      if (keys.indexOf(key) < at) to.duplicate(field, key);
      to.invalidEach(field, key, qualifiedName(key));
    });
  });
}

export const CSI_STORAGE_CAPACITY = kind({
  strategy: {
    validate: (object) =>
      collectFieldErrors((to) => {
        const topology = maybe(object, 'nodeTopology');
        if (topology !== undefined) checkSelector(to, topology, 'nodeTopology');
        to.invalidEach(
          'storageClassName',
          text(object, 'storageClassName'),
          subdomain(text(object, 'storageClassName')),
        );
        const capacity = quantityText(object, 'capacity') ?? '0';
        if (compareQuantities(capacity, '0') < 0)
          to.invalid('capacity', capacity, 'must be greater than or equal to 0');
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        if (!equal(own(next, 'nodeTopology'), own(previous, 'nodeTopology')))
          to.invalid('nodeTopology', formatSelector(own(next, 'nodeTopology')), IMMUTABLE);
        if (text(next, 'storageClassName') !== text(previous, 'storageClassName'))
          to.invalid('storageClassName', text(next, 'storageClassName'), IMMUTABLE);
      }),
  },
});

export const VOLUME_ATTACHMENT = kind({
  columns: [
    NAME,
    { ...column('Attacher', (object) => text(maybe(object, 'spec'), 'attacher')), format: 'name' },
    column('PV', (object) => text(maybe(object, 'spec.source'), 'persistentVolumeName')),
    column('Node', (object) => text(maybe(object, 'spec'), 'nodeName')),
    column('Attached', (object) => flag(maybe(object, 'status'), 'attached'), 'boolean'),
    AGE,
  ],
  strategy: {
    prepareCreate(object) {
      object.status = { attached: false };
    },
    prepareUpdate: keepStatus,
    prepareStatusUpdate: keepMetadata,
    validate: (object) =>
      collectFieldErrors((to) => {
        checkAttachment(to, sub(object, 'spec'));
        checkDriverName(to, 'spec.attacher', text(maybe(object, 'spec'), 'attacher'));
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkAttachment(to, sub(next, 'spec'));
        if (!equal(own(next, 'spec'), own(previous, 'spec')))
          to.invalid('spec', formatAttachment(sub(next, 'spec')), IMMUTABLE);
      }),
  },
});

function checkAttachment(to: FieldErrors, spec: JsonObject): void {
  to.needs(spec, 'spec', 'attacher');
  const source = sub(spec, 'source');
  const [inline, named] = [has(source, 'inlineVolumeSpec'), has(source, 'persistentVolumeName')];
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline && !named) to.required('spec.source', one);
  else if (inline && named) to.forbidden('spec.source', one);
  else if (named && text(source, 'persistentVolumeName') === '')
    to.required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName');
  to.invalidEach('spec.nodeName', text(spec, 'nodeName'), subdomain(text(spec, 'nodeName')));
}

function formatAttachment(spec: JsonObject): Json {
  const source = sub(spec, 'source');
  return {
    Attacher: text(spec, 'attacher'),
    Source: {
      PersistentVolumeName: own(source, 'persistentVolumeName') ?? null,
      InlineVolumeSpec: own(source, 'inlineVolumeSpec') ?? null,
    },
    NodeName: text(spec, 'nodeName'),
  };
}
