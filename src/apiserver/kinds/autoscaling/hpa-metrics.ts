import type { JsonObject } from '../../../model/json/index.js';
import { count, has, items, maybe, number, sub, text } from '../../resources/index.js';
import { dnsLabel, pathSegment } from '../validation/name-rules.js';
import { compareQuantities } from '../validation/quantities.js';
import type { FieldErrors } from '../validation/field-errors.js';
import { checkContainerResourceName, quantityText } from '../validation/resource-lists.js';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const FIELD_OF: Readonly<Record<string, string>> = {
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
  External: 'external',
  ContainerResource: 'containerResource',
};

type Check = (to: FieldErrors, source: JsonObject, field: string) => void;

/** The required fields of each metric source, in the order in which the real server checks them. */
const SOURCES: readonly (readonly [string, Check])[] = [
  [
    'object',
    (to, source, field) => {
      checkScaleReference(to, sub(source, 'describedObject'), `${field}.describedObject`);
      checkMetric(to, source, field);
      checkTarget(to, source, field);
      if (!hasTarget(source, 'value', 'averageValue'))
        to.required(`${field}.target.averageValue`, 'must set either a target value or averageValue');
    },
  ],
  [
    'external',
    (to, source, field) => {
      checkMetric(to, source, field);
      checkTarget(to, source, field);
      if (!hasTarget(source, 'value', 'averageValue'))
        to.required(`${field}.target.averageValue`, 'must set either a target value for metric or a per-pod target');
      if (has(sub(source, 'target'), 'value') && has(sub(source, 'target'), 'averageValue')) {
        to.forbidden(`${field}.target.value`, 'may not set both a target value for metric and a per-pod target');
      }
    },
  ],
  [
    'pods',
    (to, source, field) => {
      checkMetric(to, source, field);
      checkTarget(to, source, field);
      if (!hasTarget(source, 'averageValue'))
        to.required(`${field}.target.averageValue`, 'must specify a positive target averageValue');
    },
  ],
  [
    'resource',
    (to, source, field) => {
      if (text(source, 'name') === '') to.required(`${field}.name`, 'must specify a resource name');
      checkResourceTarget(to, source, field);
    },
  ],
  [
    'containerResource',
    (to, source, field) => {
      if (text(source, 'name') === '') to.required(`${field}.name`, 'must specify a resource name');
      else checkContainerResourceName(to, text(source, 'name'), `${field}.name`);
      if (text(source, 'container') === '') to.required(`${field}.container`, 'must specify a container');
      else to.invalidEach(`${field}.container`, text(source, 'container'), dnsLabel(text(source, 'container')));
      checkResourceTarget(to, source, field);
    },
  ],
];

export function checkMetrics(to: FieldErrors, spec: JsonObject, field: string): void {
  const metrics = items(spec, 'metrics');
  metrics.forEach((metric, index) => checkMetricSpec(to, metric, `${field}[${index}]`));
  if (
    number(spec, 'minReplicas') === 0 &&
    !metrics.some((metric) => ['Object', 'External'].includes(text(metric, 'type')))
  ) {
    to.forbidden(field, 'must specify at least one Object or External metric to support scaling to zero replicas');
  }
}

function checkMetricSpec(to: FieldErrors, metric: JsonObject, field: string): void {
  const type = text(metric, 'type');
  const known = TYPES.includes(type);
  if (type === '') to.required(`${field}.type`, 'must specify a metric source type');
  if (!known) to.unsupported(`${field}.type`, type, TYPES);
  const present = SOURCES.filter(([name]) => has(metric, name));
  const first = present[0];
  if (first !== undefined) first[1](to, sub(metric, first[0]), `${field}.${first[0]}`);
  const expected = FIELD_OF[type];
  if (!known || expected === undefined) to.unsupported(`${field}.type`, type, TYPES);
  else if (!has(metric, expected))
    to.required(`${field}.${expected}`, 'must populate information for the given metric source');
  if (present.length === 1) return;
  for (const [name] of present)
    if (name !== expected) to.forbidden(`${field}.${name}`, 'must populate the given metric source only');
}

function hasTarget(source: JsonObject, ...keys: string[]): boolean {
  return keys.some((key) => has(sub(source, 'target'), key));
}

function checkMetric(to: FieldErrors, source: JsonObject, field: string): void {
  const name = text(maybe(source, 'metric'), 'name');
  if (name === '') to.required(`${field}.metric.name`, 'must specify a metric name');
  else to.invalidEach(`${field}.metric.name`, name, pathSegment(name));
}

function checkResourceTarget(to: FieldErrors, source: JsonObject, field: string): void {
  checkTarget(to, source, field);
  const target = sub(source, 'target');
  const [utilization, value] = [has(target, 'averageUtilization'), has(target, 'averageValue')];
  if (!utilization && !value)
    to.required(`${field}.target.averageUtilization`, 'must set either a target raw value or a target utilization');
  if (utilization && value)
    to.forbidden(`${field}.target.averageValue`, 'may not set both a target raw value and a target utilization');
}

function checkTarget(to: FieldErrors, source: JsonObject, field: string): void {
  const target = sub(source, 'target');
  const type = text(target, 'type');
  const path = `${field}.target`;
  if (type === '') to.required(`${path}.type`, 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type))
    to.invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue');
  for (const key of ['value', 'averageValue']) {
    const quantity = quantityText(target, key);
    if (quantity !== undefined && compareQuantities(quantity, '0') <= 0)
      to.invalid(`${path}.${key}`, quantity, 'must be positive');
  }
  const utilization = number(target, 'averageUtilization');
  if (utilization !== undefined && utilization < 1)
    to.invalid(`${path}.averageUtilization`, utilization, 'must be greater than 0');
}

/** What an autoscaler points to. */
export function checkScaleReference(
  to: FieldErrors,
  reference: JsonObject,
  field: string,
  group: 'any' | 'needed' | 'unchecked' = 'any',
): void {
  for (const key of ['kind', 'name']) {
    const value = text(reference, key);
    if (value === '') to.required(`${field}.${key}`);
    else to.invalidEach(`${field}.${key}`, value, pathSegment(value));
  }
  const version = text(reference, 'apiVersion');
  if (group === 'unchecked') return;
  if (group === 'needed' && !version.includes('/'))
    to.invalid(`${field}.apiVersion`, version, 'apiVersion must specify API group');
  else if (version.split('/').length > 2)
    to.invalid(`${field}.apiVersion`, version, `unexpected GroupVersion string: ${version}`);
}

/** The TARGETS cell: two metrics, then how many more. */
export function metricsText(spec: JsonObject, status: JsonObject): string {
  const metrics = items(spec, 'metrics');
  if (metrics.length === 0) return '<none>';
  const current = items(status, 'currentMetrics');
  const printed = metrics.map((metric, index) => metricText(metric, current[index] ?? {}));
  return printed.length > 2 ? `${printed.slice(0, 2).join(', ')} + ${printed.length - 2} more...` : printed.join(', ');
}

function metricText(metric: JsonObject, status: JsonObject): string {
  const name = FIELD_OF[text(metric, 'type')];
  if (name === undefined) return '<unknown type>';
  const target = sub(metric, `${name}.target`);
  const current = maybe(status, `${name}.current`);
  const value = (key: string): string =>
    (current === undefined ? undefined : quantityText(current, key)) ?? '<unknown>';
  const zero = (key: string): string => (current === undefined ? '<unknown>' : (quantityText(current, key) ?? '0'));
  const wanted = (key: string): string => quantityText(target, key) ?? '0';
  if (name === 'pods') return `${zero('averageValue')}/${wanted('averageValue')}`;
  if (name === 'external' || name === 'object') {
    return has(target, 'averageValue')
      ? `${value('averageValue')}/${wanted('averageValue')} (avg)`
      : `${zero('value')}/${wanted('value')}`;
  }
  const resource = text(maybe(metric, name), 'name');
  if (has(target, 'averageValue')) return `${resource}: ${zero('averageValue')}/${wanted('averageValue')}`;
  const used = number(current, 'averageUtilization');
  const share = has(target, 'averageUtilization') ? `${count(target, 'averageUtilization')}%` : '<auto>';
  return `${resource}: ${used === undefined ? '<unknown>' : `${used}%`}/${share}`;
}
