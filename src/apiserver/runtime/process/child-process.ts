import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../rest/index.js';
import { inheritedDescriptors } from './inherited-descriptors.js';
import type { Launch } from './launch.js';
import { LineSplitter } from './line-splitter.js';
import { CLEAN_PATH } from './sandbox.js';

export interface ChildEnd {
  readonly exitCode: number;
  /** It never ran, or was lost. */
  readonly error?: string;
}

/** Variables that loaders, shells and sandbox tools obey: they are set only inside the sandbox. */
const SENSITIVE_PREFIX = /^(?:LD_|GLIBC_|GCONV_|MALLOC_|LIBMOUNT_|LIBBLKID_|BLKID_|BASH)/;
const SENSITIVE = new Set([
  'PATH',
  'ENV',
  'IFS',
  'PS4',
  'SHELLOPTS',
  'CDPATH',
  'PWD',
  'OLDPWD',
  'LOCPATH',
  'NLSPATH',
  'TMPDIR',
  'TZDIR',
  'HOSTALIASES',
  'RES_OPTIONS',
  'RESOLV_HOST_CONF',
  'LOCALDOMAIN',
  'NIS_PATH',
  'GETCONF_DIR',
  'POSIXLY_CORRECT',
]);
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * How variables reach a program: secrets in the environment, where nobody else can read them; the rest by `env`, inside
 * the sandbox, so that none of them means anything to the programs that build it.
 */
export function passEnvironment(
  values: ReadonlyMap<string, string>,
  secrets: ReadonlySet<string>,
  command: readonly string[],
): { environment: Record<string, string>; command: string[] } {
  const isQuiet = (name: string): boolean =>
    secrets.has(name) && VARIABLE_NAME.test(name) && !SENSITIVE.has(name) && !SENSITIVE_PREFIX.test(name);
  const assignments = [...values].filter(([name]) => !isQuiet(name)).map(([name, value]) => `${name}=${value}`);
  return {
    environment: { PATH: CLEAN_PATH, ...Object.fromEntries([...values].filter(([name]) => isQuiet(name))) },
    command: ['/usr/bin/env', '--', ...assignments, ...command],
  };
}

/** What unshare itself says where the program inside was killed before it: no word of the container. */
const KILLED_INSIDE = 'unshare: sigprocmask unblock failed: Invalid argument';

export interface ChildListener {
  line(text: string): void;
  /** The first process of its sandbox is there. */
  placed(pid: number): void;
  ended(end: ChildEnd): void;
}

/** Starts what a launch says, with its inputs at the descriptors that it expects. */
export function spawnLaunch({ words, environment, inputs }: Launch, stdin: 'ignore' | 'pipe'): ChildProcess {
  const [program = '', ...rest] = words;
  // A group of its own: a signal for our terminal is none for it.
  const child = spawn(program, rest, {
    env: environment,
    cwd: '/',
    detached: true,
    stdio: [
      stdin,
      'pipe',
      'pipe',
      ...inputs.map((input) => (typeof input === 'number' ? input : 'pipe')),
      ...inheritedDescriptors(3 + inputs.length),
    ],
  });
  for (const [index, input] of inputs.entries()) {
    const stream = child.stdio[3 + index];
    // A sandbox that fails reads nothing any more.
    stream?.on('error', () => undefined);
    if (Buffer.isBuffer(input)) (stream as Writable | null)?.end(input);
  }
  return child;
}

/** A program in its sandbox. The sandbox ends with it, and it with us. */
export class SandboxedChild {
  readonly #child: ChildProcess;
  #ended = false;
  #force: () => void = () => undefined;

  constructor(
    readonly launch: Launch,
    readonly clock: Clock,
    heard: ChildListener,
  ) {
    this.#child = spawnLaunch(launch, 'ignore');
    const status = launch.inputs.indexOf('status');
    if (status >= 0) this.#readStatus(this.#child.stdio[3 + status] as Readable | null, heard);
    const splitters = [this.#child.stdout, this.#child.stderr].map((stream) => {
      const splitter = new LineSplitter((line) => {
        if (line.trimEnd() !== KILLED_INSIDE) heard.line(line);
      });
      stream?.on('data', (bytes: Buffer) => splitter.write(bytes));
      return splitter;
    });
    const end = (how: ChildEnd): void => {
      if (this.#ended) return;
      this.#ended = true;
      this.#force();
      for (const splitter of splitters) splitter.end();
      heard.ended(how);
    };
    this.#child.on('error', (error) => end({ exitCode: 128, error: error.message }));
    this.#child.on('close', (code, signal) =>
      end({ exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) }),
    );
  }

  /** Asks the program to end; after the grace period nobody is asked. */
  stop(graceMilliseconds: number): void {
    if (this.#ended) return;
    if (graceMilliseconds <= 0) return this.kill();
    this.#signal('SIGTERM', this.launch.depth);
    this.#force = this.clock.after(graceMilliseconds, () => this.kill());
  }

  kill(): void {
    if (this.#ended) return;
    // The first process of a sandbox takes all others with it.
    for (let depth = this.launch.depth - 1; depth > 0; depth--) this.#signal('SIGKILL', depth);
    this.#child.kill('SIGKILL');
  }

  /** The program itself; undefined before it runs and after it ended. */
  get program(): number | undefined {
    return this.#ended ? undefined : descendants(this.#child.pid, this.launch.depth)[0];
  }

  /** It says that the sandbox is there by saying anything; what processes are called inside is no use here. */
  #readStatus(stream: Readable | null, heard: ChildListener): void {
    stream?.once('data', () => {
      stream.resume();
      const [first] = descendants(this.#child.pid, this.launch.depth - 1);
      if (first !== undefined && !this.#ended) heard.placed(first);
    });
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL', depth: number): void {
    for (const pid of descendants(this.#child.pid, depth)) endProcess(pid, signal);
  }
}

/** Processes that are so many generations below another. */
export function descendants(pid: number | undefined, depth: number): number[] {
  let generation = pid === undefined ? [] : [pid];
  for (let level = 0; level < depth; level++) generation = generation.flatMap(childrenOf);
  return generation;
}

export function endProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter((word) => word !== '')
      .map(Number);
  } catch {
    return []; // ended meanwhile
  }
}
