import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch, parseJsonPatch } from '../../model/patch/index.js';
import { isObject, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject, ManagedFieldsEntry } from '../../model/kubernetes/index.js';
import { isOurs, takeOverFields } from './take-over-fields.js';

const CASES = join(import.meta.dirname, 'cases/take-over-fields');

interface Expected {
  /** Of `argocd.argoproj.io/client-side-apply-migration-manager`. */
  readonly migrationManager?: string;
  /** The fields that are ours afterwards; null where nothing is taken over. */
  readonly ours: JsonObject | null;
  /** Whoever keeps what it has: manager, operation, subresource. */
  readonly others: readonly string[];
  readonly wasOurs: boolean;
}

const read = (...path: string[]): unknown =>
  readOneYaml(readFileSync(join(CASES, ...path), 'utf8'), { dialect: 'kubernetes' });
const line = ({ manager = '', operation = '', subresource = '' }: ManagedFieldsEntry): string =>
  [manager, operation, subresource].filter((part) => part !== '').join(' ');

/** Objects as an API server stored them: who wrote which fields. */
describe('fields of earlier managers become ours', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const live = read(name, 'given.yaml') as KubeObject;
    const { migrationManager, ours, others, wasOurs } = read(name, 'expect.yaml') as Expected;
    expect(isOurs(live)).toBe(wasOurs);
    const patch = takeOverFields(live, migrationManager);
    if (ours === null) {
      expect(patch).toBeUndefined();
      return;
    }
    const moved = applyJsonPatch(live, parseJsonPatch(patch ?? [])) as KubeObject;
    const entries = moved.metadata.managedFields ?? [];
    expect(
      entries.filter(({ manager }) => manager === 'argosy').map(({ operation, fieldsV1 }) => ({ operation, fieldsV1 })),
    ).toEqual([{ operation: 'Apply', fieldsV1: ours }]);
    expect(entries.filter(({ manager }) => manager !== 'argosy').map(line)).toEqual(others);
    // Everything else is as it was, and the patch holds for this version only.
    expect({ ...moved, metadata: { ...moved.metadata, managedFields: [] } }).toEqual({
      ...live,
      metadata: { ...live.metadata, managedFields: [] },
    });
    expect(patch?.[1]).toEqual({
      op: 'replace',
      path: '/metadata/resourceVersion',
      value: live.metadata.resourceVersion,
    });
    expect(takeOverFields(moved, migrationManager)).toBeUndefined();
    expect(isOurs(moved)).toBe(true);
  });

  it('an object without managedFields is left alone', () => {
    expect(takeOverFields({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })).toBeUndefined();
    const strange: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', managedFields: [{ manager: 'argocd-controller', operation: 'Update' }] },
    };
    expect(isObject(takeOverFields(strange)?.[0])).toBe(true);
  });
});
