import { equal, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { nameOf, type KubeObject } from '../../model/kubernetes/index.js';
import { partOf } from './compare-subset.js';
import type { MemoryCluster } from './memory-cluster.js';
import { asObject, resourceFor, selected } from './put-object.js';

/** Throws unless the two are equal; the test framework's, so that it can show the difference. */
export type Compare = (actual: Json | undefined, expected: Json | undefined, about: string) => void;

/**
 * One expectation of a case: an object by name with the fields that matter; an object without a name, of which at
 * least one must be like that (Events); `absent: object`; or `count: 3` with `of: { apiVersion, kind, select }`.
 */
export function checkExpectation(cluster: MemoryCluster, expectation: JsonObject, compare: Compare): void {
  const { absent, count, of } = expectation;
  if (absent !== undefined) checkAbsent(cluster, asObject(absent), compare);
  // An Event has a count of its own.
  else if (of !== undefined)
    compare(selected(cluster, of).length, count, `how many there are of ${JSON.stringify(of)}`);
  else checkPresent(cluster, expectation, asObject(expectation), compare);
}

function checkAbsent(cluster: MemoryCluster, expected: KubeObject, compare: Compare): void {
  const alike = candidates(cluster, expected).filter((object) =>
    equal(partOf(object, comparable(expected)), comparable(expected)),
  );
  compare(alike.map(nameOf), [], `absent ${expected.kind} ${nameOf(expected)}`);
}

function checkPresent(cluster: MemoryCluster, written: JsonObject, expected: KubeObject, compare: Compare): void {
  const about = `${expected.kind} ${nameOf(expected)}`;
  const found = candidates(cluster, expected);
  if (expected.metadata.name !== undefined) return compare(partOf(found[0], written), written, about);
  const parts = found.map((object) => partOf(object, written));
  if (parts.some((part) => equal(part, written))) return;
  // No match: the list of all candidates makes the best failure message.
  compare(
    parts.map((part) => part ?? null),
    [written],
    `some ${about}`,
  );
}

function candidates(cluster: MemoryCluster, expected: KubeObject): KubeObject[] {
  const type = resourceFor(cluster, expected);
  const { name, namespace = 'default' } = expected.metadata;
  return cluster.client
    .list(type, type.namespaced ? namespace : '')
    .filter((object) => name === undefined || object.metadata.name === name);
}

function comparable(expected: KubeObject): JsonObject {
  const { metadata, ...rest } = expected;
  return isObject(metadata) && Object.keys(metadata).length > 0 ? expected : rest;
}
