import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findKubectl } from '../../../contracts/seeds/find-kubectl.js';

const MAIN = resolve(import.meta.dirname, '../../../dist/main.js');
const ENDS_WITHIN = 240_000;

/**
 * `oc` where only Kubernetes' client can be had: what is printed of it is `start-build`, which asks the same of the
 * server as here.
 */
const OC = `#!/bin/bash
if [ "$1" = start-build ]; then
  name=$2; namespace=default; [ "$3" = -n ] && namespace=$4
  echo '{"kind":"BuildRequest","apiVersion":"build.openshift.io/v1","metadata":{"name":"'"$name"'"}}' |
    kubectl create --raw "/apis/build.openshift.io/v1/namespaces/$namespace/buildconfigs/$name/instantiate" -f -
else exec kubectl "$@"; fi
`;

/** A shell with the programs that printed commands name. */
export class CommandLine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'argosy-remedies-'));

  private constructor(kubectl: string) {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    const program = (name: string, text: string): void => {
      writeFileSync(join(bin, name), text);
      chmodSync(join(bin, name), 0o755);
    };
    program('kubectl', `#!/bin/bash\nexec ${kubectl} "$@"\n`);
    program('argosy', `#!/bin/bash\nexec ${process.execPath} --disable-proto=delete ${MAIN} "$@"\n`);
    program('oc', OC);
  }

  static async open(): Promise<CommandLine> {
    const kubectl = await findKubectl();
    if (kubectl.kind === 'missing') throw new Error(kubectl.reason);
    return new CommandLine(kubectl.path);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs a command as it was printed. Gives what it said where it failed. */
  run(command: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
    return new Promise((done) => {
      const child = spawn('bash', ['-c', command], {
        cwd: this.#folder,
        env: {
          ...process.env,
          PATH: `${join(this.#folder, 'bin')}:${process.env['PATH'] ?? ''}`,
          HOME: this.#folder,
          ARGOSY_DATA: join(this.#folder, 'no-data'),
          NO_COLOR: '1',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += String(bytes)));
      const end = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN);
      child.once('close', (code) => {
        clearTimeout(end);
        done(code === 0 ? undefined : `${command}: exit code ${code ?? 'none'}: ${said.trim().slice(-400)}`);
      });
    });
  }
}

/** A command that reads what a person types, such as a key. */
export function readsInput(command: string): boolean {
  return /\bexec -i\b/.test(command) && !command.includes('|');
}

/**
 * A command in which a person has to fill something in, or to write: words in capitals stand for what only they know,
 * and `kubectl edit` opens an editor.
 */
export function needsAPerson(command: string): boolean {
  // What stands in quotes is a value, and what follows a # is for people.
  const words = (command.split('#')[0] ?? '')
    .split("'")
    .filter((_, index) => index % 2 === 0)
    .join(' ')
    .split(/[\s=/:]/);
  return words.some((word) => /^(?:<.*>|[A-Z][A-Z_]{2,}|\.\.\.)$/.test(word)) || command.startsWith('kubectl edit');
}
