import { clone, drop, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { FieldError } from '../../errors/index.js';
import {
  type Column,
  column,
  since,
  wide,
  count,
  has,
  maybe,
  sub,
  text,
  kind,
  type Conversion,
} from '../../resources/index.js';
import { qualifiedName } from '../validation/name-rules.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

/** Names of one field in events.k8s.io and in the core group, where events are stored. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
];
const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

function rename(source: KubeObject, apiVersion: string, names: readonly (readonly [string, string])[]): KubeObject {
  const object = clone(source);
  for (const [from, to] of names) {
    const value = own(object, from);
    drop(object, from);
    if (value !== undefined) put(object, to, value);
  }
  return { ...object, apiVersion };
}

const TO_CORE: Conversion = {
  version: 'v1',
  apiVersion: 'events.k8s.io/v1',
  toStored: (object) => rename(object, 'v1', RENAMED),
  fromStored: (object) =>
    withoutEmptyReporter(
      rename(
        object,
        'events.k8s.io/v1',
        RENAMED.map(([from, to]) => [to, from]),
      ),
    ),
};

/** This version omits an empty reporter. */
function withoutEmptyReporter(object: KubeObject): KubeObject {
  for (const field of ['reportingController', 'reportingInstance']) if (own(object, field) === '') drop(object, field);
  return object;
}

function firstSeen(event: KubeObject, now: Date): string {
  return since(own(event, 'firstTimestamp') ?? own(event, 'eventTime'), now);
}

function lastSeen(event: KubeObject, now: Date): string {
  const series = maybe(event, 'series');
  if (series !== undefined) return since(own(series, 'lastObservedTime'), now);
  return has(event, 'lastTimestamp') ? since(own(event, 'lastTimestamp'), now) : firstSeen(event, now);
}

function target(event: KubeObject): string {
  const object = sub(event, 'involvedObject');
  const [of, name] = [text(object, 'kind').toLowerCase(), text(object, 'name')];
  return name === '' ? of : `${of}/${name}`;
}

const COLUMNS: readonly Column[] = [
  column('Last Seen', lastSeen),
  column('Type', (event) => text(event, 'type')),
  column('Reason', (event) => text(event, 'reason')),
  column('Object', target),
  wide('Subobject', (event) => text(maybe(event, 'involvedObject'), 'fieldPath')),
  wide('Source', (event) => {
    const component = text(maybe(event, 'source'), 'component') || text(event, 'reportingComponent');
    const instance = text(maybe(event, 'source'), 'host') || text(event, 'reportingInstance');
    return instance === '' ? component : `${component}, ${instance}`;
  }),
  column('Message', (event) => text(event, 'message').trim()),
  wide('First Seen', firstSeen),
  wide('Count', (event) =>
    has(event, 'series') ? count(maybe(event, 'series'), 'count') : count(event, 'count') || 1,
  ),
  { ...wide('Name', (event) => event.metadata.name ?? ''), format: 'name' },
];

export const CORE_EVENT = kind({
  columns: COLUMNS,
  fields: {
    ...Object.fromEntries(REFERENCE.map((key) => [`involvedObject.${key}`, ''])),
    reason: '',
    reportingComponent: '',
    type: '',
  },
  readers: { source: (event) => text(maybe(event, 'source'), 'component') || text(event, 'reportingComponent') },
  strategy: {
    nameRule: 'path',
    validate: (event) => collectFieldErrors((to) => checkCommon(to, event, 'reportingComponent')),
    validateUpdate: (next) => collectFieldErrors((to) => checkCommon(to, next, 'reportingComponent')),
  },
});

/** Strategy and columns speak of the stored form, as for every kind with a conversion. */
export const EVENT = kind({
  columns: COLUMNS,
  fields: {
    ...Object.fromEntries(REFERENCE.map((key) => [`regarding.${key}`, ''])),
    reason: '',
    reportingController: '',
    type: '',
  },
  conversion: TO_CORE,
  strategy: {
    validate: (event) =>
      collectFieldErrors((to) => {
        checkCommon(to, event, 'reportingController');
        checkNew(to, event);
      }),
    validateUpdate: checkEventUpdate,
  },
});

function checkCommon(to: FieldErrors, event: KubeObject, controllerField: string): void {
  const namespace = event.metadata.namespace ?? '';
  const about = text(maybe(event, 'involvedObject'), 'namespace');
  const timed = has(event, 'eventTime');
  const home = timed ? ['default', 'kube-system'] : ['', 'default'];
  const fits = about === '' ? home.includes(namespace) : timed || about === namespace;
  if (!fits) to.invalid('involvedObject.namespace', about, 'does not match event.namespace');
  if (!timed) return;
  const controller = text(event, 'reportingComponent');
  if (controller === '') to.required(controllerField);
  to.invalidEach(controllerField, controller, qualifiedName(controller));
  for (const key of ['reportingInstance', 'action', 'reason']) {
    if (text(event, key) === '') to.required(key);
    if (text(event, key).length > 128) to.invalid(key, '', 'can have at most 128 characters');
  }
  if (text(event, 'message').length > 1024) to.invalid('message', '', 'can have at most 1024 characters');
}

function checkSeries(to: FieldErrors, event: KubeObject): void {
  const series = maybe(event, 'series');
  if (series === undefined) return;
  if (count(series, 'count') < 2) to.invalid('series.count', '', 'should be at least 2');
  if (!has(series, 'lastObservedTime')) to.required('series.lastObservedTime');
}

function checkNew(to: FieldErrors, event: KubeObject): void {
  checkSeries(to, event);
  if (!has(event, 'eventTime')) to.required('eventTime');
  const type = text(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') to.invalid('type', '', `has invalid value: ${type}`);
  for (const key of ['firstTimestamp', 'lastTimestamp']) if (has(event, key)) to.invalid(key, '', 'needs to be unset');
  if (count(event, 'count') !== 0) to.invalid('count', '', 'needs to be unset');
  const source = sub(event, 'source');
  if (text(source, 'component') !== '' || text(source, 'host') !== '') to.invalid('source', '', 'needs to be unset');
}

function checkEventUpdate(next: KubeObject, previous: KubeObject): FieldError[] {
  return collectFieldErrors((to) => {
    checkCommon(to, next, 'reportingController');
    if (!equal(own(next, 'series'), own(previous, 'series'))) checkSeries(to, next);
    const keep = (key: string, path = key): void => {
      const value: JsonObject[string] = own(next, key);
      if (!equal(value, own(previous, key))) to.invalid(path, value ?? null, IMMUTABLE);
    };
    for (const key of [
      'involvedObject',
      'reason',
      'message',
      'source',
      'firstTimestamp',
      'lastTimestamp',
      'count',
      'reason',
      'type',
      'eventTime',
      'action',
      'related',
    ])
      keep(key);
    keep('reportingComponent', 'reportingController');
    keep('reportingInstance');
  });
}
