import { isArray, isObject, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import { has } from '../../resources/index.js';
import { GO_SHAPES } from './go-shapes.js';

/** The fields of an object's metadata, in the order of the Go struct. */
const METADATA = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];
/** Internally these live in the security context; in v1 they are fields of the pod spec. */
const MOVED = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

/**
 * A value as the real server prints its internal struct in messages: every field, by its Go name, empty ones included.
 * `type` is a name of GO_SHAPES, perhaps with `*`, `[` or `{` before it.
 */
export function goJson(value: Json | undefined, type: string): Json {
  const rest = type.slice(1);
  switch (type[0]) {
    case '*':
      return value === undefined || value === null ? null : goJson(value, rest);
    case '[':
      return isArray(value) ? value.map((item) => goJson(item, rest)) : null;
    case '{':
      return isObject(value) ? goMap(value, rest) : null;
    default:
      return type.includes('.') ? goStruct(isObject(value) ? value : {}, type) : goScalar(value, type);
  }
}

function goScalar(value: Json | undefined, type: string): Json {
  if (value !== undefined) return value;
  const zero: Record<string, Json> = { s: '', b: false, i: 0, q: '0' };
  return zero[type] ?? null;
}

function goMap(map: JsonObject, type: string): JsonObject {
  const printed: JsonObject = {};
  for (const key of Object.keys(map).sort()) put(printed, key, goJson(own(map, key), type));
  return printed;
}

function goStruct(value: JsonObject, type: string): JsonObject {
  const source = type === 'core.PodSpec' ? withMovedFields(value) : value;
  const printed: JsonObject = {};
  for (const part of (GO_SHAPES[type] ?? '').split(',')) {
    if (part.startsWith('=')) Object.assign(printed, embedded(source, part.slice(1)));
    else {
      const [goName = '', jsonName = '', fieldType = 'j'] = part.split(' ');
      put(printed, goName, goJson(own(source, jsonName), fieldType));
    }
  }
  return printed;
}

function embedded(source: JsonObject, type: string): JsonObject {
  if (type !== 'meta') return goStruct(source, type);
  const metadata = isObject(source.metadata) ? source.metadata : {};
  const printed: JsonObject = {};
  for (const key of METADATA) {
    const value = own(metadata, key);
    if (value !== undefined && value !== null) put(printed, key, isObject(value) ? goMap(value, 'j') : value);
  }
  return printed;
}

function withMovedFields(spec: JsonObject): JsonObject {
  const context = isObject(spec.securityContext) ? { ...spec.securityContext } : {};
  for (const key of MOVED) if (has(spec, key)) put(context, key, own(spec, key));
  return { ...spec, securityContext: context };
}
