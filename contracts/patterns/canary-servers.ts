import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { startChild } from '../real/child.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';

/** A server as a process, with everything that it leaves behind in one folder. */
export interface WatchedServer {
  readonly kubeconfig: string;
  readonly folder: string;
  /** Where the objects themselves are kept, Secrets among them. */
  readonly store: string;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/main.js');
const READY_WITHIN = 60_000;

/** The servers that the chain is played on: ours with its world, and the real one with an audit log. */
export const WATCHED_SERVERS: readonly {
  readonly name: 'embedded' | 'real';
  readonly missing: () => Promise<string | undefined>;
  readonly open: () => Promise<WatchedServer>;
}[] = [
  { name: 'embedded', missing: () => Promise.resolve(embeddedMissing()), open: openEmbedded },
  {
    name: 'real',
    missing: async () => {
      const parts = await realParts(['etcd', 'kube-apiserver']);
      return parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : embeddedMissing();
    },
    open: async () => {
      const { kubeconfigPath, dir, stop } = await startRealControlPlane({ etcdFsync: false, audit: true });
      return { kubeconfig: kubeconfigPath, folder: dir, store: 'etcd', stop };
    },
  },
];

async function openEmbedded(): Promise<WatchedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-canary-'));
  const child = startChild(
    process.execPath,
    ['--disable-proto=delete', MAIN, 'apiserver', '--data', folder, '--api-port', '0', '--world', join(ROOT, 'world')],
    join(folder, 'apiserver.log'),
  );
  for (const end = Date.now() + READY_WITHIN; !existsSync(join(folder, 'run.json')); await delay(20)) {
    child.assertAlive();
    if (Date.now() > end) throw new Error(`the embedded server is not ready; see ${child.logPath}`);
  }
  return {
    kubeconfig: join(folder, 'kubeconfig'),
    folder,
    store: 'store',
    stop: async () => {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
