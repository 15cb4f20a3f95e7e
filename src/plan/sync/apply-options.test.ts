import { expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { applyOptionsOf } from './apply-options.js';
import type { SyncInput } from './sync-plan.js';
import type { Task } from './task.js';

const input = { syncOptions: ['CreateNamespace=true'], request: { force: false } } as unknown as SyncInput;
const task = (metadata: KubeObject['metadata'], more: object = {}): Task =>
  ({
    key: { group: '', kind: 'Namespace', namespace: '', name: 'shop' },
    isHook: false,
    target: { apiVersion: 'v1', kind: 'Namespace', metadata },
    ...more,
  }) as unknown as Task;

it('a destination namespace without metadata is only created, one with metadata and one of git are applied', () => {
  expect(applyOptionsOf(input, task({ name: 'shop' })).createOnly).toBe(true);
  expect(applyOptionsOf(input, task({ name: 'shop', labels: { team: 'a' } })).createOnly).toBeUndefined();
  expect(applyOptionsOf(input, task({ name: 'shop' }, { resource: {} })).createOnly).toBeUndefined();
});
