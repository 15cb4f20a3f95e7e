import { spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { ExecListener, ExecRequest, RunningCommand } from '../runtime.js';
import { descendants, endProcess, passEnvironment, spawnLaunch } from './child-process.js';
import { findProgram } from './find-program.js';
import { joinWords, laterLaunch, type Launch, type RunningNamespaces } from './launch.js';
import type { PodNetwork } from './pod-network.js';
import { CLEAN_PATH } from './sandbox.js';
import { quoted, startScript } from './start-script.js';

/** A container as somebody who steps into it finds it. */
export interface Inside {
  /** A process of it; where there is bubblewrap, only a sign that it runs. */
  readonly pid: number;
  readonly values: ReadonlyMap<string, string>;
  readonly secrets: ReadonlySet<string>;
  readonly workingDirectory: string;
  readonly processFiles: readonly string[];
  readonly user: number | undefined;
  readonly network: PodNetwork | undefined;
  /** Its namespaces, where it is behind all walls. */
  readonly namespaces: RunningNamespaces | undefined;
  /** What its root is put together of. */
  readonly again: readonly string[];
}

/**
 * Gives a program a terminal; it is part of the same package as the programs that build sandboxes, or of its neighbour.
 */
const TERMINAL = '/usr/bin/script';
/** Bytes that a program may leave unread. */
const MAX_UNREAD_BYTES = 4 << 20;
/** What a client may send before its program runs. */
const MAX_WAITING = 256;

/** Starts a program beside those of a container, confined as they are. */
export function startCommand(inside: Inside, { command, tty }: ExecRequest, listener: ExecListener): RunningCommand {
  const obstacle = startError(inside, command, tty);
  if (obstacle !== undefined) {
    setImmediate(() => {
      listener.ended({ exitCode: 126, error: obstacle });
    });
    return { write: () => undefined, endInput: () => undefined, resize: () => undefined, kill: () => undefined };
  }
  return new SandboxCommand(inside, command, tty, listener);
}

/** A command for a container whose sandbox is still being made: what is written to it is kept until it runs. */
export function startLater(ready: Promise<void>, start: () => RunningCommand): RunningCommand {
  let command: RunningCommand | undefined;
  let isKilled = false;
  const waiting: ((running: RunningCommand) => void)[] = [];
  void ready.then(() => {
    if (isKilled) return;
    command = start();
    for (const act of waiting) act(command);
  });
  const act = (what: (running: RunningCommand) => void): void => {
    if (command !== undefined) what(command);
    // Nobody types that much in a moment.
    else if (waiting.length < MAX_WAITING) waiting.push(what);
  };
  return {
    write: (bytes) => act((running) => running.write(bytes)),
    endInput: () => act((running) => running.endInput()),
    resize: (columns, rows) => act((running) => running.resize(columns, rows)),
    kill() {
      isKilled = true;
      command?.kill();
    },
  };
}

function startError({ values, pid }: Inside, [program = '']: readonly string[], tty: boolean): string | undefined {
  if (pid === 0) return 'the container does not run';
  if (tty && !existsSync(TERMINAL))
    return `there is no ${TERMINAL} on this machine, and without it no terminal; Debian has it as bsdutils`;
  return findProgram(program, values.get('PATH') ?? CLEAN_PATH, {});
}

class SandboxCommand implements RunningCommand {
  readonly #child: ChildProcess;
  #size: readonly [columns: number, rows: number] | undefined;
  #isSized = false;

  constructor(inside: Inside, command: readonly string[], tty: boolean, listener: ExecListener) {
    this.#child = spawnLaunch(enter(inside, command, tty), 'pipe');
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#child[stream]?.on('data', (bytes: Buffer) => {
        this.#applySize();
        listener.out(tty ? 'stdout' : stream, bytes);
      });
    }
    // A program that has ended does not read any more.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.once('error', (error) => {
      listener.ended({ exitCode: 126, error: error.message });
    });
    this.#child.once('close', (code, signal) => {
      if (this.#child.pid !== undefined)
        listener.ended({ exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) });
    });
  }

  write(bytes: Buffer): void {
    // What it does not read would be kept here for ever.
    if ((this.#child.stdin?.writableLength ?? 0) > MAX_UNREAD_BYTES) this.kill();
    else this.#child.stdin?.write(bytes);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  resize(columns: number, rows: number): void {
    this.#size = [columns, rows];
    this.#isSized = false;
    this.#applySize();
  }

  /** What gives it a terminal goes first: the shell hears that its terminal is gone. */
  kill(): void {
    for (const pid of descendants(this.#child.pid, 1)) endProcess(pid, 'SIGKILL');
    this.#child.kill('SIGKILL');
  }

  /** The terminal is there when the program is: at the latest when it writes. */
  #applySize(): void {
    if (this.#size === undefined || this.#isSized) return;
    const [columns, rows] = this.#size;
    const [shell] = descendants(this.#child.pid, 2);
    if (shell === undefined) return;
    this.#isSized =
      spawnSync('stty', ['-F', `/proc/${shell}/fd/0`, 'cols', String(columns), 'rows', String(rows)], {
        env: { PATH: CLEAN_PATH },
        timeout: 1000,
      }).status === 0;
  }
}

/** Into the container, behind the same walls. */
function enter(inside: Inside, command: readonly string[], tty: boolean): Launch {
  const { values, namespaces, again, workingDirectory } = inside;
  if (namespaces === undefined) return enterNamespaces(inside, command, tty);
  const script = startScript({
    values: tty ? new Map([['TERM', 'xterm'], ...values]) : values,
    workingDirectory: workingDirectory || '/',
    command: tty ? inTerminal(command) : command,
    filled: new Set(),
  });
  return laterLaunch(inside, again, namespaces, script);
}

function inTerminal(command: readonly string[]): string[] {
  return [TERMINAL, '--quiet', '--return', '--flush', '--command', command.map(quoted).join(' '), '/dev/null'];
}

/** Into the namespaces of the container and its root, with none of the rights that making them gave. */
function enterNamespaces(
  { pid, values, secrets, workingDirectory, processFiles }: Inside,
  command: readonly string[],
  tty: boolean,
): Launch {
  const placed = workingDirectory === '' ? command : ['/usr/bin/env', `--chdir=${workingDirectory}`, '--', ...command];
  const passed = passEnvironment(tty ? new Map([['TERM', 'xterm'], ...values]) : values, secrets, placed);
  return {
    environment: passed.environment,
    inputs: [],
    depth: 1,
    // Root and working directory are those of the process there: one that is named would be opened out here.
    words: [
      ...joinWords(processFiles),
      'setpriv',
      '--pdeathsig',
      'KILL',
      '--',
      'nsenter',
      '--target',
      String(pid),
      '--user',
      '--mount',
      '--pid',
      '--ipc',
      '--root',
      '--wd',
      '--',
      'setpriv',
      '--no-new-privs',
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--',
      ...(tty ? inTerminal(passed.command) : passed.command),
    ],
  };
}
