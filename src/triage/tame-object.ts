import { drop, isObject, own, parseJson, put, splitApiVersion, type Json, type JsonObject, type KubeObject } from '../model/index.js';
import { objectAt, textAt } from './json-at.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A value that was there and is not shown. */
const HIDDEN = '';

/**
 * The object as triage keeps it: a Secret has its keys and no value, and of who wrote which field only the who,
 * the when and whether it was the spec remain, because the rest is half of a dump and answers no question here. Changes the object it is given.
 */
export function tameObject(object: KubeObject): KubeObject {
  const { metadata } = object;
  if (Array.isArray(metadata.managedFields)) for (const entry of metadata.managedFields) if (isObject(entry)) tameFields(entry);
  if (isObject(metadata.annotations)) drop(metadata.annotations, LAST_APPLIED);
  if (object.kind === 'Secret' && splitApiVersion(object.apiVersion).group === '') tameSecret(object);
  return object;
}

function tameFields(entry: JsonObject): void {
  const fields = own(entry, 'fieldsV1');
  if (isObject(fields)) put(entry, 'writesSpec', own(fields, 'f:spec') !== undefined);
  drop(entry, 'fieldsV1');
}

function tameSecret(secret: KubeObject): void {
  const facts: JsonObject = {};
  for (const field of ['data', 'stringData']) {
    const values = objectAt(secret, field);
    if (values === undefined) continue;
    for (const key of Object.keys(values)) {
      const text = plainText(own(values, key), field === 'data');
      if (PUBLIC_KEYS.has(key) && text !== undefined) put(facts, key, withoutUser(text));
      if (key === '.dockerconfigjson' && text !== undefined) put(facts, 'hosts', registryHosts(text));
      put(values, key, HIDDEN);
    }
  }
  // What may be known of a Secret without knowing a secret: addresses and names that Argo CD keeps there, and hosts of registries.
  if (Object.keys(facts).length > 0) put(secret, 'known', facts);
}

/** Keys of repository and cluster Secrets that are no secrets. */
const PUBLIC_KEYS = new Set(['url', 'type', 'name', 'server', 'project']);

function plainText(value: Json | undefined, encoded: boolean): string | undefined {
  if (typeof value !== 'string' || value.length > 100_000) return undefined;
  return encoded ? Buffer.from(value, 'base64').toString('utf8') : value;
}

/** An address may carry a user and a password. */
function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//');
}

function registryHosts(text: string): string[] {
  try {
    const config = parseJson(text);
    return Object.keys(objectAt(config, 'auths') ?? {}).map((host) => host.replace(/^https?:\/\//, '').split('/')[0] ?? '').sort();
  } catch {
    // Not readable by the kubelet either: no host is served by it.
    return [];
  }
}

/** What `tameObject` let be known of a Secret. */
export function knownOf(secret: KubeObject, name: string): string {
  return textAt(secret, 'known', name);
}
