import { createHash, type Hash } from 'node:crypto';
import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';

/**
 * The same key as long as the server's answer to a dry run is the same: what git says, what live says without its
 * status, version and times, and who owns what.
 */
export function dryRunKey(target: KubeObject, live: KubeObject): string {
  const hash = createHash('sha256');
  addValue(hash, target);
  const { status: _status, metadata, ...rest } = live;
  const { resourceVersion: _version, generation: _generation, managedFields, ...kept } = metadata;
  addValue(hash, rest);
  addValue(hash, kept);
  addValue(
    hash,
    (managedFields ?? [])
      .filter(isObject)
      .filter(({ subresource }) => subresource !== 'status')
      .map(({ time: _time, ...entry }): JsonObject => entry),
  );
  return hash.digest('hex');
}

/** Equal values give equal bytes, whatever the order of their keys. */
function addValue(hash: Hash, value: Json): void {
  hash.update(canonicalText(value));
  hash.update('\n');
}

function canonicalText(value: Json): string {
  if (isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isObject(value)) return writeJson(value);
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = own(value, key);
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalText(member)}`);
  }
  return `{${members.join(',')}}`;
}
