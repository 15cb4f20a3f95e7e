import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drop, equal, isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import {
  fieldElement,
  FieldSet,
  parseFieldsV1,
  pathText,
  type KubeObject,
  type ManagedFieldsEntry,
  type Schema,
} from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/api-error.js';
import { builtinSchema } from '../schema/compile.js';
import { decode } from '../schema/decode.js';
import { applyPatch } from './apply-patch.js';
import { compare } from './compare.js';
import { conflictError } from './conflict.js';
import { resetFieldsOf } from './reset-fields.js';
import { fromScaleEntries, toScaleEntries } from './scale-entries.js';
import { trackUpdate } from './track-update.js';
import type { WriteScope } from './versions.js';

/**
 * Each case is a sequence of requests, recorded with its answers from kube-apiserver 1.34.4 (admission that changes
 * pods was off). `object` is what the server stored; what it owned is checked step by step from there.
 */
const CASES = join(import.meta.dirname, 'cases');

interface Given {
  readonly apiVersion: string;
  readonly kind: string;
  readonly steps: readonly GivenStep[];
}

interface GivenStep {
  readonly do: 'create' | 'update' | 'apply' | 'scale';
  readonly manager: string;
  readonly at: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly config?: KubeObject;
  /** What the client sent as managedFields, where that differs from what is stored; null: it left them out. */
  readonly managedFields?: ManagedFieldsEntry[] | null;
  readonly replicas?: number;
  /** Paths that the server filled in after it had noted who owns what. */
  readonly filledIn?: readonly string[];
}

interface ExpectedStep {
  readonly code: number;
  readonly changed?: boolean;
  readonly object?: KubeObject;
  readonly managedFields?: ManagedFieldsEntry[] | null;
  readonly status?: { readonly message: string; readonly reason?: string; readonly details?: JsonObject };
}

function read(...path: string[]): unknown {
  return parseJson(readFileSync(join(CASES, ...path), 'utf8'));
}

/** An OpenAPI schema of a custom resource as this server holds it. */
function toSchema(json: JsonObject): Schema {
  const text: Record<string, Json> = {};
  const names = {
    type: 'type',
    format: 'format',
    default: 'default',
    'x-kubernetes-list-type': 'listType',
    'x-kubernetes-list-map-keys': 'listMapKeys',
    'x-kubernetes-map-type': 'mapType',
    'x-kubernetes-preserve-unknown-fields': 'preserveUnknownFields',
    'x-kubernetes-embedded-resource': 'embeddedResource',
    'x-kubernetes-int-or-string': 'intOrString',
  };
  for (const [from, to] of Object.entries(names)) {
    const value = own(json, from);
    if (value !== undefined) text[to] = value;
  }
  const properties = isObject(json.properties)
    ? new Map(Object.entries(json.properties).map(([name, value]) => [name, toSchema(value as JsonObject)]))
    : undefined;
  return {
    ...(text as Schema),
    ...(properties && { properties }),
    ...(isObject(json.items) && { items: toSchema(json.items) }),
    ...(isObject(json.additionalProperties) && { additionalProperties: toSchema(json.additionalProperties) }),
  };
}

const STACK = toSchema(
  parseJson(readFileSync(join(import.meta.dirname, 'cases', 'stack-schema.json'), 'utf8')) as JsonObject,
);

function scopeOf(given: Given, step: GivenStep): WriteScope {
  const apiVersion = step.config?.apiVersion ?? step.apiVersion ?? given.apiVersion;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const custom = given.kind === 'Stack';
  const schema = custom ? STACK : builtinSchema(group ?? '', version ?? '', given.kind)!;
  const subresource = step.subresource ?? '';
  const resetFields = resetFieldsOf({ group: group ?? '', kind: given.kind, subresource, hasStatus: true });
  return {
    apiVersion,
    kind: given.kind,
    schema,
    subresource,
    resetFields,
    versions: (other) => (custom && /^stage\.example\.com\/v1(beta1)?$/.test(other) ? { schema } : undefined),
  };
}

function stored(expected: ExpectedStep): KubeObject {
  const object = structuredClone(expected.object!);
  if (expected.managedFields) object.metadata.managedFields = expected.managedFields;
  return object;
}

function inVersion(object: KubeObject | undefined, apiVersion: string): KubeObject | undefined {
  return object === undefined ? undefined : { ...object, apiVersion };
}

function requested(step: GivenStep, expected: ExpectedStep, live: KubeObject | undefined): KubeObject {
  const object = structuredClone(expected.object!);
  const sent = step.managedFields === undefined ? live?.metadata.managedFields : (step.managedFields ?? undefined);
  if (sent !== undefined) object.metadata.managedFields = sent;
  for (const path of step.filledIn ?? []) {
    const [parent = '', name = ''] = path.split('.');
    drop(own(object, parent) as JsonObject, name);
  }
  return object;
}

/** Everything that is in `part` is in `whole`, and is the same there. */
function within(part: Json | undefined, whole: Json | undefined): boolean {
  if (isArray(part))
    return isArray(whole) && part.length === whole.length && part.every((item, i) => within(item, whole[i]));
  if (isObject(part))
    return isObject(whole) && Object.keys(part).every((key) => within(own(part, key), own(whole, key)));
  return equal(part, whole);
}

function checkApply(given: Given, step: GivenStep, expected: ExpectedStep, live: KubeObject | undefined): void {
  const scope = scopeOf(given, step);
  const input = {
    ...scope,
    live: inVersion(live, scope.apiVersion),
    config: step.config!,
    manager: step.manager,
    force: step.force === true,
    now: new Date(step.at),
  };
  if (expected.code >= 400 && expected.code !== 422) {
    const error = failure(() => applyPatch(input));
    expect({ code: error.code, message: error.message, reason: error.reason }).toEqual({
      code: expected.code,
      message: expected.status!.message,
      reason: expected.status!.reason ?? '',
    });
    expect(sortedCauses(error.details)).toEqual(sortedCauses(expected.status!.details));
    return;
  }
  const result = applyPatch(input);
  if (result.kind === 'conflict') throw conflictError(result.conflicts);
  if (expected.code === 422) return;
  // The stored object also has what the server sets itself and the fields that this endpoint sets back.
  const object =
    scope.schema.go === undefined ? result.object : (decode(result.object, scope.schema).object as KubeObject);
  const full: KubeObject = {
    ...object,
    metadata: {
      ...object.metadata,
      namespace: 'demo',
      uid: 'uid-1',
      creationTimestamp: expected.object!.metadata.creationTimestamp!,
    },
  };
  if (expected.object!.status !== undefined && scope.subresource === '') full.status = expected.object!.status;
  // Where the kind has no defaults, the result is exactly what was stored.
  if (given.kind === 'ConfigMap') expect(full).toEqual(expected.object);
  else if (!within(full, expected.object)) expect(full).toEqual(expected.object);
  // A field that was applied as null is owned, but it is a default that fills it.
  if (!JSON.stringify(step.config).includes('null')) expect(ownedButMissing(full, expected, scope)).toEqual([]);
  expectEntries(result.managedFields, expected, scope.schema.go !== undefined);
}

/** Paths that somebody owns but that the object does not have. */
function ownedButMissing(object: KubeObject, expected: ExpectedStep, { schema }: WriteScope): string[] {
  const present = compare({}, object, schema).added;
  const owned = (expected.managedFields ?? [])
    .map((entry) => parseFieldsV1(entry.fieldsV1 ?? {}))
    .reduce((all, set) => all.union(set), FieldSet.empty());
  return [...owned.difference(present).paths()].map(pathText);
}

/**
 * Entries are equal, and the fields of built-in kinds stand in the same order; those of custom resources are sorted
 * when stored.
 */
function expectEntries(entries: ManagedFieldsEntry[] | undefined, expected: ExpectedStep, inOrder: boolean): void {
  expect(entries ?? null).toEqual(expected.managedFields);
  if (!inOrder) return;
  expect(entries?.map((entry) => JSON.stringify(entry.fieldsV1))).toEqual(
    expected.managedFields?.map((entry) => JSON.stringify(entry.fieldsV1)),
  );
}

function failure(run: () => ReturnType<typeof applyPatch>): ApiError {
  try {
    const result = run();
    if (result.kind === 'conflict') return conflictError(result.conflicts);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('the apply was not refused');
}

function sortedCauses(details: JsonObject | undefined): Json {
  return isArray(details?.causes)
    ? [...details.causes].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    : [];
}

function checkUpdate(given: Given, step: GivenStep, expected: ExpectedStep, live: KubeObject | undefined): void {
  const scope = scopeOf(given, step);
  const before = inVersion(live, scope.apiVersion);
  const next = requested(step, expected, live);
  const managedFields = trackUpdate({ ...scope, live: before, next, manager: step.manager, now: new Date(step.at) });
  expectEntries(managedFields, expected, scope.schema.go !== undefined);
}

function checkScale(given: Given, step: GivenStep, expected: ExpectedStep, live: KubeObject): void {
  const path = () => [fieldElement('spec'), fieldElement('replicas')];
  const replicas = isObject(live.spec) ? live.spec.replicas : undefined;
  const scale = (count: Json | undefined): KubeObject => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { uid: 'uid-1' },
    spec: count === 0 ? {} : { replicas: count },
    status: { replicas: 0 },
  });
  const entries = toScaleEntries(live.metadata.managedFields, path);
  const before = scale(replicas);
  if (entries !== undefined) before.metadata.managedFields = entries;
  const schema = builtinSchema('autoscaling', 'v1', 'Scale')!;
  const written = trackUpdate({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    schema,
    subresource: 'scale',
    live: before,
    next: scale(step.replicas),
    manager: step.manager,
    now: new Date(step.at),
  });
  expect(fromScaleEntries(live.metadata.managedFields, written, given.apiVersion, path)).toEqual(
    expected.managedFields,
  );
}

function runCase(name: string): void {
  const given = read(name, 'given.json') as Given;
  const expected = (read(name, 'expect.json') as { steps: ExpectedStep[] }).steps;
  let live: KubeObject | undefined;
  for (const [i, step] of given.steps.entries()) {
    const answer = expected[i]!;
    try {
      if (step.do === 'apply') checkApply(given, step, answer, live);
      else if (step.do === 'scale') checkScale(given, step, answer, live!);
      else checkUpdate(given, step, answer, live);
    } catch (error) {
      if (error instanceof Error) error.message = `step ${i + 1} (${step.do} by ${step.manager}): ${error.message}`;
      throw error;
    }
    if (answer.code < 300) live = stored(answer);
  }
}

describe('as the real server', () => {
  for (const name of readdirSync(CASES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name))
    test(name, () => runCase(name));
});
