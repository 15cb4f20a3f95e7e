import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { connect, systemClock } from '../../cluster/index.js';
import { locateFields, makePatches } from '../../control/index.js';
import type { JsonObject } from '../../model/json/index.js';
import {
  createRuleSet,
  SnapshotBuilder,
  triage,
  WhatIf,
  type Report,
  type Snapshot,
  type Edit,
} from '../../triage/index.js';
import type { CliHost } from '../host/cli-host.js';
import { applyFixes, jsonPatch } from './apply-fixes.js';
import { commitBranch } from './commit-branch.js';
import { openCheckouts } from './open-checkouts.js';
import { writeFixes } from './write-fixes.js';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));
const folder = (): string => folders[folders.push(mkdtempSync(join(tmpdir(), 'fixes-'))) - 1] ?? '';

function judged(objects: readonly JsonObject[]): { snapshot: Snapshot; report: Report } {
  const builder = new SnapshotBuilder();
  for (const each of objects) builder.add(structuredClone(each), 'test');
  const snapshot = builder.build(0);
  return { snapshot, report: triage(snapshot, { rules: createRuleSet, assess: () => undefined }) };
}

const SERVICE =
  'apiVersion: v1\nkind: Service\nmetadata: {name: news}\nspec:\n  selector: {app: nwes} # ours\n  ports:\n ' +
  ' - port: 80\n';
const URL = 'https://git.example/news.git';
const WORLD: readonly JsonObject[] = [
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'news', namespace: 'argocd' },
    spec: { destination: { namespace: 'shop' }, source: { repoURL: URL, path: 'plain' } },
    status: { resources: [{ kind: 'Service', namespace: 'shop', name: 'news' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'other', namespace: 'shop' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'news', namespace: 'shop' },
    spec: { selector: { app: 'nwes' }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'news', namespace: 'shop' },
    spec: { replicas: 1, template: { metadata: { labels: { app: 'news' } } } },
    status: { availableReplicas: 1, updatedReplicas: 1, readyReplicas: 1 },
  },
];

it('writes patches that git applies, and commits them to a branch without touching the clone', () => {
  const clone = folder();
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', URL);
  execFileSync('mkdir', [join(clone, 'plain')]);
  writeFileSync(join(clone, 'plain/service.yaml'), SERVICE);
  git('add', '.');
  git('commit', '-qm', 'first');
  const { snapshot, report } = judged(WORLD);
  const sets = makePatches(report.causes, snapshot, openCheckouts([clone], []));
  const out = folder();
  const written = writeFixes(out, report, sets);
  expect(readdirSync(out).sort()).toEqual([...written].sort());
  const patch = written.find((name) => name.endsWith('.patch')) ?? '';
  expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('plain/service.yaml:5');
  git('apply', '--check', join(out, patch));
  expect(commitBranch('repair', sets)[0]).toContain('repair is ');
  expect(git('show', 'repair:plain/service.yaml')).toBe(SERVICE.replace('nwes', 'news'));
  expect([readFileSync(join(clone, 'plain/service.yaml'), 'utf8'), git('status', '--porcelain')]).toEqual([
    SERVICE,
    '',
  ]);
  expect(() => commitBranch('repair', sets)).toThrow('already exists');
});

it('finds manifests that no Application delivers in a clone without a remote, and says where they stand', () => {
  const clone = folder();
  execFileSync('git', ['-C', clone, 'init', '-q', '-b', 'main']);
  writeFileSync(join(clone, 'news.yaml'), `# by hand\n${SERVICE}`);
  const { snapshot, report } = judged(WORLD.filter(({ kind }) => kind !== 'Application'));
  const checkouts = openCheckouts([clone], []);
  const trial = new WhatIf(snapshot, report, { rules: createRuleSet, assess: () => undefined });
  const [set] = makePatches(report.causes, snapshot, checkouts, (cause, repair) => trial.expect(cause, repair));
  expect([set?.patches.map(({ file, line }) => `${file}:${line}`), set?.unsolved, set?.expected?.vanishes]).toEqual([
    ['news.yaml:6'],
    [],
    true,
  ]);
  const object = { group: '', kind: 'Service', namespace: 'shop', name: 'news' };
  expect(locateFields([{ object, path: ['spec', 'selector', 'app'] }], checkouts)).toEqual([
    { file: 'news.yaml', line: 6 },
  ]);
  expect(() => openCheckouts(['/does/not/exist'], [])).toThrow('does not exist');
});

it('applies fixes to the cluster only after a dry run and a confirmation', async () => {
  const asked: string[] = [];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'db-0', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
  };
  const answers: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups: [] },
    '/api/v1': {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [{ name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get', 'delete'] }],
    },
    '/api/v1/namespaces/shop/pods/db-0': pod,
  };
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      if (request.method === 'DELETE') asked.push(`${path} ${body}`);
    });
    response.writeHead(answers[path] === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        answers[path] ?? { kind: 'Status', status: 'Failure', reason: 'NotFound', message: 'not found', code: 404 },
      ),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const cluster = connect(
    {
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      context: 'test',
      namespace: '',
      user: {},
    } as Parameters<typeof connect>[0],
    { clock: systemClock, random: () => 0, report: () => undefined },
    { version: '1', environment: {}, readOnly: false },
  );
  const taint = { key: 'env', value: 'dev', effect: 'NoSchedule' };
  const { report } = judged([
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      spec: { taints: [taint] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'shop' },
      spec: { replicas: 1, template: { spec: { tolerations: [taint] } } },
      status: { updateRevision: 'db-2' },
    },
    {
      ...pod,
      metadata: {
        ...pod.metadata,
        labels: { 'controller-revision-hash': 'db-1' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' }],
      },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: 1 node(s) had untolerated taint {env: dev}.',
          },
        ],
      },
    },
  ]);
  const told: string[] = [];
  const host = (yes: boolean): CliHost =>
    ({
      stdout: { write: (text: string) => told.push(text) },
      confirm: () => Promise.resolve(yes),
    }) as unknown as CliHost;
  try {
    await applyFixes(report, cluster, host(false));
    expect(asked.map((text) => text.includes('"dryRun":["All"]'))).toEqual([true]);
    await applyFixes(report, cluster, host(true));
    expect(asked.slice(1).map((text) => text.includes('"dryRun":["All"]'))).toEqual([true, false]);
    expect(
      asked.every((text) => text.startsWith('/api/v1/namespaces/shop/pods/db-0 ') && text.includes('"uid":"u1"')),
    ).toBe(true);
    expect(told.join('')).toContain('delete Pod shop/db-0: dry run succeeded');
  } finally {
    await cluster.close();
    server.close();
  }
});

it('creates patches that fail if the object was recreated', () => {
  const live = {
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', resourceVersion: '3' },
    spec: { list: [1], a: 1 },
  };
  const object = { group: '', kind: 'X', namespace: '', name: 'x' };
  expect(jsonPatch(live, [{ object, path: ['spec', 'list'], change: { kind: 'add', value: 2 } }])).toEqual([
    { op: 'test', path: '/metadata/resourceVersion', value: '3' },
    { op: 'add', path: '/spec/list/-', value: 2 },
  ]);
  expect(jsonPatch(live, [{ object, path: ['spec', 'b'], change: { kind: 'remove' } }])).toBeUndefined();
  const adding = (value: string): Edit => ({
    object,
    path: ['spec', 'sync', 'options'],
    change: { kind: 'add', value },
  });
  expect(jsonPatch(live, [adding('a'), adding('b')])?.slice(1)).toEqual([
    { op: 'add', path: '/spec/sync', value: { options: ['a'] } },
    { op: 'add', path: '/spec/sync/options/-', value: 'b' },
  ]);
});

it('a repository is found by its origin, and by the address that names its folder', () => {
  const place = folder();
  execFileSync('git', ['init', '-q', place]);
  expect(openCheckouts([place], []).map(({ url }) => url)).toEqual([`file://${place}`]);
  execFileSync('git', ['-C', place, 'remote', 'add', 'origin', URL]);
  expect(openCheckouts([place], []).map(({ url }) => url)).toEqual([URL, `file://${place}`]);
  expect(() => openCheckouts([folder()], [])).toThrow('is no git repository');
});
