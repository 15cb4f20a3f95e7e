import { createHash } from 'node:crypto';
import { isArray, isObject, own, put, writeJson, type Json, type JsonObject } from '../../../model/json/index.js';

// No vowels and no look-alikes, so that a hash is never a word.
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

/**
 * A short name for a template: the same for equal templates, whatever the order of their keys. `collisions` gives
 * another one where that name is taken.
 */
export function templateHash(template: Json, collisions = 0): string {
  const digest = createHash('sha256')
    .update(writeJson(sorted(template)))
    .update(collisions === 0 ? '' : String(collisions))
    .digest();
  return Array.from({ length: LENGTH }, (_, index) => LETTERS.charAt((digest[index] ?? 0) % LETTERS.length)).join('');
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const field = own(value, key);
    if (field !== undefined && field !== null) put(copy, key, sorted(field));
  }
  return copy;
}
