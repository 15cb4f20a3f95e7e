import { Worker } from 'node:worker_threads';
import { Fault, type FaultCode } from '../model/index.js';
import type { RenderRequest, RenderResult } from '../render/index.js';

export interface WorkerTask {
  readonly id: number;
  readonly request: Omit<RenderRequest, 'host'>;
}

export type WorkerAnswer =
  | { readonly id: number; readonly result: RenderResult }
  | { readonly id: number; readonly fault: { readonly code: FaultCode; readonly message: string; readonly where: string } }
  | { readonly id: number; readonly defect: string };

export interface RenderPoolOptions {
  /** The file of the worker. */
  readonly worker: URL;
  readonly workers: number;
  /** A render that takes longer is stopped with its worker. */
  readonly milliseconds: number;
  /** Memory of one worker; a render that needs more is stopped with it. */
  readonly megabytes: number;
  /** Calls back after a time; the returned function cancels. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

interface Job {
  readonly task: WorkerTask;
  readonly settle: (answer: RenderResult | Error) => void;
}

/** Templates with deep includes need more than Node gives a thread. */
const STACK_MEGABYTES = 32;

/**
 * Renders in threads that can be stopped: whatever a repository does, it costs the render of its own application and one
 * thread, which is replaced. Jobs wait their turn in the order they came.
 */
export class RenderPool {
  readonly #options: RenderPoolOptions;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: Job[] = [];
  #next = 0;
  #closed = false;

  constructor(options: RenderPoolOptions) {
    this.#options = options;
  }

  render({ host: _host, ...request }: RenderRequest): Promise<RenderResult> {
    return new Promise((resolve, reject) => {
      const settle = (answer: RenderResult | Error): void => { if (answer instanceof Error) reject(answer); else resolve(answer); };
      this.#waiting.push({ task: { id: ++this.#next, request }, settle });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { settle } of this.#waiting.splice(0)) settle(new Fault('RENDER_LIMIT', 'the process is stopping'));
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #startNext(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const worker = this.#idle.pop() ?? (this.#all.size < this.#options.workers ? this.#open() : undefined);
    const job = worker === undefined ? undefined : this.#waiting.shift();
    if (worker !== undefined && job !== undefined) this.#run(worker, job);
  }

  #open(): Worker {
    const { worker: file, megabytes } = this.#options;
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: megabytes, stackSizeMb: STACK_MEGABYTES }, env: {}, stdin: false });
    worker.unref();
    this.#all.add(worker);
    worker.once('exit', () => this.#all.delete(worker));
    return worker;
  }

  #run(worker: Worker, { task, settle }: Job): void {
    const { milliseconds } = this.#options;
    const where = task.request.application.name;
    const finish = (answer: RenderResult | Error, isUsable: boolean): void => {
      cancel();
      worker.removeAllListeners('message').removeAllListeners('error').unref();
      if (isUsable) this.#idle.push(worker);
      else {
        this.#all.delete(worker);
        void worker.terminate();
      }
      settle(answer);
      this.#startNext();
    };
    const cancel = this.#options.after(milliseconds, () => { finish(new Fault('RENDER_LIMIT', `rendering took longer than ${milliseconds} ms and was stopped`, { where }), false); });
    worker.ref();
    worker.once('message', (answer: WorkerAnswer) => { finish(readAnswer(answer, where), true); });
    worker.once('error', (error) => { finish(new Fault('RENDER_LIMIT', `rendering was stopped: ${error.message}`, { where, cause: error }), false); });
    worker.postMessage(task);
  }
}

function readAnswer(answer: WorkerAnswer, where: string): RenderResult | Error {
  if ('result' in answer) return answer.result;
  if ('fault' in answer) return new Fault(answer.fault.code, answer.fault.message, { where: answer.fault.where });
  return new Error(`rendering ${where}: ${answer.defect}`);
}
