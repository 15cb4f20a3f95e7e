import {
  type Json,
  type JsonObject,
  drop,
  isArray,
  isObject,
  objectAt,
  own,
  parseJson,
  put,
} from '../../model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import { textAt } from '../json/index.js';
import { putPublicSetting } from './public-settings.js';
import { sanitizeMetadata } from './sanitize-metadata.js';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Texts of objects are truncated to this length: memory depends on the number of objects, not on files stored in them.
 */
const MAX_VALUE_LENGTH = 8_192;

/** Settings are read to their end: health checks are long. */
function isSettings({ kind, metadata }: KubeObject): boolean {
  return kind === 'ArgoCD' || (kind === 'ConfigMap' && /^argocd-/.test(String(own(metadata, 'name'))));
}

/** Routes of a gateway are read to their end: each may be the wrong one. */
const MAX_ROUTES_LENGTH = 131_072;

function longestText(object: KubeObject): number {
  if (isSettings(object)) return Infinity;
  const data = object.kind === 'ConfigMap' ? objectAt(object, 'data') : undefined;
  const hasRoutes = Object.keys(data ?? {}).some((key) => /routes|proxy_pass/.test(String(own(data ?? {}, key))));
  return hasRoutes ? MAX_ROUTES_LENGTH : MAX_VALUE_LENGTH;
}

/** A value that was there and is not shown. */
const HIDDEN = '';

/**
 * The object as triage keeps it: a Secret has its keys and no value, and of who wrote which field only the who,
 * the when and whether it was the spec remain, because the rest is half of a dump and answers no question here. Long
 * texts are cut. Changes the object it is given.
 */
export function sanitizeObject(object: KubeObject): KubeObject {
  sanitizeMetadata(object);
  const { metadata } = object;
  for (const entry of metadata.managedFields ?? []) sanitizeFields(entry);
  if (metadata.annotations !== undefined) drop(metadata.annotations, LAST_APPLIED);
  if (object.kind === 'Secret' && splitApiVersion(object.apiVersion).group === '') sanitizeSecret(object);
  sanitizeValues(object, longestText(object));
  return object;
}

/**
 * Integers beyond the exact range of numbers are rounded: no rule needs their last digits. Long texts are truncated.
 */
function sanitizeValues(value: JsonObject, longest: number): void {
  for (const key of Object.keys(value)) {
    const member = own(value, key);
    if (member === undefined) continue;
    const tame = sanitizeMember(member, longest);
    if (tame !== member) put(value, key, tame);
  }
}

function sanitizeMember(member: Json, longest: number): Json {
  if (typeof member === 'bigint') return Number(member);
  if (typeof member === 'string') return member.length > longest ? `${copied(member, longest)}...` : member;
  if (isArray(member)) return member.map((each) => sanitizeMember(each, longest));
  if (isObject(member)) sanitizeValues(member, longest);
  return member;
}

/** The beginning of a text, which does not hold on to the whole as a slice would. */
function copied(text: string, length: number): string {
  return Buffer.from(text.slice(0, length)).toString();
}

function sanitizeFields(entry: JsonObject): void {
  const fields = own(entry, 'fieldsV1');
  if (isObject(fields)) put(entry, 'writesSpec', own(fields, 'f:spec') !== undefined);
  drop(entry, 'fieldsV1');
}

function sanitizeSecret(secret: KubeObject): void {
  const facts: JsonObject = {};
  const settings: JsonObject = {};
  for (const field of ['data', 'stringData']) {
    const values = objectAt(secret, field);
    if (values === undefined) continue;
    for (const key of Object.keys(values)) {
      const text = plainText(own(values, key), field === 'data');
      if (PUBLIC_KEYS.has(key) && text !== undefined) put(facts, key, withoutUser(text));
      if (key === '.dockerconfigjson' && text !== undefined) put(facts, 'hosts', registryHosts(text));
      putPublicSetting(settings, key, text);
      put(values, key, HIDDEN);
    }
  }
  // What may be known of a Secret without knowing a secret: addresses and names that Argo CD keeps there, and hosts of
  // registries and servers.
  if (Object.keys(settings).length > 0) put(facts, 'settings', settings);
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
    return Object.keys(objectAt(config, 'auths') ?? {})
      .map((host) => host.replace(/^https?:\/\//, '').split('/')[0] ?? '')
      .sort();
  } catch {
    // Not readable by the kubelet either: no host is served by it.
    return [];
  }
}

/** What `tameObject` keeps of a Secret. */
export function publicValueOf(secret: KubeObject, name: string): string {
  return textAt(secret, 'known', name);
}
