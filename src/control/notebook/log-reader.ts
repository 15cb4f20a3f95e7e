import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Clock, Cluster } from '../../cluster/index.js';
import {
  isPodOver,
  terminationLines,
  nonceOf,
  ReportReader,
  type LogState,
  type RunReport,
} from '../../notebook/index.js';

const RETRY_DELAY = 1000;
const MAX_RETRY_DELAY = 15_000;
/** Attempts to read a log that should be available. */
const MAX_FAILURES = 8;
/** A stream that stays open after its container terminated is closed. */
const STREAM_END_TIMEOUT = 10_000;

export interface LogReaderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** The pod in the cache; undefined if it was deleted. */
  readonly pod: () => KubeObject | undefined;
  /** Called for every event of the runner, and at the end. */
  readonly onEvent: () => void;
}

/** Follows the log of the runner until all of it was read or it is not available. */
export class LogReader {
  readonly #options: LogReaderOptions;
  readonly #closing = new AbortController();
  #reader: ReportReader;
  #state: LogState = 'reading';
  #stream: AbortController | undefined;
  #cancelOver: (() => void) | undefined;

  constructor(pod: KubeObject, options: LogReaderOptions) {
    this.#options = options;
    this.#reader = new ReportReader(nonceOf(pod));
    void this.#run(pod);
  }

  get state(): LogState {
    return this.#state;
  }

  get report(): RunReport {
    return this.#reader.report;
  }

  /** The pod has changed. */
  observe(pod: KubeObject): void {
    if (this.#state !== 'reading' || this.#cancelOver !== undefined || !isPodOver(pod)) return;
    this.#cancelOver = this.#options.clock.after(STREAM_END_TIMEOUT, () => {
      this.#stream?.abort();
    });
  }

  close(): void {
    this.#closing.abort();
    this.#stream?.abort();
    this.#cancelOver?.();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #run(pod: KubeObject): Promise<void> {
    for (let failures = 0; ; ) {
      const wasOver = this.#isOver();
      const isRead = await this.#read(pod, !wasOver);
      if (this.#isClosed) return;
      if (isRead && (wasOver || this.report.end !== undefined)) return this.#finish('whole');
      if (!isRead && wasOver && ++failures >= MAX_FAILURES) {
        for (const line of terminationLines(this.#options.pod() ?? pod)) this.#reader.take(line);
        return this.#finish('unreadable');
      }
      await this.#pause(Math.min(MAX_RETRY_DELAY, RETRY_DELAY * 2 ** failures));
    }
  }

  /** Whether the log was read to its end. */
  async #read(pod: KubeObject, follows: boolean): Promise<boolean> {
    const stream = new AbortController();
    this.#stream = stream;
    const fresh = new ReportReader(nonceOf(pod));
    const { namespace = '', name = '' } = pod.metadata;
    try {
      await this.#options.cluster.lines(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log` +
          `?container=validator${follows ? '&follow=true' : ''}`,
        (line) => {
          if (!fresh.take(line)) return;
          this.#reader = fresh;
          this.#options.onEvent();
        },
        stream.signal,
      );
      return !stream.signal.aborted;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return false;
    } finally {
      this.#stream = undefined;
    }
  }

  #isOver(): boolean {
    const pod = this.#options.pod();
    return pod === undefined || isPodOver(pod);
  }

  #finish(state: LogState): void {
    this.#state = state;
    this.#cancelOver?.();
    this.#options.onEvent();
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, resolve);
      this.#closing.signal.addEventListener(
        'abort',
        () => {
          cancel();
          resolve();
        },
        { once: true },
      );
    });
  }
}
