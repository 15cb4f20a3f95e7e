import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../model/faults/index.js';
import { messageOf } from './errors/index.js';

/** Files of a data directory that the server writes for other processes to read. */
export class DataDirectory {
  constructor(readonly path: string) {}

  get store(): string {
    return join(this.path, 'store');
  }

  get pki(): string {
    return join(this.path, 'pki');
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  async create(): Promise<void> {
    try {
      await createDirectory(this.path);
    } catch (error) {
      throw new Fault('DATA_UNUSABLE', `the data directory cannot be created: ${messageOf(error)}`, {
        where: this.path,
        cause: error,
      });
    }
  }

  /** Says which process serves this directory and where; gone after a clean stop. */
  async writeRun(run: { readonly pid: number; readonly api: string; readonly started: string }): Promise<void> {
    await replaceFile(join(this.path, 'run.json'), `${JSON.stringify(run)}\n`);
  }

  async removeRun(): Promise<void> {
    await rm(join(this.path, 'run.json'), { force: true });
  }

  async writeKubeconfig(text: string): Promise<void> {
    await replaceFile(this.kubeconfig, text);
  }
}

/** Parents first. Node's own recursive mkdir never returns below /proc. */
async function createDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path || existsSync(dirname(path))) throw error;
    await createDirectory(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

/** Readers see the old file or the new one, never half of it; readable by the owner only. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
