import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { startChild, type Child } from '../real/child.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const READY_WITHIN = 120_000;

/** `argosy up` as a person starts it, with its page. */
export interface ArgosyUp {
  readonly url: string;
  /** As it was shown, once. */
  readonly password: string;
  readonly cluster: Cluster;
  readonly folder: string;
  /** Runs a command against it, as in another terminal. */
  run(...words: readonly string[]): Promise<{ readonly stdout: string }>;
  close(): Promise<void>;
}

/** Programs of the embedded server and of the workers run on the same Node. */
export async function startArgosy(flags: readonly string[], node: string = process.execPath): Promise<ArgosyUp> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-web-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const child = startChild(
    node,
    [
      '--disable-proto=delete',
      MAIN,
      'up',
      '--data',
      data,
      '--api-port',
      '0',
      '--port',
      '0',
      '--metrics-port',
      '0',
      '--allow-file-repos',
      tmpdir(),
      ...flags,
    ],
    join(folder, 'up.log'),
  );
  const told = await welcome(child);
  const kubeconfig = join(data, 'kubeconfig');
  const cluster = connect(
    await loadKubeconfig({ path: kubeconfig, environment: {}, defaultPath: kubeconfig }),
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: 'web', environment: {} },
  );
  return {
    url: /https?:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(told)?.[0] ?? '',
    password: /password\s+(\S+)/.exec(told)?.[1] ?? '',
    cluster,
    folder,
    run: (...words) =>
      promisify(execFile)(node, ['--disable-proto=delete', MAIN, ...words], {
        env: {
          ...process.env,
          ARGOSY_DATA: data,
          KUBECONFIG: kubeconfig,
          NO_COLOR: '1',
          ARGOSY_ALLOW_FILE_REPOS: tmpdir(),
        },
      }),
    close: async () => {
      await cluster.close();
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Everything up to its last line, so that the address and the password are there. */
async function welcome(child: Child): Promise<string> {
  const deadline = performance.now() + READY_WITHIN;
  for (;;) {
    child.assertAlive();
    const told = readFileSync(child.logPath, 'utf8');
    if (told.includes('Argosy is up') && told.includes('Ctrl-C')) return told.slice(told.indexOf('Argosy is up'));
    if (performance.now() > deadline) throw new Error(`argosy up is not ready after ${READY_WITHIN / 1000} s: ${told}`);
    await delay(50);
  }
}
