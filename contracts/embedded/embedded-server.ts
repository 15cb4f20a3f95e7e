import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

/**
 * Our server as a user starts it; without controllers unless asked for: beside a real kube-apiserver nothing acts on
 * objects either.
 */
export async function startEmbeddedServer(
  controllers: 'all' | 'none' = 'none',
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
