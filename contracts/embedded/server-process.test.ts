import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { GitRepository } from '../harness/git-repository.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { APPLICATIONS, PODS } from '../../src/model/resources/index.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
let data = '';
let up: ChildProcess;
let output: { out: string; err: string };

/** Tests that leave it running share one. */
beforeEach(async () => {
  if (isRunning()) return;
  if (data !== '') rmSync(data, { recursive: true, force: true });
  data = mkdtempSync(join(tmpdir(), 'argosy-up-'));
  await start();
});

afterAll(async () => {
  await end('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

function isRunning(): boolean {
  return data !== '' && up.exitCode === null && up.signalCode === null;
}

/** `argosy up` as a person starts it; resolves when it says that it is up. */
async function start(...more: readonly string[]): Promise<void> {
  output = { out: '', err: '' };
  up = spawn(
    process.execPath,
    [
      '--disable-proto=delete',
      MAIN,
      'up',
      '--no-demo',
      ...more,
      '--data',
      data,
      '--api-port',
      '0',
      '--metrics-port',
      '0',
      '--port',
      '0',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  up.stderr?.on('data', (chunk: Buffer) => {
    output.err += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    up.stdout?.on('data', (chunk: Buffer) => {
      output.out += chunk.toString();
      if (output.out.includes('Argosy is up')) resolve();
    });
    up.once('exit', () => {
      reject(new Error(`argosy up ended: ${output.err}`));
    });
  });
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  if (!isRunning()) return up.exitCode;
  const gone = once(up, 'close');
  up.kill(signal);
  await gone;
  return up.exitCode;
}

/** The process that serves the data directory, as other programs read it. */
function server(): number {
  return (JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { pid: number }).pid;
}

it('says in run.json where its parts are', async () => {
  const { web, metrics } = JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { web: string; metrics: string };
  expect((await fetch(`${web}/healthz`)).status).toBe(200);
  expect((await fetch(`${metrics}/metrics`)).status).toBe(200);
});

it('ends with a sentence when a port is taken', async () => {
  const { metrics } = JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { metrics: string };
  const other = mkdtempSync(join(tmpdir(), 'argosy-second-'));
  const second = spawn(
    process.execPath,
    [
      '--disable-proto=delete',
      MAIN,
      'up',
      '--no-demo',
      '--data',
      other,
      '--api-port',
      '0',
      '--port',
      '0',
      '--metrics-port',
      new URL(metrics).port,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  second.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(second, 'close')) as [number | null];
  rmSync(other, { recursive: true, force: true });
  expect(said.trim().split('\n').at(-1)).toBe(
    `argosy: port ${new URL(metrics).port} is already in use (--metrics-port). Choose another ` +
      'port, or 0 for any free one',
  );
  expect(code).toBe(20);
});

it('a controller logs one JSON object a line, with the application and the fault', async () => {
  const repository = await GitRepository.open(data, [], (text) => text);
  const cluster = await connectCluster(join(data, 'kubeconfig'));
  const controller = spawn(
    process.execPath,
    [
      '--disable-proto=delete',
      MAIN,
      'controller',
      ...['--kubeconfig', join(data, 'kubeconfig'), '--data', join(data, 'second'), '--namespace', 'logged'],
      ...['--metrics-port', '0', '--allow-file-repos', tmpdir()],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const entries: Record<string, string>[] = [];
  const lines = createInterface({ input: controller.stderr });
  lines.on('line', (line) => entries.push(JSON.parse(line) as Record<string, string>));
  const until = async (msg: RegExp): Promise<Record<string, string>> => {
    for (const stop = Date.now() + 30_000; Date.now() < stop; ) {
      const found = entries.find((entry) => msg.test(entry['msg'] ?? ''));
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`no line ${String(msg)} in ${JSON.stringify(entries)}`);
  };
  try {
    expect(await until(/^started leading as /)).toMatchObject({ level: 'info', room: 'control' });
    await repository.write('a/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n');
    await repository.commit();
    await cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace: 'logged', name: 'shop' },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: 'a', targetRevision: 'HEAD' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
        syncPolicy: { automated: {} },
      },
    });
    expect(await until(/^Application created$/)).toMatchObject({ app: 'logged/shop' });
    expect(await until(/^Initiated automated sync to /)).toMatchObject({ level: 'info', app: 'logged/shop' });
    expect(await until(/^Sync operation to \w+ succeeded$/)).toMatchObject({ level: 'info', app: 'logged/shop' });
    for (const entry of entries) {
      expect(Object.keys(entry)).toEqual(KEYS.filter((key) => key in entry));
      expect(new Date(entry['time'] ?? '').toISOString()).toBe(entry['time']);
    }
  } finally {
    controller.kill('SIGKILL');
    await cluster.close();
    await repository.close();
  }
});

const KEYS = ['time', 'level', 'msg', 'room', 'app', 'object', 'fault'];

it('serves from a process below argosy up, and both end together', async () => {
  const below = server();
  expect(below).not.toBe(up.pid);
  expect(await end('SIGINT')).toBe(0);
  expect(output.err).not.toContain('argosy:');
  expect(() => process.kill(below, 0)).toThrow('ESRCH');
});

it('starts the server again when it ends by itself, and ends with a sentence at the fourth time', async () => {
  const { api, web } = JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { api: string; web: string };
  const gone = once(up, 'close');
  for (let time = 0; time < 4; time++) {
    const before = server();
    process.kill(before, 'SIGKILL');
    if (time === 3) break;
    await vi.waitFor(() => {
      expect(JSON.parse(readFileSync(join(data, 'run.json'), 'utf8'))).toMatchObject({ api, web });
      expect(server()).not.toBe(before);
    }, 30_000);
  }
  await gone;
  expect(up.exitCode).toBe(20);
  expect(output.err).toContain(
    'argosy: the embedded cluster exited unexpectedly (SIGKILL). Restart it; stored data is kept\n',
  );
});

it('stops in order when the server is the one that is asked to stop', async () => {
  const gone = once(up, 'close');
  process.kill(server(), 'SIGTERM');
  await gone;
  expect([up.exitCode, output.err.includes('was not given back')]).toEqual([0, false]);
});

it('leaves no server behind when it is killed, and can be started again at once', async () => {
  // The server holds the same pipes: they close when it is gone too.
  await end('SIGKILL');
  await start();
  expect(await end('SIGTERM')).toBe(0);
});

it('in safe mode serves what is stored and works on nothing', async () => {
  await end('SIGTERM');
  await start('--safe-mode');
  expect(output.out).toContain('safe mode: nothing works on what is stored');
  const { web, metrics } = JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as {
    web: string;
    metrics?: string;
  };
  expect([(await fetch(`${web}/healthz`)).status, metrics]).toEqual([200, undefined]);
  const cluster = await connectCluster(join(data, 'kubeconfig'));
  await cluster.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: 'poison' },
    spec: { serviceAccountName: 'default', containers: [{ name: 'a', image: 'a' }] },
  });
  const pod = await cluster.get(PODS, { namespace: 'default', name: 'poison' });
  expect(pod?.spec).not.toHaveProperty('nodeName');
  await cluster.remove(
    PODS,
    { namespace: 'default', name: 'poison' },
    {
      uid: pod?.metadata.uid ?? '',
      gracePeriodSeconds: 0,
    },
  );
  await cluster.close();
});
