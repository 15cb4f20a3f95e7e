import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startChild, type Child } from '../../contracts/real/child.js';
import { startRealControlPlane } from '../../contracts/real/control-plane.js';
import type { Target } from './wire.js';

/** A server under measurement. `restart` keeps the data. */
export interface Contender {
  readonly target: Target;
  /** Every process that serves. */
  readonly pids: readonly number[];
  /** From the latest spawn to the first good `/readyz`. */
  readonly readyMs: number;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const READY_WITHIN = 60_000;
/** The harness of the real server asks as often. */
const POLL_INTERVAL = 5;

/**
 * Argosy's server as a user starts it, without controllers, because nothing acts on objects on the other side either.
 */
export async function startOurs(main: string): Promise<Contender> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-bench-'));
  process.once('exit', () => {
    rmSync(dir, { recursive: true, force: true });
  });
  let up = await launch(main, dir);
  return {
    get target() {
      return up.target;
    },
    get pids() {
      return [up.child.pid];
    },
    get readyMs() {
      return up.readyMs;
    },
    async restart() {
      await up.child.stop();
      up = await launch(main, dir);
    },
    async stop() {
      await up.child.stop('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface Launched {
  readonly child: Child;
  readonly target: Target;
  readonly readyMs: number;
}

async function launch(main: string, dir: string): Promise<Launched> {
  const args = ['--disable-proto=delete', main, 'apiserver', '--data', dir, '--api-port', '0', '--controllers', 'none'];
  const started = performance.now();
  const child = startChild(process.execPath, args, join(dir, 'apiserver.log'));
  const run = join(dir, 'run.json');
  await until(child, () => existsSync(run) && readFileSync(run, 'utf8').includes(`${child.pid}`));
  const { api: url } = JSON.parse(readFileSync(run, 'utf8')) as { api: string };
  const pki = (file: string): string => readFileSync(join(dir, 'pki', file), 'utf8');
  const agent = new Agent({ connect: { ca: pki('ca.crt') } });
  await until(child, async () => (await readyz(url, agent)) === 200);
  const readyMs = performance.now() - started;
  await agent.destroy();
  return { child, readyMs, target: { url, ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') } };
}

async function until(child: Child, done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + READY_WITHIN;
  while (!(await done())) {
    child.assertAlive();
    if (Date.now() > deadline)
      throw new Error(`the server is not ready after ${READY_WITHIN / 1000} s; see ${child.logPath}`);
    await delay(POLL_INTERVAL);
  }
}

async function readyz(url: string, agent: Agent): Promise<number> {
  const { statusCode, body } = await request(`${url}/readyz`, { dispatcher: agent });
  await body.dump();
  return statusCode;
}

/** kube-apiserver and etcd. A restart is one of kube-apiserver alone: etcd stays, which is in its favour. */
export async function startReal(): Promise<Contender> {
  const plane = await startRealControlPlane({ etcdFsync: true });
  return {
    target: { url: plane.url, ca: plane.caPem, token: plane.adminToken },
    get pids() {
      return [plane.pids.apiserver, plane.pids.etcd];
    },
    get readyMs() {
      return plane.readyMs;
    },
    restart: () => plane.restart(),
    stop: () => plane.stop(),
  };
}
