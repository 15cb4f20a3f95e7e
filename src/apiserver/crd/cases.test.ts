import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clone, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, type FieldError } from '../errors/api-error.js';
import type { ResourceType } from '../resources/resource-type.js';
import { acceptNames } from './accept-names.js';
import { compileCrd } from './compile-crd.js';
import { CRD_STRATEGY } from './crd-strategy.js';

/**
 * Each folder is one CRD (and object) with what kube-apiserver 1.34.4 answered. `old` is written first, under `old-crd`
 * where there is one; then the object replaces it, through the endpoint `via` names.
 */
const CASES = join(import.meta.dirname, 'cases');
const NOW = '2026-01-01T00:00:00Z';

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

interface Expectation {
  readonly code: number;
  readonly causes?: readonly Cause[];
  readonly message?: string;
  readonly object?: JsonObject;
  readonly unknown?: readonly string[];
  readonly via?: 'status';
  readonly table?: { readonly columns: Json; readonly cells: Json };
}

const yamlOf = (folder: string, file: string): KubeObject | undefined =>
  existsSync(join(folder, file)) ? (parse(readFileSync(join(folder, file), 'utf8')) as KubeObject) : undefined;

function causesOf(errors: readonly FieldError[]): Cause[] {
  const all = errors.map(({ field, type, detail }) => ({ field, reason: type, message: detail }));
  return all.sort((a, b) => (a.field + a.message < b.field + b.message ? -1 : 1));
}

function establish(crd: KubeObject): { errors: FieldError[]; types: ResourceType[] } {
  CRD_STRATEGY.defaults?.(crd);
  CRD_STRATEGY.prepareCreate?.(crd);
  const errors = CRD_STRATEGY.validate?.(crd) ?? [];
  if (errors.length > 0) return { errors, types: [] };
  crd['status'] = acceptNames(crd, [], NOW);
  return { errors, types: compileCrd(crd) };
}

const typeFor = (types: readonly ResourceType[], object: KubeObject): ResourceType =>
  types.find((type) => `${type.group}/${type.version}` === object.apiVersion)!;

function create(
  type: ResourceType,
  body: KubeObject,
): { object: KubeObject; unknown: readonly string[]; errors: FieldError[] } {
  const { object, unknownFields } = type.decode(body);
  type.strategy.defaults?.(object);
  object.metadata.generation = 1;
  type.strategy.prepareCreate?.(object);
  return { object, unknown: unknownFields, errors: type.strategy.validate?.(object) ?? [] };
}

function update(
  type: ResourceType,
  body: KubeObject,
  old: KubeObject,
  via: 'status' | undefined,
): { object: KubeObject; errors: FieldError[] } {
  const { object } = type.decode(body);
  type.strategy.defaults?.(object);
  object.metadata.generation = 1;
  if (via === 'status') {
    const next: KubeObject = { ...clone(old), metadata: object.metadata };
    if (object['status'] !== undefined) next['status'] = object['status'];
    type.strategy.prepareStatusUpdate?.(next, old);
    return { object: next, errors: type.strategy.validateStatusUpdate?.(next, old) ?? [] };
  }
  if (type.subresources.has('status')) {
    if (old['status'] === undefined) delete object['status'];
    else object['status'] = clone(old['status']);
  }
  type.strategy.prepareUpdate?.(object, old);
  if (JSON.stringify(object['spec']) !== JSON.stringify(old['spec'])) object.metadata.generation = 2;
  return { object, errors: type.strategy.validateUpdate?.(object, old) ?? [] };
}

function bodyOf({ apiVersion, kind, metadata, ...rest }: KubeObject): JsonObject {
  expect(apiVersion).toBeTypeOf('string');
  expect(kind).toBeTypeOf('string');
  return { ...rest, generation: metadata.generation ?? 0 };
}

function run(folder: string, expected: Expectation): void {
  const { errors, types } = establish(yamlOf(folder, 'crd.yaml')!);
  const body = yamlOf(folder, 'object.yaml');
  if (body === undefined || errors.length > 0) {
    expect(causesOf(errors)).toEqual(expected.causes ?? []);
    return;
  }
  const type = typeFor(types, body);
  const oldBody = yamlOf(folder, 'old.yaml');
  const oldCrd = yamlOf(folder, 'old-crd.yaml');
  if (oldBody === undefined) {
    const { object, unknown, errors: found } = create(type, body);
    expect(causesOf(found)).toEqual(expected.causes ?? []);
    if (expected.object !== undefined) expect(bodyOf(object)).toEqual(expected.object);
    if (found.length === 0) expect(unknown).toEqual(expected.unknown ?? []);
    if (expected.table !== undefined) checkTable(type, object, expected.table);
    return;
  }
  const old = create(typeFor(oldCrd === undefined ? types : establish(oldCrd).types, oldBody), oldBody);
  expect(old.errors).toEqual([]);
  const { object, errors: found } = update(type, body, old.object, expected.via);
  expect(causesOf(found)).toEqual(expected.causes ?? []);
  if (expected.object !== undefined) expect(bodyOf(object)).toEqual(expected.object);
}

function checkTable(
  type: ResourceType,
  object: KubeObject,
  table: { readonly columns: Json; readonly cells: Json },
): void {
  object.metadata.creationTimestamp = NOW;
  const columns = type.columns.map(({ name, type: kind, format, description, priority }) => ({
    name,
    type: kind,
    format: format ?? '',
    description: description ?? '',
    priority,
  }));
  expect(columns).toEqual(table.columns);
  expect(type.columns.map((column) => column.cell(object, new Date(NOW)))).toEqual(table.cells);
}

describe('custom resources answer as kube-apiserver does', () => {
  for (const name of readdirSync(CASES)) {
    it(name.replaceAll('-', ' '), () => {
      const folder = join(CASES, name);
      const expected = JSON.parse(readFileSync(join(folder, 'expect.json'), 'utf8')) as Expectation;
      try {
        run(folder, expected);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        expect({ code: error.code, message: error.message }).toEqual({
          code: expected.code,
          message: expected.message,
        });
      }
    });
  }
});
