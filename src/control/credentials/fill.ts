import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { FillRule } from '../../model/settings/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';

export const FILL_FROM_ANNOTATION = 'argosy.dev/fill-from';

/** What a Secret wants to be filled with: its keys, each from a field of one object. */
export interface FillRequest {
  readonly source: Key;
  readonly keys: readonly (readonly [key: string, field: string])[];
}

/** What to do with a Secret now. Messages never hold a value. */
export type FillAction =
  | { readonly kind: 'same' }
  | { readonly kind: 'fill'; readonly data: JsonObject; readonly keys: readonly string[] }
  | { readonly kind: 'waits'; readonly message: string };

const FIELD = /^(?:\.[A-Za-z_][A-Za-z0-9_-]*(?:\[\d{1,4}\])*)+$/;
const KEY = /^[A-Za-z0-9._-]{1,253}$/;

/** Reads the annotation; a Fault says what is wrong with it. Undefined where the Secret has none. */
export function readFillRequest(secret: KubeObject): FillRequest | undefined {
  const annotation = secret.metadata.annotations?.[FILL_FROM_ANNOTATION];
  if (annotation === undefined) return undefined;
  const value = readAnnotation(annotation);
  const { object, keys } = isObject(value) ? value : {};
  if (!isObject(object) || !isObject(keys)) throw invalidAnnotation('object and keys are required');
  const [group, kind, namespace, name] = [
    textOf(object.group),
    textOf(object.kind),
    textOf(object.namespace),
    textOf(object.name),
  ];
  if (kind === '' || name === '')
    throw invalidAnnotation('object must have kind and name, plus group and namespace if it has them');
  const pairs = Object.keys(keys).map((key): readonly [string, string] => {
    const field = textOf(own(keys, key));
    if (!KEY.test(key) || !FIELD.test(field))
      throw invalidAnnotation(
        `keys has ${key.slice(0, 100)}: it must map a Secret key to a field such as .status.adminPassword`,
      );
    return [key, field];
  });
  if (pairs.length === 0) throw invalidAnnotation('keys is empty');
  return {
    source: { group, kind, namespace: namespace === '' ? (secret.metadata.namespace ?? '') : namespace, name },
    keys: pairs,
  };
}

function readAnnotation(text: string): Json {
  try {
    return readOneYaml(text, { dialect: 'kubernetes', file: FILL_FROM_ANNOTATION });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw invalidAnnotation(error.message);
  }
}

function invalidAnnotation(message: string): Fault {
  return new Fault('VALUE_INVALID', `annotation ${FILL_FROM_ANNOTATION}: ${message}`);
}

/** Why a Secret will not be filled: an annotation that cannot be read, or rules that do not allow it. */
export function fillProblem(secret: KubeObject, rules: readonly FillRule[]): string | undefined {
  try {
    const request = readFillRequest(secret);
    return request === undefined ? undefined : findFillViolation(request, secret, rules);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** Why the administrator's rules do not allow the Secret its values; undefined if they do. */
export function findFillViolation(
  { source, keys }: FillRequest,
  { metadata }: KubeObject,
  rules: readonly FillRule[],
): string | undefined {
  const { namespace = '', name = '' } = metadata;
  const fitting = rules.filter(
    ({ from, to }) =>
      from.group === source.group &&
      from.kind === source.kind &&
      matchesGlob(from.namespace, source.namespace) &&
      matchesGlob(from.name, source.name) &&
      to.namespaces.some((pattern) => matchesGlob(pattern, namespace)) &&
      to.names.some((pattern) => matchesGlob(pattern, name)),
  );
  const denied = keys
    .map(([, field]) => field)
    .filter((field) => !fitting.some(({ fields }) => fields.includes(field)));
  if (denied.length === 0) return undefined;
  return (
    `${denied.join(', ')} of ${source.kind} ${source.namespace}/${source.name} must not be copied into Secret ` +
    `${namespace}/${name}: no entry of argosy.fill-from in argocd-cmd-params-cm allows it`
  );
}

export function nextFill(
  secret: KubeObject,
  { source, keys }: FillRequest,
  object: KubeObject | undefined,
): FillAction {
  const what = `${source.kind} ${source.namespace}/${source.name}`;
  if (object === undefined) return { kind: 'waits', message: `${what} does not exist` };
  const data: JsonObject = {};
  const absent: string[] = [];
  const now = isObject(secret.data) ? secret.data : {};
  for (const [key, field] of keys) {
    const value = valueOf(object, field);
    if (value === undefined) absent.push(field);
    else if (own(now, key) !== value) put(data, key, value);
  }
  if (absent.length > 0) return { kind: 'waits', message: `${what} has no ${absent.join(', ')} yet` };
  return Object.keys(data).length === 0 ? { kind: 'same' } : { kind: 'fill', data, keys: Object.keys(data) };
}

/** The value as a Secret stores it. The data of a Secret is stored like that already. */
function valueOf(object: KubeObject, field: string): string | undefined {
  const isStored = object.kind === 'Secret' && object.apiVersion === 'v1' && field.startsWith('.data.');
  let value: Json | undefined = object;
  for (const [, name, index] of field.matchAll(/\.([^.[]+)|\[(\d+)\]/g)) {
    if (name !== undefined) value = isObject(value) ? own(value, name) : undefined;
    else value = isArray(value) ? value[Number(index)] : undefined;
  }
  if (typeof value !== 'string' || value === '') return undefined;
  return isStored ? value : Buffer.from(value, 'utf8').toString('base64');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
