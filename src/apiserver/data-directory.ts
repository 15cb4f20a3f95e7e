import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateDirectory } from '../net/private-directory/index.js';

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
    await openPrivateDirectory(this.path);
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

/** Readers see the old file or the new one, never half of it; readable by the owner only. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
