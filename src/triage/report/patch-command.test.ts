import { describe, expect, it } from 'vitest';
import type { Edit, Fix } from '../findings/index.js';
import { edgesOf, Graph } from '../graph/index.js';
import { SnapshotBuilder } from '../read/index.js';
import { patchCommands } from './patch-command.js';
import { shortened } from './plain-text.js';

const KEY = { group: '', kind: 'Service', namespace: 'shop', name: 'cart' };
const EDIT = ['kubectl edit -n shop service/cart'];

function commandsFor(edits: readonly Edit[], more: Partial<Fix> = {}): readonly string[] {
  const builder = new SnapshotBuilder();
  builder.add(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'cart', namespace: 'shop' },
      spec: { selector: { app: 'crat' }, ports: [{ port: 80 }] },
    },
    'test',
  );
  const fix: Fix = {
    where: 'cluster',
    say: '',
    commands: EDIT,
    risk: 'none',
    reversible: true,
    verify: '',
    edits,
    ...more,
  };
  return patchCommands(fix, new Graph(builder.build(0), edgesOf));
}

describe('the command of a fix', () => {
  it.each<[string, Edit['path'], Edit['change'], string]>([
    [
      'replaces what is there',
      ['spec', 'selector', 'app'],
      { kind: 'set', value: "it's" },
      `[{"op":"replace","path":"/spec/selector/app","value":"it'\\''s"}]`,
    ],
    [
      'adds what is not, with what is around it',
      ['metadata', 'labels', 'a/b'],
      { kind: 'set', value: 'c' },
      '[{"op":"add","path":"/metadata/labels","value":{"a/b":"c"}}]',
    ],
    [
      'adds an item to a list',
      ['spec', 'ports'],
      { kind: 'add', value: { port: 81 } },
      '[{"op":"add","path":"/spec/ports/-","value":{"port":81}}]',
    ],
    ['removes a field', ['spec', 'ports'], { kind: 'remove' }, '[{"op":"remove","path":"/spec/ports"}]'],
  ])('%s', (_name, path, change, patch) => {
    expect(commandsFor([{ object: KEY, path, change }])).toEqual([
      `kubectl patch -n shop service/cart --type=json -p '${patch}'`,
    ]);
  });

  it.each<[group: string, kind: string, path: Edit['path'], isPatched: boolean]>([
    ['batch', 'Job', ['spec', 'template', 'spec', 'tolerations'], false],
    ['', 'Pod', ['spec', 'containers', 0, 'command'], false],
    ['', 'Pod', ['spec', 'containers', 0, 'image'], true],
    ['', 'PersistentVolumeClaim', ['spec', 'storageClassName'], false],
    ['', 'PersistentVolumeClaim', ['spec', 'resources', 'requests', 'storage'], true],
    ['apps', 'Deployment', ['spec', 'selector', 'matchLabels', 'app'], false],
    ['apps', 'StatefulSet', ['spec', 'template', 'spec', 'tolerations'], true],
    ['rbac.authorization.k8s.io', 'RoleBinding', ['roleRef', 'name'], false],
  ])('asks nobody to change what cannot be changed: %s/%s %s', (group, kind, path, isPatched) => {
    const key = { group, kind, namespace: 'shop', name: 'cart' };
    const builder = new SnapshotBuilder();
    const containers = [{ name: 'cart', image: 'cart:1', command: ['cart'] }];
    builder.add(
      {
        apiVersion: group === '' ? 'v1' : `${group}/v1`,
        kind,
        metadata: { name: 'cart', namespace: 'shop' },
        spec: { containers, selector: { matchLabels: { app: 'a' } }, template: { spec: {} } },
        roleRef: { name: 'cart' },
      },
      'test',
    );
    const edit: Edit = { object: key, path, change: { kind: 'set', value: 'new' } };
    const fix: Fix = {
      where: 'cluster',
      say: '',
      commands: EDIT,
      risk: 'none',
      reversible: true,
      verify: '',
      edits: [edit],
    };
    const commands = patchCommands(fix, new Graph(builder.build(0), edgesOf));
    expect(commands.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(isPatched ? ['kubectl patch'] : []);
  });

  it('stays an edit where the place is not exactly known, and what git delivers is not patched', () => {
    const edit: Edit = { object: KEY, path: ['**', 'app'], change: { kind: 'set', value: 'cart' } };
    expect(commandsFor([edit])).toEqual(EDIT);
    expect(commandsFor([])).toEqual(EDIT);
    const exact: Edit = { ...edit, path: ['spec', 'selector', 'app'] };
    expect(commandsFor([exact], { where: 'git', commands: [] })).toEqual([]);
    expect(commandsFor([{ ...exact, object: { ...KEY, name: 'gone' } }])).toEqual(EDIT);
  });
});

it('a message in short keeps its reason, which stands at its end', () => {
  const message = `failed to pull image "registry.example/${'very/'.repeat(40)}long:1": rpc error: not found`;
  const short = shortened(message, 100);
  expect([
    short.length <= 100,
    short.startsWith('failed to pull image'),
    short.endsWith('rpc error: not found'),
  ]).toEqual([true, true, true]);
  expect(
    shortened('0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No victims.', 50),
  ).toBe('0/3 nodes are available: 3 Insufficient cpu.');
});
