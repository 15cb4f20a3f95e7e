import { Worker } from 'node:worker_threads';
import type { CatalogueFile } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import type { BackgroundResult, BackgroundTask } from './task.js';

export interface BackgroundOptions {
  /** The program of the worker. */
  readonly program: URL;
  readonly catalogue: () => readonly CatalogueFile[];
}

interface PendingRequest {
  readonly resolve: (answer: BackgroundResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One thread, started when the first task comes; one that takes too long is ended, and the next task gets a new one.
 */
export class WorkerThread {
  readonly #options: BackgroundOptions;
  readonly #waiting = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #next = 1;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  post(task: BackgroundTask): void {
    this.#open().postMessage(task);
  }

  /** The answer to a task; a Fault where it took longer than `within` milliseconds. */
  async request(task: (id: number) => BackgroundTask, within: number): Promise<BackgroundResult> {
    const id = this.#next++;
    const answer = new Promise<BackgroundResult>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    const timer = setTimeout(() => {
      this.#end(new Fault('WAIT_TIMED_OUT', `timed out after ${within / 1000} s`));
    }, within);
    try {
      this.post(task(id));
      return requireResult(await answer);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#end(new Fault('WAIT_TIMED_OUT', 'the server is shutting down'));
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#options.program, {
      workerData: { catalogue: this.#options.catalogue() },
      resourceLimits: { maxOldGenerationSizeMb: 4096 },
    });
    worker.on('message', (answer: BackgroundResult) => {
      this.#waiting.get(answer.id)?.resolve(answer);
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#end(error);
    });
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #end(error: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

function requireResult(answer: BackgroundResult): BackgroundResult {
  if ('fault' in answer) throw new Fault(answer.fault.code, answer.fault.message, { where: answer.fault.where });
  if ('defect' in answer) throw new Error(answer.defect);
  return answer;
}
