import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface ScriptRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the script called, in order. */
  readonly calls: readonly string[];
}

/** Runs scripts of containers in a real shell, with other programs in the place of some that they call. */
export class ScriptLab {
  readonly #root = mkdtempSync(join(tmpdir(), 'argosy-scripts-'));
  #count = 0;

  /** `programs` are shell themselves; `$N` is how often a program was called so far, this call included. */
  play(script: string, programs: Readonly<Record<string, string>>, shell = '/bin/sh'): Promise<ScriptRun> {
    const place = join(this.#root, String(++this.#count));
    mkdirSync(place, { recursive: true });
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(
        join(place, name),
        `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> '${place}/calls'\nN=$(grep -c '^${name} ' ` +
          `'${place}/calls')\n${text}\n`,
      );
      chmodSync(join(place, name), 0o755);
    }
    const calls = join(place, 'calls');
    return new Promise((resolve, reject) => {
      execFile(
        shell,
        ['-c', script],
        { timeout: 60_000, env: { PATH: `${place}:/usr/bin:/bin`, HOME: place } },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number')
            reject(new Error(`the script did not end: ${error.message}`));
          else
            resolve({
              code: Number(error?.code ?? 0),
              stdout,
              stderr,
              calls: existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [],
            });
        },
      );
    });
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
