import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Graph } from '../graph/graph.js';
import { nodeText, type Node, type Phase } from '../graph/node.js';
import { textAt } from '../json/json-at.js';
import { SnapshotBuilder } from '../read/snapshot-builder.js';
import { triage } from '../report/triage.js';
import type { Report } from '../report/report.js';
import type { Finding } from '../findings/finding.js';
import type { Rule } from '../findings/rule-engine.js';

/** A rule that reads its answer from the object: `fault: {kind, phase, ...}`. */
const testRule: Rule = (node: Node, graph: Graph) => {
  const fault = objectAt(node.object, 'fault');
  if (fault === undefined) return [];
  const target = textAt(fault, 'target');
  const finding: Finding = {
    rule: 'F02',
    node,
    phase: textAt(fault, 'phase') as Phase,
    kind: textAt(fault, 'kind') === 'leaf' ? 'leaf' : 'delegating',
    level: 'fault',
    impact: 'capacity',
    title: `${nodeText(node)} is bad`,
    evidence: [],
    ...(target === ''
      ? {}
      : { target: graph.store.refer({ group: '', kind: 'Secret', namespace: node.key.namespace, name: target }) }),
    ...(textAt(fault, 'signature') === '' ? {} : { signature: textAt(fault, 'signature'), commonTitle: 'one cause' }),
  };
  return [finding];
};
const ghost: Rule = (node) => [
  {
    rule: 'X01',
    node,
    phase: 'create',
    kind: 'leaf',
    level: 'fault',
    impact: 'capacity',
    title: `${nodeText(node)} is absent`,
    evidence: [],
  },
];

function report(objects: readonly JsonObject[]): Report {
  const builder = new SnapshotBuilder();
  for (const object of objects) builder.add(object, 'test');
  return triage(builder.build(0), {
    rules: () => ({ byKind: new Map(), forAll: [testRule], forGhosts: ghost, otherwise: () => [] }),
    assess: () => undefined,
  });
}

const app = (name: string, resources: readonly string[]): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  fault: { kind: 'delegating', phase: 'ready' },
  status: { resources: resources.map((pod) => ({ kind: 'Pod', namespace: 'shop', name: pod })) },
});
const pod = (name: string, fault: JsonObject, secrets: readonly string[] = [], more: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  fault,
  spec: {
    containers: [
      {
        name: 'app',
        env: secrets.map((secret) => ({ name: 'X', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } })),
      },
    ],
    ...more,
  },
});
const secret = (name: string, fault?: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  ...(fault === undefined ? {} : { fault }),
});
const configure = { kind: 'delegating', phase: 'configure' };
const roots = ({ causes }: Report): string[] =>
  causes.map(({ kind, objects }) => `${kind} ${objects.map(({ name }) => name).join('+')}`);

it('follows what a phase needs down to the missing object', () => {
  const found = report([app('web', ['a']), pod('a', configure, ['gone']), secret('other')]);
  expect(roots(found)).toEqual(['fault gone']);
  expect(found.causes[0]?.chain.map(({ object, grade }) => `${object} ${grade}`)).toEqual([
    'Application argocd/web ',
    'Pod shop/a A',
    'Secret shop/gone B',
  ]);
  expect(found.causes[0]?.reach.names).toEqual(['web']);
});

it('does not blame what another phase needs', () => {
  expect(roots(report([pod('a', { kind: 'delegating', phase: 'pull' }, ['gone']), secret('other')]))).toEqual([
    'unexplained a',
  ]);
});

it('does not blame what it could not read, and says so', () => {
  const found = report([pod('a', configure, ['hidden'])]);
  expect(roots(found)).toEqual(['unexplained a']);
  expect(found.causes[0]?.unverified).toEqual(['Secret shop/hidden']);
  expect(found.causes[0]?.confidence).toBe('lead');
});

it('blames a named object first', () => {
  expect(roots(report([pod('a', { ...configure, target: 'two' }, ['one', 'two']), secret('other')]))).toEqual([
    'fault two',
  ]);
});

it('groups faults with the same signature', () => {
  const leaf = { kind: 'leaf', phase: 'schedule', signature: 'taint' };
  const found = report([app('x', ['a']), app('y', ['b']), pod('a', leaf), pod('b', leaf)]);
  expect(roots(found)).toEqual(['fault a+b']);
  expect(found.causes[0]).toMatchObject({ title: 'one cause', reach: { count: 2 } });
});

it('reports a cycle as one cause with the cheapest place to break it', () => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'shop' },
    fault: { kind: 'delegating', phase: 'schedule' },
  };
  const found = report([
    claim,
    pod('a', { kind: 'delegating', phase: 'schedule' }, [], {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
    }),
  ]);
  expect(roots(found)).toEqual(['circle data+a']);
  expect(found.causes[0]?.title).toContain('wait for each other');
});

it('counts an application with two causes as healed by neither alone, and orders by share', () => {
  const found = report([
    app('x', ['a', 'b']),
    app('y', ['b', 'c']),
    app('z', ['b', 'a']),
    pod('a', configure, ['s1']),
    pod('b', configure, ['s2']),
    pod('c', configure, ['s3']),
    secret('other'),
  ]);
  expect(found.causes.map(({ objects, alone, heals }) => [objects[0]?.name, alone, heals])).toEqual([
    ['s2', 0, 0],
    ['s1', 0, 2],
    ['s3', 0, 1],
  ]);
});

it('is the same for every order of objects', () => {
  const objects = [
    app('x', ['a', 'b']),
    app('y', ['b', 'c']),
    pod('a', configure, ['s1']),
    pod('b', configure, ['s2', 's1']),
    pod('c', configure, ['s3']),
    secret('other'),
  ];
  const first = JSON.stringify(report(objects));
  for (let turn = 1; turn < objects.length; turn++)
    expect(JSON.stringify(report([...objects.slice(turn), ...objects.slice(0, turn)].reverse()))).toBe(first);
});

it('ends on a cycle of owners', () => {
  const owned = (name: string, owner: string): KubeObject => ({
    ...pod(name, { kind: 'leaf', phase: 'run' }),
    metadata: {
      name,
      namespace: 'shop',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: owner, uid: owner }],
    },
  });
  expect(report([owned('a', 'b'), owned('b', 'a')]).causes.length).toBeGreaterThan(0);
});

it('checks what later phases need: a pod fails in one phase at a time', () => {
  const unscheduled = { kind: 'leaf', phase: 'schedule', signature: 'taint' };
  const found = report([
    app('x', ['a']),
    app('y', ['b']),
    app('z', ['c']),
    pod('a', unscheduled, ['s1', 's2']),
    pod('b', unscheduled, ['s1']),
    pod('c', configure, ['s1']),
    secret('other'),
  ]);
  const [names, taint] = [
    new Map(found.causes.map(({ name, objects }) => [objects[0]?.name, name])),
    found.causes.find(({ objects }) => objects[0]?.name === 'a'),
  ];
  expect(taint?.next).toEqual([
    { cause: names.get('s1'), says: 'Secret shop/s1 is absent', pods: 2 },
    { cause: '', says: 'Secret shop/s2 is absent', pods: 1 },
  ]);
  expect(found.causes.find(({ objects }) => objects[0]?.name === 's1')?.next).toEqual([]);
});
