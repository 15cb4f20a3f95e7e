import { Fault } from '../../model/faults/index.js';
import { ClusterError, type Clock, type Cluster } from '../../cluster/index.js';
import type { ModelResponse, PredictionRequest } from '../../notebook/index.js';

/** Models that are asked at a time: one that never answers must not keep others waiting for long. */
const MAX_CONCURRENT_QUERIES = 8;
const MAX_WAIT = 60_000;
const MAX_RESPONSE_BYTES = 1 << 20;

/** A question to the models of one run. */
export interface ModelQuery {
  readonly namespace: string;
  /** By model; a text says why it cannot be asked. */
  readonly requests: ReadonlyMap<string, PredictionRequest | string>;
  /** An answer that comes later counts no more. */
  readonly until: number;
}

interface QueryState {
  readonly runId: string;
  /** What they said last. */
  readonly answers: ReadonlyMap<string, ModelResponse> | undefined;
  /** When to ask again; undefined while they are asked. */
  readonly nextQueryAt: number | undefined;
}

/** Whoever answered otherwise than expected is left alone for a while. */
const QUERY_INTERVAL = 5000;

/** Asks models beside the work on jobs, and keeps what they said last. */
export class ModelClient {
  readonly #queries = new Map<string, QueryState>();
  readonly #closing = new AbortController();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    readonly cluster: Cluster,
    readonly clock: Clock,
  ) {}

  answers(uid: string, runId: string): ReadonlyMap<string, ModelResponse> | undefined {
    const asked = this.#queries.get(uid);
    return asked?.runId === runId ? asked.answers : undefined;
  }

  /** Asks unless it is asked already, or was a moment ago; `onAnswer` when all have answered or will not. */
  query(uid: string, runId: string, question: ModelQuery, onAnswer: () => void): void {
    const before = this.#queries.get(uid);
    if (
      before?.runId === runId &&
      (before.nextQueryAt === undefined || before.nextQueryAt > this.clock.now().getTime())
    )
      return;
    const asked: QueryState = {
      runId,
      answers: before?.runId === runId ? before.answers : undefined,
      nextQueryAt: undefined,
    };
    this.#queries.set(uid, asked);
    void Promise.all(
      [...question.requests].map(async ([name, request]) => [name, await this.#one(question, request)] as const),
    ).then((answers) => {
      if (this.#closing.signal.aborted || this.#queries.get(uid) !== asked) return;
      this.#queries.set(uid, {
        runId,
        answers: new Map(answers),
        nextQueryAt: this.clock.now().getTime() + QUERY_INTERVAL,
      });
      onAnswer();
    });
  }

  forget(uid: string): void {
    this.#queries.delete(uid);
  }

  close(): void {
    this.#closing.abort();
    for (const go of this.#waiting.splice(0)) go();
  }

  async #one(question: ModelQuery, request: PredictionRequest | string): Promise<ModelResponse> {
    if (typeof request === 'string') return { kind: 'silent', why: request };
    if (this.#running >= MAX_CONCURRENT_QUERIES)
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

  async #send({ namespace, until }: ModelQuery, { service, path, body }: PredictionRequest): Promise<ModelResponse> {
    const timeout = Math.min(MAX_WAIT, Math.max(0, until - this.clock.now().getTime()));
    if (timeout === 0 || this.#closing.signal.aborted) return { kind: 'silent', why: 'it was not asked in time' };
    try {
      const text = await this.cluster.post(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${service}/proxy${path}`,
        body,
        { signal: this.#closing.signal, limits: { timeout, tries: 1, retryWindow: 0, size: MAX_RESPONSE_BYTES } },
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
