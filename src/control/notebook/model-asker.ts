import { Fault } from '../../model/index.js';
import { ClusterError, type Clock, type Cluster } from '../../cluster/index.js';
import type { ModelAnswer, PredictionRequest } from '../../notebook/index.js';

/** Models that are asked at a time: one that never answers must not keep others waiting for long. */
const MOST_ASKED = 8;
const LONGEST_WAIT = 60_000;
const LARGEST_ANSWER = 1 << 20;

/** A question to the models of one run. */
export interface ModelQuestion {
  readonly namespace: string;
  /** By model; a text says why it cannot be asked. */
  readonly requests: ReadonlyMap<string, PredictionRequest | string>;
  /** An answer that comes later counts no more. */
  readonly until: number;
}

interface Asked {
  readonly runId: string;
  /** What they said last. */
  readonly answers: ReadonlyMap<string, ModelAnswer> | undefined;
  /** When to ask again; undefined while they are asked. */
  readonly again: number | undefined;
}

/** Whoever answered otherwise than expected is left alone for a while. */
const AGAIN = 5000;

/** Asks models beside the work on jobs, and keeps what they said last. */
export class ModelAsker {
  readonly #asked = new Map<string, Asked>();
  readonly #closing = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    readonly cluster: Cluster,
    readonly clock: Clock,
  ) {}

  answers(uid: string, runId: string): ReadonlyMap<string, ModelAnswer> | undefined {
    const asked = this.#asked.get(uid);
    return asked?.runId === runId ? asked.answers : undefined;
  }

  /** Asks unless it is asked already, or was a moment ago; `onAnswer` when all have answered or will not. */
  ask(uid: string, runId: string, question: ModelQuestion, onAnswer: () => void): void {
    const before = this.#asked.get(uid);
    if (before?.runId === runId && (before.again === undefined || before.again > this.clock.now().getTime())) return;
    const asked: Asked = { runId, answers: before?.runId === runId ? before.answers : undefined, again: undefined };
    this.#asked.set(uid, asked);
    void Promise.all(
      [...question.requests].map(async ([name, request]) => [name, await this.#one(question, request)] as const),
    ).then((answers) => {
      if (this.#closing.signal.aborted || this.#asked.get(uid) !== asked) return;
      this.#asked.set(uid, { runId, answers: new Map(answers), again: this.clock.now().getTime() + AGAIN });
      onAnswer();
    });
  }

  forget(uid: string): void {
    this.#asked.delete(uid);
  }

  close(): void {
    this.#closing.abort();
    for (const go of this.#waiting.splice(0)) go();
  }

  async #one(question: ModelQuestion, request: PredictionRequest | string): Promise<ModelAnswer> {
    if (typeof request === 'string') return { kind: 'silent', why: request };
    if (this.#running >= MOST_ASKED)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#running++;
    try {
      return await this.#send(question, request);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #send({ namespace, until }: ModelQuestion, { service, path, body }: PredictionRequest): Promise<ModelAnswer> {
    const timeout = Math.min(LONGEST_WAIT, Math.max(0, until - this.clock.now().getTime()));
    if (timeout === 0 || this.#closing.signal.aborted) return { kind: 'silent', why: 'it was not asked in time' };
    try {
      const text = await this.cluster.post(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${service}/proxy${path}`,
        body,
        { signal: this.#closing.signal, limits: { timeout, tries: 1, patience: 0, size: LARGEST_ANSWER } },
      );
      return { kind: 'said', text };
    } catch (error) {
      if (error instanceof ClusterError)
        return { kind: 'silent', why: `service ${service} refused ${path}: ${error.message}` };
      if (error instanceof Fault)
        return { kind: 'silent', why: `service ${service} gave no answer to ${path}: ${error.message}` };
      throw error;
    }
  }
}
