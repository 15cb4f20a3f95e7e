import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect, systemClock } from '../../cluster/index.js';
import { SnapshotBuilder } from '../../triage/index.js';
import { collectCluster, collectLogs } from './collect-cluster.js';
import { collectFiles } from './collect-files.js';

it('reads a cluster with GET only, and records what it may not read', async () => {
  const methods = new Set<string>();
  const resources = {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: ['Pod', 'Secret'].map((kind) => ({
      name: `${kind.toLowerCase()}s`,
      kind,
      namespaced: true,
      verbs: ['list', 'get', 'create'],
    })),
  };
  const pod = {
    metadata: { name: 'a', namespace: 'shop' },
    status: { containerStatuses: [{ name: 'app', ready: false, restartCount: 1, state: { waiting: {} } }] },
  };
  const answers: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups: [] },
    '/api/v1': resources,
    '/api/v1/pods': { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [pod] },
  };
  const server = createServer((request, response) => {
    methods.add(request.method ?? '');
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.endsWith('/log')) return void response.end('one\ntwo\n');
    const answer = answers[path];
    response.writeHead(answer === undefined ? 403 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        answer ?? {
          kind: 'Status',
          status: 'Failure',
          reason: 'Forbidden',
          message: 'secrets is forbidden',
          code: 403,
        },
      ),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cluster = connect(
    { server: address, context: 'test', namespace: '', user: {} } as Parameters<typeof connect>[0],
    { clock: systemClock, random: () => 0, report: () => undefined },
    { version: '1', environment: {}, readOnly: true },
  );
  try {
    const snapshot = await collectCluster(cluster, 5);
    expect(snapshot.objects.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`)).toEqual(['Pod a']);
    expect(snapshot.listings.map(({ kind, listing }) => `${kind} ${listing}`)).toEqual([
      'Pod complete',
      'Secret forbidden',
    ]);
    expect(snapshot.logs.map(({ previous, lines }) => [previous, lines])).toEqual([
      [false, ['one', 'two']],
      [true, ['one', 'two']],
    ]);
    expect([...methods]).toEqual(['GET']);
  } finally {
    await cluster.close();
    server.close();
  }
});

it('leaves out the logs of a node whose kubelet does not answer, after it was asked once', async () => {
  let asked = 0;
  const server = createServer(() => void asked++);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cluster = connect(
    { server: address, context: 'test', namespace: '', user: {} } as Parameters<typeof connect>[0],
    { clock: systemClock, random: () => 0, report: () => undefined },
    { version: '1', environment: {}, readOnly: true },
  );
  const pods = Array.from({ length: 40 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `web-${index}`, namespace: 'shop' },
    spec: { nodeName: 'edge' },
    status: { containerStatuses: [{ name: 'app', ready: false, restartCount: 0, state: { running: {} } }] },
  }));
  const builder = new SnapshotBuilder();
  try {
    await collectLogs(cluster, pods, builder, 200, 40);
    const { logs, problems, isPartial } = builder.build(0);
    expect(logs).toEqual([]);
    expect(problems).toEqual(['logs of pods on node edge: no answer within 0.04 seconds, they are left out']);
    expect(isPartial).toBe(true);
    expect(asked).toBeLessThan(pods.length);
  } finally {
    await cluster.close();
    server.closeAllConnections();
    server.close();
  }
});

it('reads a support bundle, a must-gather folder and a snapshot folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'triage-'));
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  try {
    write('bundle/cluster-resources/pods/shop.json', JSON.stringify([{ metadata: { name: 'a', namespace: 'shop' } }]));
    write('bundle/cluster-resources/pods/logs/shop/a/app-previous.log', 'boom\n');
    write(
      'gather/namespaces/shop/core/pods.yaml',
      'apiVersion: v1\nkind: PodList\nitems:\n- metadata:\n    name: b\n    namespace: shop\n',
    );
    write('gather/namespaces/shop/pods/b/app/app/logs/current.log', 'hello\n');
    write('own/snapshot.yaml', 'time: "2026-11-16T12:00:00Z"\nkinds: [pod.core]\n');
    write('own/objects/pod.core.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: c, namespace: shop}\n');
    write('own/git/main/pod.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: from-git, namespace: shop}\n');
    const snapshot = await collectFiles(
      ['bundle', 'gather', 'own'].map((name) => join(folder, name)),
      { now: 1 },
    );
    expect(snapshot.objects.map(({ kind, metadata }) => `${kind} ${metadata.name ?? ''}`)).toEqual([
      'Pod a',
      'Pod b',
      'Pod c',
    ]);
    expect(snapshot.logs.map(({ pod, previous, lines }) => [pod, previous, lines])).toEqual([
      ['a', true, ['boom']],
      ['b', false, ['hello']],
    ]);
    expect(snapshot.time).toBe(Date.parse('2026-11-16T12:00:00Z'));
    await expect(collectFiles([join(folder, 'absent')], { now: 1 })).rejects.toThrow('no such file');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('finds the pod of a log: by the lines around it, or by a pod name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'triage-'));
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  try {
    const pod = (namespace: string, name: string, ...containers: string[]): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { containers: containers.map((container) => ({ name: container })) },
    });
    write(
      'pods.json',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          pod('shop', 'web-7d-x2', 'server', 'proxy'),
          pod('shop', 'db-0', 'mysql'),
          pod('dev', 'db-0', 'mysql'),
          pod('shop', 'cart-1', 'cart'),
          pod('kube-system', 'dns-1', 'dns'),
        ],
      }),
    );
    write('logs/web-7d-x2_server.log', 'a\n');
    write('logs/web-7d-x2-proxy.previous.log', 'b\n');
    write('dev/db-0/output.log', 'c\n');
    write('db-0.log', 'whose is it\n');
    write('logs/cart-1.txt', '{"level":"error","msg":"d"}\n');
    write(
      'kube-system/dns-1/logs.txt',
      '==== START logs for container dns of pod kube-system/dns-1 ====\ne\n==== END logs for container dns ' +
        'of pod kube-system/dns-1 ====\n',
    );
    write('notes.log', 'nobody\n');
    const { logs, problems } = await collectFiles([folder], { now: 1 });
    expect(
      logs.map(({ namespace, pod: name, container, previous, lines }) => [
        `${namespace}/${name}/${container}`,
        previous,
        ...lines,
      ]),
    ).toEqual([
      ['dev/db-0/mysql', false, 'c'],
      ['kube-system/dns-1/dns', false, 'e'],
      ['shop/cart-1/cart', false, '{"level":"error","msg":"d"}'],
      ['shop/web-7d-x2/proxy', true, 'b'],
      ['shop/web-7d-x2/server', false, 'a'],
    ]);
    expect(problems).toEqual([]);
    await expect(collectFiles([join(folder, 'db-0.log')], { now: 1 })).rejects.toThrow('only logs');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('rejects what is not a dump: an empty result is no all-clear', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'triage-'));
  try {
    writeFileSync(join(folder, 'empty'), '');
    writeFileSync(join(folder, 'program'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]));
    for (const path of ['empty', 'program', '.'])
      await expect(collectFiles([join(folder, path)], { now: 0 })).rejects.toMatchObject({
        code: 'FILE_UNREADABLE',
        where: join(folder, path),
      });
    writeFileSync(join(folder, 'other.yaml'), 'colour: blue\n');
    await expect(collectFiles([folder], { now: 0 })).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('other.yaml') as string,
    });
    rmSync(join(folder, 'other.yaml'));
    writeFileSync(join(folder, 'list.json'), '{"apiVersion": "v1", "kind": "List", "items": []}');
    expect((await collectFiles([folder], { now: 0 })).objects).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
