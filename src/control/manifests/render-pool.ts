import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Fault, type FaultCode } from '../../model/faults/index.js';
import { FairQueue } from '../../model/queue/index.js';
import type { RenderRequest, RenderResult } from '../../render/index.js';

export interface WorkerTask {
  readonly id: number;
  readonly request: Omit<RenderRequest, 'host'>;
}

export type WorkerResult =
  | { readonly id: number; readonly result: RenderResult }
  | {
      readonly id: number;
      readonly fault: { readonly code: FaultCode; readonly message: string; readonly where: string };
    }
  | { readonly id: number; readonly defect: string };

export interface RenderPoolOptions {
  /** The file of the worker. */
  readonly worker: URL;
  /** Processes, while no render takes long. */
  readonly workers: number;
  /** A render that takes longer is ended with its worker. */
  readonly milliseconds: number;
  /** Memory of one worker; a render that needs more ends it. */
  readonly megabytes: number;
  /** Calls back after a time; the returned function cancels. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** So many times the usual processes at most, where renders take long and other projects are owed their share. */
const OWED = 8;
/** Milliseconds after which a render takes long. Most take less, and another process costs more than they do. */
const LONG = 250;
/** Milliseconds after which a render yields the processor to everything else; few renders take so long. */
const SLOW = 1000;
/** Milliseconds after which a process beyond the usual ones ends if nothing was rendered. */
const IDLE = 30_000;

/** Templates with deep includes need more than Node gives; the system gives a process 8 MB. */
const STACK_KILOBYTES = 3900;

/**
 * Renders in processes of their own: whatever a repository does, it costs the render of its own application and one
 * process, which is replaced. Threads would not do: where memory or the stack ends in the wrong place, Node ends the
 * whole process. Projects have fair shares: while the renders of one take long, those of another get a process of
 * their own.
 */
export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #idle: ChildProcess[] = [];
  readonly #all = new Set<ChildProcess>();
  readonly #cancelEnd = new Map<ChildProcess, () => void>();
  readonly #turns: FairQueue;
  #next = 0;
  #closed = false;

  constructor(options: RenderPoolOptions) {
    this.#options = options;
    const { workers, after } = options;
    this.#turns = new FairQueue({
      places: workers,
      max: workers * OWED,
      patience: { milliseconds: LONG, after },
    });
  }

  render({ host: _host, ...request }: RenderRequest): Promise<RenderResult> {
    const lane = { owner: request.application.project, host: '' };
    return this.#turns.run(lane, () => this.#run({ id: ++this.#next, request }));
  }

  /** What renders ends, and with it whatever waits for its turn. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(
      [...this.#all].map(
        (worker) =>
          new Promise<void>((resolve) => {
            if (worker.exitCode !== null || worker.signalCode !== null) resolve();
            else worker.ref();
            worker.once('exit', () => {
              resolve();
            });
            worker.kill('SIGKILL');
          }),
      ),
    );
  }

  #open(): ChildProcess {
    const { worker: file, megabytes } = this.#options;
    const worker = fork(fileURLToPath(file), [], {
      serialization: 'advanced',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--disable-proto=delete', `--max-old-space-size=${megabytes}`, `--stack-size=${STACK_KILOBYTES}`],
    });
    this.#all.add(worker);
    worker.once('exit', () => {
      this.#forget(worker);
    });
    worker.once('error', () => {
      this.#forget(worker);
    });
    return worker;
  }

  /** The one that rendered last is used first, so what a busy time started goes again. */
  #keep(worker: ChildProcess): void {
    const { workers, after } = this.#options;
    this.#idle.push(worker);
    if (this.#all.size <= workers) return;
    const cancel = after(IDLE, () => {
      this.#end(worker);
    });
    this.#cancelEnd.set(worker, cancel);
  }

  #take(): ChildProcess | undefined {
    const worker = this.#idle.pop();
    if (worker !== undefined) this.#stayAlive(worker);
    return worker;
  }

  #stayAlive(worker: ChildProcess): void {
    this.#cancelEnd.get(worker)?.();
    this.#cancelEnd.delete(worker);
  }

  #end(worker: ChildProcess): void {
    this.#forget(worker);
    worker.kill('SIGKILL');
  }

  #forget(worker: ChildProcess): void {
    this.#all.delete(worker);
    this.#stayAlive(worker);
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  #run(task: WorkerTask): Promise<RenderResult> {
    if (this.#closed) return Promise.reject(stopping());
    const worker = this.#take() ?? this.#open();
    return new Promise((resolve, reject) => {
      this.#send(worker, task, (answer) => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    });
  }

  #send(worker: ChildProcess, task: WorkerTask, settle: (answer: RenderResult | Error) => void): void {
    const { milliseconds, megabytes } = this.#options;
    const where = task.request.application.name;
    let isSlow = false;
    const finish = (answer: RenderResult | Error, isUsable: boolean): void => {
      cancel();
      cancelSlow();
      worker.off('message', answered).off('exit', ended).off('error', failed);
      keepAlive(worker, false);
      // Only an administrator may give a process its priority back.
      if (isUsable && !isSlow) this.#keep(worker);
      else this.#end(worker);
      settle(answer);
    };
    const stopped = (why: string): void => {
      finish(this.#closed ? stopping() : new Fault('RENDER_LIMIT', why, { where }), false);
    };
    const answered = (answer: unknown): void => {
      finish(readResult(answer as WorkerResult, where), true);
    };
    const ended = (): void => {
      stopped(`rendering crashed its process: it needs more than ${megabytes} MB of memory, or is nested too deeply`);
    };
    const failed = (error: Error): void => {
      stopped(`rendering cannot be started: ${error.message}`);
    };
    const cancel = this.#options.after(milliseconds, () => {
      stopped(`rendering took longer than ${milliseconds} ms and was stopped`);
    });
    const cancelSlow = this.#options.after(SLOW, () => {
      isSlow = lowerPriority(worker);
    });
    worker.once('message', answered).once('exit', ended).once('error', failed);
    keepAlive(worker, true);
    // Whoever is gone says so by itself.
    worker.send(task, () => undefined);
  }
}

/** Renders that never end would else take most of a small machine from those that end soon. */
function lowerPriority({ pid }: ChildProcess): boolean {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    return pid !== undefined;
  } catch {
    // It has just ended.
    return false;
  }
}

/** A worker that renders keeps this process alive, one that waits does not. */
function keepAlive(worker: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    worker.ref();
    worker.channel?.ref();
  } else {
    worker.unref();
    worker.channel?.unref();
  }
}

/** No Fault: it says nothing of the application, so nothing of it may get into a status. */
function stopping(): Error {
  return new Error('the process is stopping');
}

function readResult(answer: WorkerResult, where: string): RenderResult | Error {
  if ('result' in answer) return answer.result;
  if ('fault' in answer) return new Fault(answer.fault.code, answer.fault.message, { where: answer.fault.where });
  return new Error(`rendering ${where}: ${answer.defect}`);
}
