import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startApiServer } from '../../src/apiserver/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { startChild } from '../real/child.js';

interface EmbeddedServer {
  readonly kubeconfigPath: string;
  readonly dir: string;
  stop(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const READY_WITHIN = 20_000;

/** Why our server cannot be started here, as the name of a skip. */
export function embeddedMissing(): string | undefined {
  return existsSync(MAIN) ? undefined : 'skipped: embedded (dist/main.js is not built: npm run build)';
}

type Controllers = 'all' | 'none';

/**
 * Our server in this process, reached over HTTP as any other: a process of its own costs a second of processor time.
 * Without controllers unless asked for: beside a real kube-apiserver nothing acts on objects either.
 */
export async function startEmbeddedServer(controllers: Controllers = 'none'): Promise<EmbeddedServer> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-embedded-'));
  const server = await startApiServer({ data: dir, port: 0, controllers: controllers === 'all', log: NO_LOG });
  let closed: Promise<void> | undefined;
  return {
    kubeconfigPath: server.kubeconfig,
    dir,
    stop: async () => {
      closed ??= server.close();
      await closed;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * Our server as a user starts it, for suites that show the process itself, and for those that talk to it while they
 * block this one.
 */
export async function startEmbeddedProcess(
  controllers: Controllers = 'none',
  processImages: readonly string[] = [],
): Promise<EmbeddedServer> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-embedded-'));
  const args = [
    '--disable-proto=delete',
    MAIN,
    'apiserver',
    '--data',
    dir,
    '--api-port',
    '0',
    '--controllers',
    controllers,
    ...(processImages.length === 0
      ? []
      : ['--runtime', 'process', ...processImages.flatMap((image) => ['--process-image', image])]),
  ];
  const child = startChild(process.execPath, args, join(dir, 'apiserver.log'));
  const kubeconfigPath = join(dir, 'kubeconfig');
  const deadline = Date.now() + READY_WITHIN;
  while (!existsSync(join(dir, 'run.json')) || !existsSync(kubeconfigPath)) {
    child.assertAlive();
    if (Date.now() > deadline) throw new Error(`the embedded server is not ready; see ${child.logPath}`);
    await delay(20);
  }
  return {
    kubeconfigPath,
    dir,
    stop: async () => {
      await child.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
