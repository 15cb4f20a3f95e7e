import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pollDelays } from '../harness/poll-delays.js';
import type { Played } from './read-rows.js';
import type { ShellEnvironment } from './shell-environment.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** Long enough for a busy machine; nothing waits so long where all is well. */
const WITHIN = 60_000;
/** Every try starts programs. */
const COMMAND_PAUSES = { first: 200, max: 2_000 };

interface CommandOutput {
  readonly code: number;
  readonly text: string;
}

/**
 * A terminal in the world of a document: `oc` and `argocd` are names for kubectl and our command line, and nobody
 * sleeps.
 */
export class Shell {
  readonly #programs = mkdtempSync(join(tmpdir(), 'argosy-shell-'));
  readonly #folder: string;

  constructor(
    private readonly world: ShellEnvironment,
    kubectl: string,
    private readonly within = WITHIN,
  ) {
    this.#folder = world.folder ?? join(this.#programs, 'folder');
    mkdirSync(this.#folder, { recursive: true });
    const argosy = `exec '${process.execPath}' --disable-proto=delete '${MAIN}' "$@"`;
    const programs = {
      kubectl: `exec '${kubectl}' "$@"`,
      oc: `exec '${kubectl}' "$@"`,
      argosy,
      argocd: argosy,
      sleep: 'exit 0',
      ...world.programs,
    };
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(this.#programs, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(this.#programs, name), 0o755);
    }
  }

  close(): void {
    rmSync(this.#programs, { recursive: true, force: true });
  }

  /** Plays a command again and again until it shows what it should; gives what it showed last. */
  async play(command: string, played: Played, isIt: (shown: CommandOutput) => boolean): Promise<CommandOutput> {
    for (const end = Date.now() + this.within, next = pollDelays(COMMAND_PAUSES); ; await next()) {
      const shown = await this.#run(command, played, isIt);
      if (isIt(shown) || Date.now() > end) return shown;
    }
  }

  #run(command: string, played: Played, isIt: (shown: CommandOutput) => boolean): Promise<CommandOutput> {
    const env = {
      PATH: [this.#programs, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      HOME: this.#folder,
      TMPDIR: this.#programs,
      // kubectl ends before it would have to look for garbage.
      GOGC: '400',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      KUBECONFIG: this.world.kubeconfig,
      KUBECACHEDIR: join(this.#programs, 'cache'),
      USER: 'kim',
      ...played.env,
    };
    // A group of its own, so that the end reaches what the shell has started.
    const child = spawn('bash', ['-c', command], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let text = '';
    let isEnded = false;
    const end = (): void => {
      isEnded = true;
      if (child.pid !== undefined) endGroup(child.pid);
    };
    const take = (part: string): void => {
      text += part;
      if (played.endless && isIt({ code: played.code, text })) end();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const timer = setTimeout(end, this.within);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(timer);
        resolve({ code: isEnded && played.endless ? played.code : (code ?? -1), text });
      });
    });
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile, which is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
