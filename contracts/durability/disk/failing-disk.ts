import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../../apiserver/connection.js';
import { clearFolder, scratchFolder, startChild, type Child } from '../../real/child.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');
const SOURCE = join(import.meta.dirname, 'failing-disk.c');
const READY_WITHIN = 60_000;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** What fails, and how the disk says so: EIO, ENOSPC, EROFS. */
export const FAILURES: readonly (readonly [operation: string, errno: number])[] = [
  ['all', 5],
  ['write', 5],
  ['write', 28],
  ['write', 30],
  ['fsync', 5],
  ['truncate', 5],
  ['rename', 5],
  ['all', 28],
];

/** Why a disk cannot be made to fail here; undefined where it can. */
export function failingDiskMissing(): string | undefined {
  if (process.platform !== 'linux') return 'skipped: disks fail on Linux only';
  if (!existsSync(MAIN)) return 'skipped: dist is not built';
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'skipped: gcc is missing';
  }
}

export interface DiskTrial {
  readonly wrong: readonly string[];
  readonly acknowledged: number;
  readonly refused: number;
}

/** An API server as people start it, on a disk that fails when told. */
export class FailingDisk {
  readonly #folder = scratchFolder('argosy-disk-');
  readonly #data = join(this.#folder, 'data');
  readonly #plan = join(this.#folder, 'plan');
  /** What the server said that it keeps. */
  readonly #kept = new Map<string, string>();
  #server: { readonly child: Child; readonly connection: Connection } | undefined;
  #serial = 0;

  static async open(): Promise<FailingDisk> {
    const disk = new FailingDisk();
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', disk.#library, SOURCE, '-ldl']);
    await disk.#start();
    return disk;
  }

  get #library(): string {
    return join(this.#folder, 'failing-disk.so');
  }

  get #running(): { readonly child: Child; readonly connection: Connection } {
    if (this.#server === undefined) throw new Error('the server is not started');
    return this.#server;
  }

  /** Writes while the disk works, fails and works again; then the server is killed, and everything is compared. */
  async trial([operation, errno]: readonly [string, number], isKilled: boolean): Promise<DiskTrial> {
    const wrong: string[] = [];
    const before = await this.#write(20);
    if (before.refused > 0) wrong.push(`${before.refused} writes were refused by a disk that works`);
    writeFileSync(this.#plan, `${operation} ${errno}`);
    const during = await this.#write(40);
    const { code, text } = await this.#get('/readyz');
    if (during.refused > 0 && code !== 500) wrong.push(`/readyz says ${code} while writes fail: ${text}`);
    if (during.refused === 0 && code !== 200) wrong.push(`/readyz says ${code} while writes succeed: ${text}`);
    const livez = await this.#get('/livez');
    if (livez.code !== 200) wrong.push(`/livez says ${livez.code} while writes fail`);
    wrong.push(...(await this.#compare('while writes fail')));
    rmSync(this.#plan);
    const ready = await this.#get('/readyz');
    if (ready.code !== 200) wrong.push(`/readyz says ${ready.code} after the disk works again: ${ready.text}`);
    const after = await this.#write(20);
    if (after.refused > 0) wrong.push(`${after.refused} writes were refused after the disk works again`);
    if (isKilled) {
      await this.#running.connection.close();
      await this.#running.child.stop('SIGKILL');
      await this.#start();
    }
    wrong.push(...(await this.#compare('at the end')));
    const acknowledged = before.acknowledged + during.acknowledged + after.acknowledged;
    return { wrong, acknowledged, refused: during.refused };
  }

  async close(): Promise<void> {
    await this.#server?.connection.close();
    await this.#server?.child.stop();
    clearFolder(this.#folder);
  }

  async #start(): Promise<void> {
    const child = startChild(
      '/usr/bin/env',
      [
        `LD_PRELOAD=${this.#library}`,
        `ARGOSY_FAILING_FOLDER=${join(this.#data, 'store')}/`,
        `ARGOSY_FAILING_PLAN=${this.#plan}`,
        ...[process.execPath, '--disable-proto=delete', MAIN, 'apiserver', '--data', this.#data, '--api-port', '0'],
        ...['--controllers', 'none'],
      ],
      join(this.#folder, 'server.log'),
    );
    for (const end = Date.now() + READY_WITHIN; this.#pid() !== child.pid; await delay(20)) {
      child.assertAlive();
      if (Date.now() > end) throw new Error(`the server is not ready: ${readFileSync(child.logPath, 'utf8')}`);
    }
    this.#server = { child, connection: new Connection(join(this.#data, 'kubeconfig')) };
  }

  #pid(): number {
    try {
      return (JSON.parse(readFileSync(join(this.#data, 'run.json'), 'utf8')) as { pid: number }).pid;
    } catch {
      return 0;
    }
  }

  #get(path: string): Promise<{ readonly code: number; readonly text: string }> {
    return this.#running.connection.send({ method: 'GET', path, headers: {}, body: undefined });
  }

  async #write(count: number): Promise<{ acknowledged: number; refused: number }> {
    const codes = await Promise.all(
      Array.from({ length: count }, async () => {
        const [name, value] = [`m${this.#serial % 60}`, String(this.#serial++)];
        // Each name is written by one request at a time, because only one of them may be under way.
        const { code, text } = await this.#running.connection.send({
          method: 'PATCH',
          path: `${CONFIG_MAPS}/${name}?fieldManager=trial&force=true`,
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }),
        });
        if (code === 200 || code === 201) this.#kept.set(name, value);
        else if (code !== 503) throw new Error(`a write was answered with ${code}: ${text}`);
        return code;
      }),
    );
    const refused = codes.filter((code) => code === 503).length;
    return { acknowledged: count - refused, refused };
  }

  /** Everything that was acknowledged is there, and nothing that was refused. */
  async #compare(when: string): Promise<string[]> {
    const { code, text } = await this.#get(CONFIG_MAPS);
    if (code !== 200) return [`a list was answered with ${code} ${when}`];
    const { items } = JSON.parse(text) as { items: { metadata: { name: string }; data?: { value?: string } }[] };
    const there = new Map(items.map(({ metadata, data }) => [metadata.name, data?.value]));
    return [...this.#kept].flatMap(([name, value]) =>
      there.get(name) === value ? [] : [`lost ${when}: ${name} is ${there.get(name) ?? 'missing'} instead of ${value}`],
    );
  }
}
