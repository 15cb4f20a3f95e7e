import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../../../contracts/apiserver/connection.js';
import { startChild, type Child } from '../../../contracts/real/child.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');
const READY_WITHIN = 60_000;

/** The API server as a user starts it, in a process of its own. */
export interface KillableServer {
  readonly connection: Connection;
  /** From the start of the process to the first yes of /readyz. */
  readonly startMilliseconds: number;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** After a kill; ends what requests still wait for. */
  disconnect(): Promise<void>;
  stop(): Promise<void>;
}

export async function startServer(data: string): Promise<KillableServer> {
  const started = performance.now();
  const child = spawnServer(data);
  while (runningPid(data) !== child.pid) {
    child.assertAlive();
    if (performance.now() - started > READY_WITHIN) throw new Error(`the server is not ready; see ${child.logPath}`);
    await delay(4);
  }
  const connection = new Connection(join(data, 'kubeconfig'));
  const { code, text } = await connection.send({ method: 'GET', path: '/readyz', headers: {}, body: undefined });
  if (code !== 200) throw new Error(`/readyz answered ${code}: ${text}`);
  return {
    connection,
    startMilliseconds: performance.now() - started,
    kill: () => child.stop('SIGKILL'),
    disconnect: () => connection.close(),
    stop: async () => {
      await connection.close();
      await child.stop();
    },
  };
}

/** Starts a server and kills it before it may be ready. */
export async function startAndKill(data: string, after: number): Promise<void> {
  const child = spawnServer(data);
  await delay(after);
  child.assertAlive();
  await child.stop('SIGKILL');
}

function spawnServer(data: string): Child {
  return startChild(
    process.execPath,
    ['--disable-proto=delete', MAIN, 'apiserver', '--data', data, '--api-port', '0', '--controllers', 'none'],
    `${data}.log`,
  );
}

/** Which process says that it serves the directory; a killed one leaves its word behind. */
function runningPid(data: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(join(data, 'run.json'), 'utf8')) as { pid: number }).pid;
  } catch {
    return undefined; // not written yet
  }
}
