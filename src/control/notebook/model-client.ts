import { Fault } from '../../model/faults/index.js';
import { ClusterError, type Clock, type Cluster } from '../../cluster/index.js';
import type { ModelResponse, PredictionRequest } from '../../notebook/index.js';

/** Concurrent requests to models: one that never responds must not block the others for long. */
const MAX_CONCURRENT_QUERIES = 8;
const MAX_WAIT = 60_000;
const MAX_RESPONSE_BYTES = 1 << 20;

/** A question to the models of one run. */
export interface ModelQuery {
  readonly namespace: string;
  /** By model; a text says why it cannot be queried. */
  readonly requests: ReadonlyMap<string, PredictionRequest | string>;
  /** Later responses are ignored. */
  readonly until: number;
}

interface QueryState {
  readonly runId: string;
  /** Their last responses. */
  readonly answers: ReadonlyMap<string, ModelResponse> | undefined;
  /** When to query again; undefined during a query. */
  readonly nextQueryAt: number | undefined;
}

/** Delay before a model with an unexpected response is queried again. */
const QUERY_INTERVAL = 5000;

/** Queries models in the background and keeps their last responses. */
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

  /** Queries unless a query is running or was made recently; calls `onAnswer` when all have responded or timed out. */
  query(uid: string, runId: string, question: ModelQuery, onAnswer: () => void): void {
    const before = this.#queries.get(uid);
    if (before?.runId === runId && (before.nextQueryAt === undefined || before.nextQueryAt > this.clock.steady()))
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
        nextQueryAt: this.clock.steady() + QUERY_INTERVAL,
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
    if (timeout === 0 || this.#closing.signal.aborted)
      return { kind: 'silent', why: 'the request was not sent in time' };
    try {
      const text = await this.cluster.post(
        `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${service}/proxy${path}`,
        body,
        { signal: this.#closing.signal, limits: { timeout, tries: 1, retryWindow: 0, size: MAX_RESPONSE_BYTES } },
      );
      return { kind: 'responded', text };
    } catch (error) {
      if (error instanceof ClusterError)
        return { kind: 'silent', why: `service ${service} rejected ${path}: ${error.message}` };
      if (error instanceof Fault)
        return { kind: 'silent', why: `service ${service} did not respond to ${path}: ${error.message}` };
      throw error;
    }
  }
}
