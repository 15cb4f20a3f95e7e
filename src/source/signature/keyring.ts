import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { Semaphore, type SourceDependencies } from '../common/index.js';
import { runGit, type GitResult } from '../git/index.js';
import { readGpgStatus, type GpgSignatureStatus } from './gpg-status.js';

/** Public keys in PGP's own armour, by name: the data of argocd-gpg-keys-cm. */
export type SigningKeys = ReadonlyMap<string, string>;

const AT_ONCE = 4;
const MILLISECONDS = 30_000;
const OUTPUT_BYTES = 1024 * 1024;

/**
 * Nothing of a user or a system reaches this gpg: no settings, no agent, no key servers, no terminal. Every key in the
 * ring was put there by an administrator, so being in it is all the trust that there is.
 */
const ALONE = [
  '--no-options',
  '--batch',
  '--no-tty',
  '--no-autostart',
  '--disable-dirmngr',
  '--no-auto-key-retrieve',
  '--no-auto-key-locate',
  '--no-auto-check-trustdb',
  '--trust-model',
  'always',
  '--status-fd',
  '1',
];

/** A home of gpg that holds exactly the keys given and goes away with `close`. */
export class Keyring {
  /** The same for the same keys. */
  readonly fingerprint: string;
  readonly #dependencies: SourceDependencies;
  readonly #home: string;
  readonly #gate = new Semaphore(AT_ONCE);
  #files = 0;

  private constructor(world: SourceDependencies, home: string, fingerprint: string) {
    this.#dependencies = world;
    this.#home = home;
    this.fingerprint = fingerprint;
  }

  static async open(world: SourceDependencies, folder: string, keys: SigningKeys): Promise<Keyring> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // mkdtemp makes it for the owner alone.
    const ring = new Keyring(world, await mkdtemp(join(folder, 'keyring-')), keysFingerprint(keys));
    try {
      for (const [name, armoured] of keys) await ring.#import(name, armoured);
      return ring;
    } catch (error) {
      await ring.close();
      throw error;
    }
  }

  /** A key that cannot be read opens nothing; the others count. */
  async #import(name: string, armoured: string): Promise<void> {
    const file = await this.#write(Buffer.from(armoured));
    const { end, output } = await this.#gpg(['--import', '--', file]);
    await rm(file, { force: true });
    if (!output.includes('[GNUPG:] IMPORT_OK '))
      this.#dependencies.report(
        `argocd-gpg-keys-cm: the key ${JSON.stringify(name)} cannot be imported (${end}); commits that it ` +
          'signed count as signed by an unknown key',
      );
  }

  verify(payload: Buffer, signature: Buffer): Promise<GpgSignatureStatus> {
    return this.#gate.run(async () => {
      const files = await Promise.all([this.#write(signature), this.#write(payload)]);
      try {
        const { end, output } = await this.#gpg(['--verify', '--', ...files]);
        if (end === 'time' || end === 'bytes' || end === 'stopped')
          return { verdict: 'bad', keyId: '', primaryKeyId: '', signer: '', detail: 'gpg took too long to check it' };
        return readGpgStatus(output);
      } finally {
        await Promise.all(files.map((file) => rm(file, { force: true })));
      }
    });
  }

  async close(): Promise<void> {
    await rm(this.#home, { recursive: true, force: true });
  }

  async #write(content: Buffer): Promise<string> {
    this.#files += 1;
    const file = join(this.#home, `input-${this.#files}`);
    await writeFile(file, content, { mode: 0o600 });
    return file;
  }

  async #gpg(args: readonly string[]): Promise<{ end: GitResult['end']; output: string }> {
    const { end, output } = await runGit(this.#dependencies.clock, {
      program: 'gpg',
      args: ['--homedir', this.#home, ...ALONE, ...args],
      directory: this.#home,
      milliseconds: MILLISECONDS,
      outputBytes: OUTPUT_BYTES,
      environment: {
        PATH: this.#dependencies.environment['PATH'] ?? '',
        HOME: this.#home,
        GNUPGHOME: this.#home,
        LC_ALL: 'C',
      },
    });
    if (end === 'absent')
      throw new Fault('GPG_MISSING', 'a project asks for signed commits, and the program gpg is not on PATH');
    return { end, output: output.toString('utf8') };
  }
}

export function keysFingerprint(keys: SigningKeys): string {
  const hash = createHash('sha256');
  for (const name of [...keys.keys()].sort()) hash.update(JSON.stringify([name, keys.get(name)]));
  return hash.digest('hex');
}
