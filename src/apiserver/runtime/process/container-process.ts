import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import type { JsonObject } from '../../../model/json/index.js';
import { text } from '../../resources/index.js';
import type {
  ContainerExit,
  ContainerListener,
  ContainerStart,
  ExecListener,
  ExecRequest,
  RunningCommand,
} from '../runtime.js';
import type { ContainerCgroup } from './cgroups.js';
import { SandboxedChild } from './child-process.js';
import { launchOf, type RunningNamespaces } from './launch.js';
import type { PodNetwork } from './pod-network.js';
import { closeMounts } from './pod-volumes.js';
import type { Prepared } from './prepare-container.js';
import { Prober, type ProbeTarget } from './prober.js';
import { startCommand, startLater, type Inside } from './sandbox-command.js';
import type { Clock } from '../../rest/index.js';
import type { Sandbox } from './sandbox.js';

/** Most of a log that becomes the message of a container that failed. */
const MESSAGE_LINES = 80;
const MESSAGE_BYTES = 2048;
/** Milliseconds, and how often, until a container is asked again whether its program runs. */
const READY_PAUSE = 10;
const READY_TRIES = 2000;

/** What one container has, from its start to its end. */
export interface ContainerWorld {
  readonly clock: Clock;
  readonly start: ContainerStart;
  readonly sandbox: Exclude<Sandbox['kind'], 'none'>;
  /** How its probes reach it. */
  readonly target: ProbeTarget;
  /** Its network; undefined: this machine's own. */
  network(): Promise<PodNetwork> | undefined;
  /** Its limits; undefined where there can be none. */
  cgroup(): ContainerCgroup | undefined;
  /** Its mounts and words, as late as possible. */
  prepare(): Prepared;
  /** It has ended, and gives everything back. */
  released(): void;
}

/** A container that runs as a process. */
export class ContainerProcess {
  #child: SandboxedChild | undefined;
  #prober: Prober | undefined;
  #prepared: Prepared | undefined;
  #network: PodNetwork | undefined;
  #cgroup: ContainerCgroup | undefined;
  #namespaces: RunningNamespaces | undefined;
  #again: readonly string[] = [];
  #isOver = false;
  readonly #tail: string[] = [];
  #isReady: () => void = () => undefined;
  readonly #ready = new Promise<void>((resolve) => {
    this.#isReady = resolve;
  });

  constructor(
    readonly world: ContainerWorld,
    readonly listener: ContainerListener,
  ) {
    this.#begin().catch((error: unknown) => {
      this.#end({
        exitCode: 128,
        reason: 'StartError',
        message: error instanceof Error ? error.message : String(error),
      });
    });
  }

  stop(graceMilliseconds: number): void {
    if (this.#child !== undefined) this.#child.stop(graceMilliseconds);
    // Its network is still being made: nothing of it has run.
    else this.world.clock.after(0, () => this.#end({ exitCode: 137, reason: 'Error' }));
  }

  kill(): void {
    if (this.#child === undefined) this.#isOver = true;
    else this.#child.kill();
  }

  health(): Prober['health'] {
    return this.#prober?.health ?? { started: false, ready: false, failure: undefined };
  }

  exec(request: ExecRequest, listener: ExecListener): RunningCommand {
    return startLater(this.#ready, () => startCommand(this.#inside(), request, listener));
  }

  #inside(): Inside {
    return {
      pid: this.#child?.program ?? 0,
      values: this.#prepared?.values ?? new Map<string, string>(),
      secrets: this.#prepared?.secrets ?? new Set<string>(),
      workingDirectory: this.#prepared?.workingDirectory ?? '',
      processFiles: this.#cgroup?.processFiles ?? [],
      user: this.#prepared?.program.user,
      network: this.#network,
      namespaces: this.#namespaces,
      again: this.#again,
    };
  }

  async #begin(): Promise<void> {
    this.#network = await this.world.network();
    if (this.#isOver) return;
    this.#cgroup = this.world.cgroup();
    this.#prepared = this.world.prepare();
    const { start, clock } = this.world;
    const program = {
      ...this.#prepared.program,
      network: this.#network,
      processFiles: this.#cgroup?.processFiles ?? [],
    };
    const { launch, again } = launchOf(this.world.sandbox, program);
    this.#again = again;
    this.#child = new SandboxedChild(launch, clock, {
      line: (line) => this.#line(line),
      placed: (pid) => this.#hold(pid),
      ended: ({ exitCode, error }) => {
        if (error !== undefined) this.#line(error);
        this.#end(this.#exitOf(exitCode));
      },
    });
    // What is mounted is the child's own by now; without bubblewrap it is not until it runs.
    if (this.world.sandbox === 'bwrap') this.#closeMounts();
    this.#prober = new Prober(clock, start.spec, this.world.target, () => this.listener.changed());
    this.listener.changed();
    this.#awaitProgram(READY_TRIES);
  }

  /** Its sandbox is made when its program is there. */
  #awaitProgram(tries: number): void {
    if (this.#isOver || tries === 0 || this.#child?.program !== undefined) this.#isReady();
    else this.world.clock.after(READY_PAUSE, () => this.#awaitProgram(tries - 1));
  }

  #line(line: string): void {
    this.#tail.push(line);
    if (this.#tail.length > MESSAGE_LINES) this.#tail.shift();
    this.listener.log(line);
  }

  /** Keeps the namespaces of the first process, for programs that come later. */
  #hold(pid: number): void {
    try {
      const [, parent = ''] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      const open = (process: string | number, kind: string): number => openSync(`/proc/${process}/ns/${kind}`, 'r');
      this.#namespaces = { stage: open(parent, 'mnt'), user: open(pid, 'user'), processes: open(pid, 'pid') };
    } catch {
      // It has ended already.
    }
  }

  #exitOf(exitCode: number): ContainerExit {
    const { spec } = this.world.start;
    const message = terminationMessage(spec, this.#prepared?.message ?? '', exitCode, this.#tail);
    const reason = exitCode !== 0 && this.#cgroup?.ranOutOfMemory() === true ? 'OOMKilled' : 'Error';
    return { exitCode, reason: exitCode === 0 ? 'Completed' : reason, ...(message === '' ? {} : { message }) };
  }

  #closeMounts(): void {
    closeMounts(this.#prepared?.program.mounts ?? []);
    this.#prepared = this.#prepared && {
      ...this.#prepared,
      program: { ...this.#prepared.program, mounts: [] },
    };
  }

  #end(exit: ContainerExit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#prober?.close();
    this.#closeMounts();
    const { stage, user, processes } = this.#namespaces ?? {};
    for (const descriptor of [stage, user, processes]) if (descriptor !== undefined) closeSync(descriptor);
    this.#namespaces = undefined;
    this.#isReady();
    void this.#cgroup?.remove();
    this.world.released();
    this.listener.exited(exit);
  }
}

/** A container may write a file of any size. */
function readBeginning(file: string, bytes: number): string {
  if (!existsSync(file)) return '';
  const buffer = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  try {
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** What the container wrote to its termination message, or the end of its log where it failed and asks for that. */
function terminationMessage(spec: JsonObject, file: string, exitCode: number, tail: readonly string[]): string {
  const written = readBeginning(file, 2 * MESSAGE_BYTES);
  if (written !== '' || exitCode === 0 || text(spec, 'terminationMessagePolicy') !== 'FallbackToLogsOnError')
    return written;
  return Buffer.from(tail.join('\n')).subarray(-MESSAGE_BYTES).toString('utf8');
}
