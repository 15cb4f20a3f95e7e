import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** What the kubelet asks of whatever runs containers. One implementation simulates; another may start processes. */
export interface Runtime {
  /** Whether an image can be had, and what getting it costs. */
  pull(image: string, pod: KubeObject): PullResult;
  /** Starts a container; `listener` gets its output and, exactly once, its end. */
  start(container: ContainerStart, listener: ContainerListener): RunningContainer;
  /** Milliseconds from "bound to this node" to "containers may start": sandbox and network. */
  sandboxDelay(pod: KubeObject): number;
  /** Why what a pod says about its simulation is of no use; undefined where all is well. */
  simulationError(pod: KubeObject): string | undefined;
  /** Whether a container is a process: what it writes is kept on disk. */
  isReal?(pod: KubeObject, container: JsonObject): boolean;
  /** Why a container cannot be created here; undefined where it can. */
  createError?(pod: KubeObject, container: JsonObject): string | undefined;
  /** Why the program of a container cannot be started here; undefined where it can. */
  startError?(start: ContainerStart): string | undefined;
  /** Walls that a container lacks on this machine, in words. */
  missingWalls?(pod: KubeObject, container: JsonObject): readonly string[];
  /** The pod is gone, and what it had on this machine goes with it. */
  forget?(pod: KubeObject): void;
  /** The server stops: so does everything that runs. */
  close?(): void;
}

export type PullResult =
  | { readonly ok: true; readonly milliseconds: number; readonly bytes: number; readonly digest: string }
  /** `message` is the runtime's own, as Events and statuses quote it. */
  | { readonly ok: false; readonly milliseconds: number; readonly message: string };

export interface ContainerStart {
  readonly pod: KubeObject;
  readonly spec: JsonObject;
  readonly role: ContainerRole;
  /** 0 for the first run. */
  readonly attempt: number;
  readonly podIp: string;
  readonly hostIp: string;
  readonly startedAt: Date;
  /** The run goes on after the server was started again. */
  readonly resumed: boolean;
}

/** Regular init containers end before the next one starts; sidecars run beside the pod's containers. */
export type ContainerRole = 'init' | 'sidecar' | 'app';

export interface ContainerListener {
  exited(exit: ContainerExit): void;
  log(line: string): void;
  /** Its health is another one now. */
  changed(): void;
}

export interface ContainerExit {
  readonly exitCode: number;
  /** `Completed`, `Error`, `OOMKilled`. */
  readonly reason: string;
  readonly message?: string;
}

export interface RunningContainer {
  /** Asks it to end, and ends it by force after the grace period. `isStuck`: a probe says that it does not react. */
  stop(graceMilliseconds: number, isStuck?: boolean): void;
  /** The pod has changed: what it says of its containers may be another thing now. */
  renew(pod: KubeObject): void;
  /**
   * Milliseconds after its start from which on a probe of this kind succeeds (readiness, startup) or fails (liveness).
   */
  changesAt(probe: 'startup' | 'readiness' | 'liveness'): number;
  /** Starts another program in it, where it is a process or somebody plays some. */
  readonly exec?: ((request: ExecRequest, listener: ExecListener) => RunningCommand) | undefined;
  /** What its probes found out, where it is really asked; these times mean nothing then. */
  health?(): ContainerHealth;
}

/** A program that somebody starts in a container that runs. */
export interface ExecRequest {
  readonly command: readonly string[];
  /** It has a terminal: what it writes is one stream. */
  readonly tty: boolean;
}

export interface ExecListener {
  out(stream: 'stdout' | 'stderr', bytes: Buffer): void;
  /** Exactly once. `error`: it never ran. */
  ended(end: { readonly exitCode: number; readonly error?: string }): void;
}

export interface RunningCommand {
  write(bytes: Buffer): void;
  endInput(): void;
  resize(columns: number, rows: number): void;
  kill(): void;
}

export interface ContainerHealth {
  /** The startup probe succeeded, or there is none. */
  readonly started: boolean;
  readonly ready: boolean;
  /** The probe that failed last; `kills`: often enough to end the container. */
  readonly failure:
    | { readonly kind: 'startup' | 'readiness' | 'liveness'; readonly message: string; readonly kills: boolean }
    | undefined;
}
