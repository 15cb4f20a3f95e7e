import { drop, isArray, isObject, own, put, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

const TEXTS = ['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp', 'generateName'];
/** The maximum length of a name; longer ones are truncated. */
const MAX_NAME_LENGTH = 300;

/**
 * Metadata of the declared type. A dump is untrusted: labels that are not strings, owners that are not objects and the
 * like are dropped here once. Changes the given object.
 */
export function sanitizeMetadata({ metadata }: KubeObject): void {
  for (const name of ['name', 'namespace']) {
    const text = own(metadata, name);
    if (typeof text === 'string' && text.length > MAX_NAME_LENGTH)
      put(metadata, name, `${text.slice(0, MAX_NAME_LENGTH - 3)}...`);
  }
  for (const name of TEXTS)
    if (own(metadata, name) !== undefined && typeof own(metadata, name) !== 'string') drop(metadata, name);
  if (metadata.generation !== undefined && typeof metadata.generation !== 'number') drop(metadata, 'generation');
  for (const name of ['labels', 'annotations']) sanitizeTexts(metadata, name);
  for (const name of ['ownerReferences', 'managedFields']) sanitizeList(metadata, name, isObject);
  sanitizeList(metadata, 'finalizers', (each) => typeof each === 'string');
}

function sanitizeTexts(metadata: JsonObject, name: string): void {
  const texts = own(metadata, name);
  if (texts === undefined) return;
  if (!isObject(texts)) drop(metadata, name);
  else for (const key of Object.keys(texts)) if (typeof own(texts, key) !== 'string') drop(texts, key);
}

function sanitizeList(metadata: JsonObject, name: string, isFit: (each: unknown) => boolean): void {
  const list = own(metadata, name);
  if (list === undefined) return;
  if (!isArray(list)) drop(metadata, name);
  else if (!list.every(isFit)) put(metadata, name, list.filter(isFit));
}
