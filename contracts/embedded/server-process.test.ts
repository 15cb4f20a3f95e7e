import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
let data: string;
let up: ChildProcess;
let output: { out: string; err: string };

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'argosy-up-'));
  await start();
});

afterEach(async () => {
  await end('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

/** `argosy up` as a person starts it; resolves when it says that it is up. */
async function start(): Promise<void> {
  output = { out: '', err: '' };
  up = spawn(
    process.execPath,
    [
      '--disable-proto=delete',
      MAIN,
      'up',
      '--no-demo',
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
  if (up.exitCode !== null || up.signalCode !== null) return up.exitCode;
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

it('serves from a process below argosy up, and both end together', async () => {
  const below = server();
  expect(below).not.toBe(up.pid);
  expect(await end('SIGINT')).toBe(0);
  expect(output.err).not.toContain('argosy:');
  expect(() => process.kill(below, 0)).toThrow('ESRCH');
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
    `argosy: port ${new URL(metrics).port} is used by another program (--metrics-port). Choose another ` +
      'port, or 0 for any free one',
  );
  expect(code).toBe(20);
});

it('ends with a sentence when the server ends by itself', async () => {
  const gone = once(up, 'close');
  process.kill(server(), 'SIGKILL');
  await gone;
  expect(up.exitCode).toBe(20);
  expect(output.err).toContain(
    'argosy: the embedded cluster ended by itself (SIGKILL). Start it again; what was stored is kept\n',
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
