import { expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { Key } from '../../model/kubernetes/index.js';
import { createRuleSet } from '../rules/rule-set.js';
import { SnapshotBuilder } from '../read/snapshot-builder.js';
import { triage } from '../report/triage.js';
import type { Edit } from '../findings/finding.js';
import { editObject } from './edit-object.js';
import { WhatIf } from './what-if.js';

const OPTIONS = { rules: createRuleSet, assess: () => undefined };
const DEPLOYMENT: Key = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'cart' };

/** A Deployment with an unschedulable pod, and what else its template needs. */
function blocked(template: JsonObject = {}): readonly JsonObject[] {
  const spec: JsonObject = { containers: [{ name: 'app', image: 'x' }], ...template };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cart', namespace: 'shop', uid: 'd' },
      spec: { replicas: 1, template: { metadata: { labels: { app: 'cart' } }, spec } },
      status: { replicas: 1, unavailableReplicas: 1, conditions: [{ type: 'Available', status: 'False' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: 'cart-1',
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart', uid: 'd' }],
      },
      spec: { replicas: 1 },
      status: { replicas: 1 },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'cart-1-a',
        namespace: 'shop',
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-1', uid: 'r' }],
      },
      spec,
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: 1 node(s) had untolerated taint {example.io/env: dev}.',
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      spec: { taints: [{ key: 'example.io/env', value: 'dev', effect: 'NoSchedule' }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { cpu: '4', memory: '8Gi' } },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: 'shop' } },
  ];
}

function tried(objects: readonly JsonObject[], edits: readonly Edit[]): ReturnType<WhatIf['expect']> {
  const builder = new SnapshotBuilder();
  for (const each of objects) builder.add(structuredClone(each), 'test');
  builder.listing({ group: '', kind: 'ConfigMap', namespace: '', listing: 'complete', because: '' });
  const snapshot = builder.build(Date.parse('2025-12-04T12:00:00Z'));
  const report = triage(snapshot, OPTIONS);
  const [cause] = report.causes;
  if (cause === undefined) throw new Error('there is no cause to try anything on');
  return new WhatIf(snapshot, report, OPTIONS).expect(cause, { edits, adds: [], actions: [] });
}

const tolerating = (value: string): Edit => ({
  object: DEPLOYMENT,
  path: ['spec', 'template', 'spec', 'tolerations'],
  change: { kind: 'add', value: { key: 'example.io/env', operator: 'Equal', value, effect: 'NoSchedule' } },
});

it('a change that removes the reason resolves the finding', () => {
  expect(tried(blocked(), [tolerating('dev')])).toEqual({ vanishes: true, obstacles: [], next: [] });
});

it('a change that leaves the reason does not, and says why', () => {
  expect(tried(blocked(), [tolerating('prod')])).toMatchObject({
    vanishes: false,
    obstacles: ['Pod shop/cart-next cannot be scheduled'],
  });
  expect(tried(blocked(), [])).toMatchObject({ vanishes: false, obstacles: ['nothing would change'] });
});

it('a missing dependency of a later phase is an obstacle', () => {
  const template = { containers: [{ name: 'app', image: 'x', envFrom: [{ configMapRef: { name: 'rules' } }] }] };
  expect(tried(blocked(template), [tolerating('dev')])).toMatchObject({
    vanishes: false,
    obstacles: ['ConfigMap shop/rules does not exist (spec.containers[0].envFrom[0].configMapRef.name)'],
  });
});

it('edits set, add and remove at any path', () => {
  const object: JsonObject = { spec: { a: { ref: { name: 'x', namespace: 'y' } }, list: [1] } };
  expect(editObject(object, { path: ['**', 'ref', 'namespace'], change: { kind: 'remove' } })).toEqual({
    spec: { a: { ref: { name: 'x' } }, list: [1] },
  });
  expect(editObject(object, { path: ['spec', 'list'], change: { kind: 'add', value: 2 } })).toMatchObject({
    spec: { list: [1, 2] },
  });
  expect(editObject(object, { path: ['spec', 'b', 'c'], change: { kind: 'set', value: true } })).toMatchObject({
    spec: { b: { c: true } },
  });
  expect(object).toEqual({ spec: { a: { ref: { name: 'x', namespace: 'y' } }, list: [1] } });
});
