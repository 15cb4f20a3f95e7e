import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRepository } from './test-repository.js';
import type { Cleanup } from './test-sources.js';

/** Whether there is a gpg to sign with. */
export function hasGpg(): boolean {
  try {
    execFileSync('gpg', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Long ago, for keys that are no longer valid. */
const LONG_AGO = '20200101T000000!';

/** Somebody with a key pair of their own, in a home of gpg of their own. */
export class TestSigner {
  readonly fingerprint: string;
  readonly #home: string;
  readonly #program: string;

  constructor(cleanup: Cleanup, name: string, { isExpired = false } = {}) {
    this.#home = mkdtempSync(join(tmpdir(), 'argosy-gpg-'));
    cleanup.add(() => {
      execFileSync('gpgconf', ['--homedir', this.#home, '--kill', 'all'], { stdio: 'ignore' });
      rmSync(this.#home, { recursive: true, force: true });
    });
    const time = isExpired ? ['--faked-system-time', LONG_AGO] : [];
    this.gpg(
      ...time,
      '--quick-generate-key',
      `${name} <${name.toLowerCase()}@example.org>`,
      'ed25519',
      'sign',
      isExpired ? '1d' : '0',
    );
    this.fingerprint = /^fpr:+([0-9A-F]+):/m.exec(this.gpg('--list-keys', '--with-colons'))?.[1] ?? '';
    this.#program = join(this.#home, 'sign');
    writeFileSync(this.#program, `#!/bin/sh\nexec gpg --homedir '${this.#home}' ${time.join(' ')} "$@"\n`, {
      mode: 0o755,
    });
  }

  get keyId(): string {
    return this.fingerprint.slice(-16);
  }

  get publicKey(): string {
    return this.gpg('--armor', '--export', this.fingerprint);
  }

  gpg(...args: string[]): string {
    return execFileSync(
      'gpg',
      ['--homedir', this.#home, '--batch', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '', ...args],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
  }

  /** From here on commits are signed by a subkey; gives its id. */
  addSubkey(): string {
    this.gpg('--quick-add-key', this.fingerprint, 'ed25519', 'sign', '0');
    return (
      [...this.gpg('--list-keys', '--with-colons').matchAll(/^sub:[^:]*:[^:]*:[^:]*:([0-9A-F]{16}):/gm)].at(-1)?.[1] ??
      ''
    );
  }

  /** The key with the certificate that takes it back, which gpg makes together with every key. */
  revokedKey(): string {
    const folder = join(this.#home, 'openpgp-revocs.d');
    const certificate = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8').replace(
      /^:-----BEGIN/m,
      '-----BEGIN',
    );
    const file = join(this.#home, 'revocation');
    writeFileSync(file, certificate);
    this.gpg('--import', file);
    return this.publicKey;
  }

  commit(repository: TestRepository, message: string): string {
    repository.git('add', '-A');
    this.#git(repository, 'commit', '-q', '--allow-empty', '-S', '-m', message);
    return repository.git('rev-parse', 'HEAD');
  }

  tag(repository: TestRepository, name: string): string {
    this.#git(repository, 'tag', '-s', '-m', name, name);
    return repository.git('rev-parse', name);
  }

  #git(repository: TestRepository, ...args: string[]): void {
    repository.git('-c', `gpg.program=${this.#program}`, '-c', `user.signingkey=${this.fingerprint}`, ...args);
  }
}
