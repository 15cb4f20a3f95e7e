import { equal, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  count,
  fill,
  has,
  items,
  maybe,
  sub,
  text,
  clearStatus,
  keepMetadata,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { dnsLabel, subdomain } from '../validation/name-rules.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

function claimDefaults(devices: JsonObject | undefined): void {
  for (const request of items(devices, 'requests')) {
    const exactly = maybe(request, 'exactly');
    for (const one of [...(exactly === undefined ? [] : [exactly]), ...items(request, 'firstAvailable')]) {
      fill(one, { allocationMode: 'ExactCount' });
      if (one.allocationMode === 'ExactCount' && count(one, 'count') === 0) one.count = 1;
    }
  }
}

function checkDevices(to: FieldErrors, devices: JsonObject, field: string): void {
  const names = new Set<string>();
  items(devices, 'requests').forEach((request, index) => {
    const path = `${field}.requests[${index}]`;
    const name = text(request, 'name');
    if (name === '') to.required(`${path}.name`);
    else to.invalidEach(`${path}.name`, name, dnsLabel(name));
    const exactly = maybe(request, 'exactly');
    const others = items(request, 'firstAvailable');
    others.forEach((one, at) => checkRequest(to, one, `${path}.firstAvailable[${at}]`));
    if (exactly !== undefined) checkRequest(to, exactly, `${path}.exactly`);
    if (exactly === undefined && others.length === 0)
      to.required(path, 'exactly one of `exactly` or `firstAvailable` is required');
    if (exactly !== undefined && others.length > 0)
      to.invalid(path, null, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set');
    if (name !== '' && names.has(name)) to.duplicate(`${path}.name`, name);
    names.add(name);
  });
}

function checkRequest(to: FieldErrors, request: JsonObject, field: string): void {
  const className = text(request, 'deviceClassName');
  if (className === '') to.required(`${field}.deviceClassName`);
  else to.invalidEach(`${field}.deviceClassName`, className, subdomain(className));
  checkSelectors(to, request, `${field}.selectors`);
  const mode = text(request, 'allocationMode');
  const amount = count(request, 'count');
  if (mode === 'All') {
    if (amount !== 0) to.invalid(`${field}.count`, amount, "must not be specified when allocationMode is 'All'");
  } else if (mode === 'ExactCount') to.positive(request, field, 'count');
  else to.unsupported(`${field}.allocationMode`, mode, ['All', 'ExactCount']);
}

/** Presence only; the expressions are not compiled here. */
function checkSelectors(to: FieldErrors, holder: JsonObject, field: string): void {
  const selectors = items(holder, 'selectors');
  if (selectors.length > 32) to.tooMany(field, selectors.length, 32);
  selectors.forEach((selector, index) => {
    if (!has(selector, 'cel')) to.required(`${field}[${index}].cel`);
  });
}

export const RESOURCE_CLAIM = kind({
  columns: [
    NAME,
    column('State', (object) => {
      const deleted = has(object.metadata, 'deletionTimestamp');
      const status = sub(object, 'status');
      if (!has(status, 'allocation')) return deleted ? 'deleted' : 'pending';
      return [
        ...(deleted ? ['deleted'] : []),
        'allocated',
        ...(items(status, 'reservedFor').length > 0 ? ['reserved'] : []),
      ].join(',');
    }),
    AGE,
  ],
  strategy: {
    defaults: (object) => claimDefaults(maybe(object, 'spec.devices')),
    prepareCreate: clearStatus,
    prepareUpdate: keepStatus,
    prepareStatusUpdate: keepMetadata,
    validate: (object) => collectFieldErrors((to) => checkDevices(to, sub(object, 'spec.devices'), 'spec.devices')),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        if (!equal(own(next, 'spec'), own(previous, 'spec'))) to.invalid('spec', own(next, 'spec') ?? null, IMMUTABLE);
        checkDevices(to, sub(next, 'spec.devices'), 'spec.devices');
      }),
  },
});

export const RESOURCE_CLAIM_TEMPLATE = kind({
  columns: [NAME, AGE],
  strategy: {
    defaults: (object) => claimDefaults(maybe(object, 'spec.spec.devices')),
    validate: (object) =>
      collectFieldErrors((to) => checkDevices(to, sub(object, 'spec.spec.devices'), 'spec.spec.devices')),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        if (!equal(own(next, 'spec'), own(previous, 'spec'))) to.invalid('spec', own(next, 'spec') ?? null, IMMUTABLE);
        checkDevices(to, sub(next, 'spec.spec.devices'), 'spec.spec.devices');
      }),
  },
});

export const DEVICE_CLASS = kind({
  columns: [NAME, AGE],
  strategy: {
    generation: true,
    validate: (object) => collectFieldErrors((to) => checkSelectors(to, sub(object, 'spec'), 'spec.selectors')),
    validateUpdate: (next) => collectFieldErrors((to) => checkSelectors(to, sub(next, 'spec'), 'spec.selectors')),
  },
});

export const RESOURCE_SLICE = kind({
  columns: [
    NAME,
    column('Node', (object) => text(maybe(object, 'spec'), 'nodeName')),
    column('Driver', (object) => text(maybe(object, 'spec'), 'driver')),
    column('Pool', (object) => text(maybe(object, 'spec.pool'), 'name')),
    AGE,
  ],
  fields: { 'spec.nodeName': '', 'spec.driver': '' },
  strategy: {
    generation: true,
    validate: (object) => collectFieldErrors((to) => checkSlice(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkSlice(to, next);
        for (const key of ['pool.name', 'driver', 'nodeName']) {
          const [path, leaf] = key.includes('.') ? ['spec.pool', 'name'] : ['spec', key];
          const value = own(sub(next, path), leaf);
          if (!equal(value, own(sub(previous, path), leaf))) to.invalid(`spec.${key}`, value ?? null, IMMUTABLE);
        }
      }),
  },
});

function checkSlice(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const driver = text(spec, 'driver');
  if (driver === '') to.required('spec.driver');
  else to.invalidEach('spec.driver', driver, subdomain(driver.toLowerCase()));
  const pool = text(maybe(spec, 'pool'), 'name');
  if (pool === '') to.required('spec.pool.name');
  else for (const part of pool.split('/')) to.invalidEach('spec.pool.name', part, subdomain(part));
  const names = new Set<string>();
  items(spec, 'devices').forEach((device, index) => {
    const name = text(device, 'name');
    if (name === '') to.required(`spec.devices[${index}].name`);
    else to.invalidEach(`spec.devices[${index}].name`, name, dnsLabel(name));
    if (names.has(name)) to.duplicate(`spec.devices[${index}].name`, name);
    names.add(name);
  });
}
