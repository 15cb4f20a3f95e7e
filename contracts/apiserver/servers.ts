import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../real/child.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import type { ServerName } from './case.js';
import { Connection } from './connection.js';

export interface Server {
  readonly connection: Connection;
  stop(): Promise<void>;
}

/** How to start a server, or why it cannot be started here. */
interface Implementation {
  readonly name: ServerName;
  readonly missing: () => Promise<string | undefined>;
  readonly open: () => Promise<Server>;
}

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const EMBEDDED_READY_WITHIN = 20_000;

const IMPLEMENTATIONS: readonly Implementation[] = [
  {
    name: 'real',
    missing: async () => {
      const parts = await realParts(['etcd', 'kube-apiserver']);
      return parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : undefined;
    },
    open: openReal,
  },
  {
    name: 'embedded',
    missing: () => Promise.resolve(existsSync(MAIN) ? undefined : 'skipped: embedded (dist/main.js is not built: npm run build)'),
    open: openEmbedded,
  },
];

/** The servers that ARGOSY_CONTRACT asks for: real, embedded, or both. */
export function chosenServers(): readonly Implementation[] {
  const wish = process.env['ARGOSY_CONTRACT'] ?? 'both';
  return IMPLEMENTATIONS.filter(({ name }) => wish === 'both' || wish === name);
}

export async function openReal(): Promise<Server> {
  const plane = await startRealControlPlane({ etcdFsync: false });
  const connection = new Connection(plane.kubeconfigPath);
  return {
    connection,
    stop: async () => {
      await connection.close();
      await plane.stop();
    },
  };
}

/** Our server as a user starts it, without controllers: on the real side nothing acts on objects either. */
async function openEmbedded(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-embedded-'));
  const args = ['--disable-proto=delete', MAIN, 'apiserver', '--data', dir, '--api-port', '0', '--controllers', 'none'];
  const child = startChild(process.execPath, args, join(dir, 'apiserver.log'));
  const deadline = Date.now() + EMBEDDED_READY_WITHIN;
  while (!existsSync(join(dir, 'run.json')) || !existsSync(join(dir, 'kubeconfig'))) {
    child.assertAlive();
    if (Date.now() > deadline) throw new Error(`the embedded server is not ready; see ${child.logPath}`);
    await delay(20);
  }
  const connection = new Connection(join(dir, 'kubeconfig'));
  return {
    connection,
    stop: async () => {
      await connection.close();
      await child.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
