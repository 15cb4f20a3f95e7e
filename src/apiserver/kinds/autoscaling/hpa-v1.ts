import { own, clone, drop, parseJson, put, writeJson, type Json, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ensure, has, items, maybe, number, sub, text, type Conversion } from '../../resources/index.js';

/** What v1 has no fields for travels in annotations, as the real server writes them. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

export const HPA_V1: Conversion = { version: 'v1', apiVersion: 'autoscaling/v1', toStored: fromV1, fromStored: toV1 };

function isCpuShare(metric: JsonObject): boolean {
  return (
    text(metric, 'type') === 'Resource' &&
    text(maybe(metric, 'resource'), 'name') === 'cpu' &&
    has(sub(metric, 'resource.target'), 'averageUtilization')
  );
}

function cpuShare(utilization: number): JsonObject {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } },
  };
}

function readAnnotation(object: KubeObject, key: string): Json {
  const value = text(sub(object.metadata, 'annotations'), key);
  if (value === '') return null;
  try {
    return parseJson(value);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function fromV1(source: KubeObject): KubeObject {
  const object = clone(source);
  const spec = ensure(object, 'spec');
  const status = ensure(object, 'status');
  const [metrics, current] = [readAnnotation(object, METRICS), readAnnotation(object, CURRENT)];
  const [conditions, behavior] = [readAnnotation(object, CONDITIONS), readAnnotation(object, BEHAVIOR)];
  const target = number(spec, 'targetCPUUtilizationPercentage');
  const list = [
    ...(target === undefined ? [] : [cpuShare(target)]),
    ...(Array.isArray(metrics) ? metrics.map((metric) => metricFromV1(metric as JsonObject)) : []),
  ];
  if (list.length > 0) spec.metrics = list;
  drop(spec, 'targetCPUUtilizationPercentage');
  const used = number(status, 'currentCPUUtilizationPercentage');
  const found = [
    ...(used === undefined || Array.isArray(current)
      ? []
      : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: used } } }]),
    ...(Array.isArray(current) ? current.map((metric) => statusFromV1(metric as JsonObject)) : []),
  ];
  status.currentMetrics = found.length > 0 ? found : null;
  if (own(status, 'currentReplicas') === 0) drop(status, 'currentReplicas');
  if (Array.isArray(conditions)) status.conditions = conditions;
  if (behavior !== null && !Array.isArray(behavior)) spec.behavior = behavior;
  drop(status, 'currentCPUUtilizationPercentage');
  for (const key of [METRICS, CURRENT, CONDITIONS, BEHAVIOR]) drop(sub(object.metadata, 'annotations'), key);
  return { ...object, apiVersion: 'autoscaling/v2' };
}

function toV1(source: KubeObject): KubeObject {
  const object = clone(source);
  const spec = ensure(object, 'spec');
  const status = ensure(object, 'status');
  const [cpu, others] = firstCpu(items(spec, 'metrics'), isCpuShare);
  if (cpu !== undefined)
    spec.targetCPUUtilizationPercentage = number(maybe(cpu, 'resource.target'), 'averageUtilization');
  const current = items(status, 'currentMetrics');
  const used = current.find(
    (metric) =>
      text(maybe(metric, 'resource'), 'name') === 'cpu' && has(sub(metric, 'resource.current'), 'averageUtilization'),
  );
  if (used !== undefined)
    status.currentCPUUtilizationPercentage = number(maybe(used, 'resource.current'), 'averageUtilization');
  const annotate = (key: string, value: Json): void =>
    put(ensure(object.metadata, 'annotations'), key, writeJson(value));
  if (others.length > 0) annotate(METRICS, others.map(metricToV1));
  if (current.length > 0) annotate(CURRENT, current.map(statusToV1));
  if (items(status, 'conditions').length > 0) annotate(CONDITIONS, status.conditions ?? []);
  if (has(spec, 'behavior')) annotate(BEHAVIOR, behaviorToV1(sub(spec, 'behavior')));
  for (const key of ['metrics', 'behavior']) drop(spec, key);
  for (const key of ['currentMetrics', 'conditions']) drop(status, key);
  if (!has(status, 'currentReplicas')) status.currentReplicas = 0;
  return { ...object, apiVersion: 'autoscaling/v1' };
}

function firstCpu(
  metrics: readonly JsonObject[],
  isCpu: (metric: JsonObject) => boolean,
): [JsonObject | undefined, JsonObject[]] {
  const index = metrics.findIndex(isCpu);
  return index < 0 ? [undefined, [...metrics]] : [metrics[index], metrics.filter((_, at) => at !== index)];
}

/** v1 spells a metric's target as separate fields: `targetAverageValue` and the like. */
function metricToV1(metric: JsonObject): Json {
  const type = text(metric, 'type');
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const source = sub(metric, name);
  const target = sub(source, 'target');
  const flat: JsonObject =
    name === 'object'
      ? {
          target: source.describedObject ?? {},
          metricName: text(maybe(source, 'metric'), 'name'),
          targetValue: target.value ?? '0',
        }
      : { ...(has(source, 'name') ? { name: source.name } : { metricName: text(maybe(source, 'metric'), 'name') }) };
  if (has(sub(source, 'metric'), 'selector'))
    put(flat, name === 'external' ? 'metricSelector' : 'selector', sub(source, 'metric').selector);
  if (has(target, 'averageUtilization')) flat.targetAverageUtilization = target.averageUtilization;
  if (has(target, 'averageValue'))
    put(flat, name === 'object' ? 'averageValue' : 'targetAverageValue', target.averageValue);
  if (name === 'external' && has(target, 'value')) flat.targetValue = target.value;
  if (has(source, 'container')) flat.container = source.container;
  return { type, [name]: flat };
}

function metricFromV1(metric: JsonObject): Json {
  const type = text(metric, 'type');
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const flat = sub(metric, name);
  const average = flat.targetAverageValue ?? (name === 'object' ? flat.averageValue : undefined);
  const valueType = average === undefined ? 'Value' : 'AverageValue';
  const target: JsonObject = {
    type: has(flat, 'targetAverageUtilization') ? 'Utilization' : valueType,
    ...(has(flat, 'targetValue') && (average === undefined || name === 'object') ? { value: flat.targetValue } : {}),
    ...(average === undefined ? {} : { averageValue: average }),
    ...(has(flat, 'targetAverageUtilization') ? { averageUtilization: flat.targetAverageUtilization } : {}),
  };
  const selector = flat.metricSelector ?? flat.selector;
  const identity: JsonObject = has(flat, 'name')
    ? { name: flat.name }
    : { metric: { name: text(flat, 'metricName'), ...(selector === undefined ? {} : { selector }) } };
  const described = name === 'object' ? { describedObject: flat.target } : {};
  return {
    type,
    [name]: { ...described, ...identity, ...(has(flat, 'container') ? { container: flat.container } : {}), target },
  };
}

function statusToV1(metric: JsonObject): Json {
  const type = text(metric, 'type');
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const source = sub(metric, name);
  const current = sub(source, 'current');
  const identity: JsonObject = has(source, 'name')
    ? { name: source.name }
    : { metricName: text(maybe(source, 'metric'), 'name') };
  const flat: JsonObject = {
    ...(name === 'object' ? { target: source.describedObject } : {}),
    ...identity,
    ...(has(current, 'averageUtilization') ? { currentAverageUtilization: current.averageUtilization } : {}),
    ...(has(current, 'averageValue') ? { currentAverageValue: current.averageValue } : {}),
    ...(has(current, 'value') ? { currentValue: current.value } : {}),
  };
  return { type, [name]: flat };
}

function statusFromV1(metric: JsonObject): Json {
  const type = text(metric, 'type');
  const name = type.charAt(0).toLowerCase() + type.slice(1);
  const flat = sub(metric, name);
  const current: JsonObject = {
    ...(has(flat, 'currentAverageUtilization') ? { averageUtilization: flat.currentAverageUtilization } : {}),
    ...(has(flat, 'currentAverageValue') ? { averageValue: flat.currentAverageValue } : {}),
    ...(has(flat, 'currentValue') ? { value: flat.currentValue } : {}),
  };
  const identity: JsonObject = has(flat, 'name') ? { name: flat.name } : { metric: { name: text(flat, 'metricName') } };
  return { type, [name]: { ...(name === 'object' ? { describedObject: flat.target } : {}), ...identity, current } };
}

/** The annotation holds the internal struct, whose fields have Go names. */
function behaviorToV1(behavior: JsonObject): Json {
  const rules = (key: string): Json => {
    const found = maybe(behavior, key);
    if (found === undefined) return null;
    return {
      StabilizationWindowSeconds: found.stabilizationWindowSeconds ?? null,
      SelectPolicy: found.selectPolicy ?? null,
      Policies: items(found, 'policies').map((policy) => ({
        Type: policy.type ?? '',
        Value: policy.value ?? 0,
        PeriodSeconds: policy.periodSeconds ?? 0,
      })),
      Tolerance: found.tolerance ?? null,
    };
  };
  return { ScaleUp: rules('scaleUp'), ScaleDown: rules('scaleDown') };
}
