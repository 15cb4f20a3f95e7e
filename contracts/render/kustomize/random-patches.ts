import type { JsonObject } from '../../../src/model/json/index.js';
import type { Chance } from './chance.js';
import { NAMES } from './random-resources.js';

const KINDS: readonly (readonly [string, string])[] = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['v1', 'ConfigMap'],
  ['v1', 'Service'],
  ['example.com/v1', 'Thing'],
  ['v1', 'Secret'],
];

/** Some patches, mostly by target, so that a build does not fail where no object has the name. */
export function randomPatches(chance: Chance): JsonObject {
  return { patches: chance.times(1, 3).map(() => (chance.is(0.5) ? mergePatch(chance) : jsonPatch(chance))) };
}

function mergePatch(chance: Chance): JsonObject {
  const [apiVersion, kind] = chance.one(KINDS);
  const isTargeted = chance.is(0.95);
  const lines = [
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${chance.one(NAMES)}`,
    ...metadata(chance),
    ...body(kind, chance),
  ];
  if (chance.is(0.06)) lines.unshift(`$patch: ${chance.one(['delete', 'replace', 'merge'])}`);
  return {
    patch: `${lines.join('\n')}\n`,
    ...(isTargeted && { target: target(kind, chance) }),
    ...(chance.is(0.1) && { options: chance.one([{ allowNameChange: true }, { allowKindChange: true }]) }),
  };
}

function target(kind: string, chance: Chance): JsonObject {
  return chance.one<JsonObject>([
    { kind },
    { kind, name: chance.one([...NAMES, 'w.*', 'web|api']) },
    { kind, labelSelector: chance.one(['app=web', 'app', '!app', 'app in (web,x)']) },
    { kind, namespace: 'one' },
  ]);
}

function metadata(chance: Chance): string[] {
  const lines: string[] = [];
  if (chance.is(0.3)) lines.push(`  labels: {app: ${chance.one(['new', 'null', '"2"', '3'])}}`);
  if (chance.is(0.3)) lines.push(`  annotations: {patched: ${chance.one(['"1"', 'x', 'null'])}}`);
  return lines;
}

function body(kind: string, chance: Chance): string[] {
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
      return workload(chance);
    case 'ConfigMap':
      return [
        'data:',
        `  ${chance.one(['host', 'value', 'fresh'])}: ${chance.one(['new', 'null', '"9"', '|\n    a\n    b'])}`,
      ];
    case 'Secret':
      return ['stringData:', `  a: ${chance.one(['new', 'null'])}`];
    case 'Service':
      return [
        'spec:',
        '  ports:',
        `  - port: ${chance.one(['80', '81'])}`,
        `    ${chance.one(['name: x', 'protocol: TCP', 'targetPort: 9', '$patch: delete'])}`,
      ];
    default:
      return [
        'spec:',
        `  value: ${chance.one(['new', 'null', '{a: 2}', '[3]', '5'])}`,
        '  list:',
        '  - name: b',
        '    v: 2',
        ...(chance.is(0.3) ? ['  deep: null'] : []),
      ];
  }
}

function workload(chance: Chance): string[] {
  const lines = ['spec:'];
  if (chance.is(0.3)) lines.push(`  replicas: ${chance.one(['3', 'null', '"4"'])}`);
  lines.push('  template:', '    spec:');
  if (chance.is(0.3)) lines.push('      tolerations:', '      - key: b');
  lines.push('      containers:');
  if (chance.is(0.1)) lines.push('      - $patch: replace');
  lines.push(
    `      - name: ${chance.one(['main', 'side', 'fresh'])}`,
    '        ' +
      chance.one(['image: nginx:9', '$patch: delete', 'args: [x]', 'image: null', 'resources: {limits: {cpu: 1}}']),
  );
  if (chance.is(0.5))
    lines.push(
      '        env:',
      `        - name: ${chance.one(['HOST', 'NEW'])}`,
      '          ' +
        chance.one(['value: patched', 'value: null', '$patch: delete', 'valueFrom: {fieldRef: {fieldPath: a}}']),
    );
  if (chance.is(0.3))
    lines.push(
      '        ports:',
      ...chance.one([
        ['        - containerPort: 80', '          name: http'],
        ['        - {containerPort: 53, protocol: UDP, name: dns}'],
        ['        - {containerPort: 80, protocol: TCP}', '        - {containerPort: 90}'],
      ]),
    );
  if (chance.is(0.3))
    lines.push(
      '      volumes:',
      '      - name: v',
      `        ${chance.one(['emptyDir: {}', 'configMap: null', '$patch: delete'])}`,
    );
  return lines;
}

function jsonPatch(chance: Chance): JsonObject {
  const operations = chance.times(1, 2).map(() =>
    chance.one([
      { op: 'add', path: '/metadata/annotations/json', value: chance.one(['x', '1', 'yes']) },
      { op: 'add', path: '/metadata/labels', value: { only: 'this' } },
      { op: 'add', path: '/spec', value: { a: [1, 2.5, 'x', null, true] } },
      { op: 'replace', path: '/metadata/name', value: chance.one(NAMES) },
      { op: 'add', path: '/data', value: { host: 'json', large: 12_345_678 } },
      { op: 'test', path: '/kind', value: 'ConfigMap' },
      { op: 'remove', path: '/metadata/annotations' },
    ]),
  );
  const [, kind] = chance.one(KINDS);
  return {
    target: target(kind, chance),
    patch: chance.is(0.5)
      ? JSON.stringify(operations)
      : operations.map((operation) => `- ${JSON.stringify(operation)}\n`).join(''),
  };
}
