import { Fault } from '../../../model/faults/index.js';
import { parseJson, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { AGE, column, NAME, fill, flag, has, items, pairs, sub, text, kind } from '../../resources/index.js';
import { configKey } from '../validation/name-rules.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const MAX_SIZE = 1024 * 1024;
const IMMUTABLE_MESSAGE = 'field is immutable when `immutable` is set';
const REDACTED = '<secret contents redacted>';

/** An object marked immutable keeps its mark and its data. */
function checkImmutable(to: FieldErrors, next: KubeObject, previous: KubeObject, ...keys: string[]): void {
  if (!flag(previous, 'immutable')) return;
  if (!flag(next, 'immutable')) to.forbidden('immutable', IMMUTABLE_MESSAGE);
  for (const key of keys)
    if (!equal(own(next, key) ?? {}, own(previous, key) ?? {})) to.forbidden(key, IMMUTABLE_MESSAGE);
}

export const CONFIG_MAP = kind({
  columns: [
    NAME,
    column('Data', (object) => Object.keys(sub(object, 'data')).length + Object.keys(sub(object, 'binaryData')).length),
    AGE,
  ],
  strategy: {
    validate: (object) => collectFieldErrors((to) => checkConfigMap(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkImmutable(to, next, previous, 'data', 'binaryData');
        checkConfigMap(to, next);
      }),
  },
});

function checkConfigMap(to: FieldErrors, object: KubeObject): void {
  let size = 0;
  for (const [key, value] of pairs(object, 'data')) {
    to.invalidEach(`data[${key}]`, key, configKey(key));
    if (has(sub(object, 'binaryData'), key)) to.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData');
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of pairs(object, 'binaryData')) {
    to.invalidEach(`binaryData[${key}]`, key, configKey(key));
    size += Buffer.byteLength(value, 'base64');
  }
  if (size > MAX_SIZE) to.tooLong('[]', MAX_SIZE);
}

/** Keys that a type of Secret must have. */
const NEEDED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

export const SECRET = kind({
  columns: [
    NAME,
    column('Type', (object) => text(object, 'type')),
    column('Data', (object) => Object.keys(sub(object, 'data')).length),
    AGE,
  ],
  fields: { type: '' },
  strategy: {
    defaults(object) {
      fill(object, { type: 'Opaque' });
      takeStringData(object);
    },
    validate: (object) => collectFieldErrors((to) => checkSecret(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        if (text(next, 'type') !== text(previous, 'type')) to.invalid('type', text(next, 'type'), IMMUTABLE);
        checkImmutable(to, next, previous, 'data');
        checkSecret(to, next);
      }),
  },
});

/** `stringData` is a way to write; it is never stored. */
function takeStringData(object: KubeObject): void {
  const plain = sub(object, 'stringData');
  const keys = Object.keys(plain);
  if (keys.length > 0) {
    const data: JsonObject = { ...sub(object, 'data') };
    for (const key of keys) put(data, key, Buffer.from(text(plain, key)).toString('base64'));
    object.data = data;
  }
  delete object.stringData;
}

function checkSecret(to: FieldErrors, object: KubeObject): void {
  const data = sub(object, 'data');
  let size = 0;
  for (const [key, value] of pairs(object, 'data')) {
    to.invalidEach(`data[${key}]`, key, configKey(key));
    size += Buffer.byteLength(value, 'base64');
  }
  if (size > MAX_SIZE) to.tooLong('data', MAX_SIZE);
  const type = text(object, 'type');
  if (type === 'kubernetes.io/service-account-token') {
    const key = 'kubernetes.io/service-account.name';
    if (text(sub(object.metadata, 'annotations'), key) === '') to.required(`metadata.annotations[${key}]`);
  }
  if (type === 'kubernetes.io/basic-auth' && !has(data, 'username') && !has(data, 'password')) {
    to.required('data[username]');
    to.required('data[password]');
  }
  const needed = Object.hasOwn(NEEDED_KEYS, type) ? (NEEDED_KEYS[type] ?? []) : [];
  for (const key of needed) {
    if (!has(data, key) || (key === 'ssh-privatekey' && text(data, key) === '')) to.required(`data[${key}]`);
    else if (key.startsWith('.docker')) checkDockerConfig(to, `data[${key}]`, text(data, key));
  }
}

function checkDockerConfig(to: FieldErrors, field: string, base64: string): void {
  const content = Buffer.from(base64, 'base64').toString();
  const violation = jsonError(content);
  if (violation !== undefined) to.invalid(field, REDACTED, violation);
}

/** What Go's JSON reader says of a text that should be an object. */
function jsonError(content: string): string | undefined {
  let value: unknown;
  try {
    value = parseJson(content);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message;
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const kinds: Record<string, string> = { boolean: 'bool', object: 'array' };
  return `json: cannot unmarshal ${kinds[typeof value] ?? typeof value} into Go value of type map[string]interface {}`;
}

export const SERVICE_ACCOUNT = kind({
  columns: [NAME, column('Secrets', (object) => items(object, 'secrets').length), AGE],
});
