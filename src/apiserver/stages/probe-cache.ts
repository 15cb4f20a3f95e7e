import { equal, isObject, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { ControllerHost } from '../controller-runtime/index.js';
import type { Probes } from './probe.js';
import { messageOf } from '../errors/index.js';
import { SECRETS } from '../../model/resources/index.js';

/** A probe that failed is asked again after this long where its ref says nothing. */
const RETRY_AFTER_FAILURE = 30_000;
/** How often an answer that does not grow old is asked whether anybody still wants it. */
const EVICT_AFTER = 600_000;

/** One question: a probe, what it is asked, and for whom. */
export interface ProbeRequest {
  readonly probe: string;
  readonly namespace: string;
  readonly input: JsonObject;
  /** Milliseconds after which the answer is old; undefined: never. */
  readonly every: number | undefined;
}

interface Entry {
  readonly text: string;
  readonly request: ProbeRequest;
  answer: JsonObject | null;
  running: boolean;
  /** The Secrets that the last answer rests on, `namespace/name`, with the version that was read. */
  secrets: ReadonlyMap<string, string>;
  cancel: () => void;
}

/** The answers of probes. A read never waits: a later answer triggers another reconcile. */
export class ProbeCache {
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();

  constructor(
    readonly host: ControllerHost,
    readonly probes: Probes,
    /** Does anything still ask? Questions that nobody has any more are forgotten. */
    readonly isUsed: (text: string) => boolean,
    readonly onChange: (text: string) => void,
    readonly log: (sentence: string) => void,
  ) {}

  /**
   * The newest answer, null before the first and where it rests on a Secret that is another one now; `text` names the
   * question, `secrets` are what the answer rests on.
   */
  get(question: ProbeRequest): { readonly text: string; readonly answer: Json; readonly secrets: readonly string[] } {
    const text = `${question.probe} ${question.namespace} ${writeJson(question.input)}`;
    const entry = this.#entries.get(text) ?? this.#begin(text, question);
    if (this.#isOld(entry)) {
      entry.answer = null;
      if (!entry.running) this.#run(entry);
    }
    return { text, answer: entry.answer, secrets: [...entry.secrets.keys()] };
  }

  close(): void {
    this.#stop.abort();
    for (const { cancel } of this.#entries.values()) cancel();
  }

  #begin(text: string, question: ProbeRequest): Entry {
    const entry: Entry = {
      text,
      request: question,
      answer: null,
      running: false,
      secrets: new Map(),
      cancel: () => undefined,
    };
    this.#entries.set(text, entry);
    this.#run(entry);
    return entry;
  }

  #run(entry: Entry): void {
    entry.cancel();
    entry.running = true;
    this.#answer(entry).catch((error: unknown) => this.log(`probe ${entry.request.probe}: ${String(error)}`));
  }

  async #answer(entry: Entry): Promise<void> {
    const { probe: name, namespace, input } = entry.request;
    const probe = Object.hasOwn(this.probes, name) ? this.probes[name] : undefined;
    if (probe === undefined)
      return this.log(`there is no handler for the probe ${JSON.stringify(name)}; its value is null`);
    const read = new Map<string, string>();
    let next: JsonObject | undefined;
    try {
      next = await probe(input, {
        namespace,
        signal: this.#stop.signal,
        secret: (of, secret) => this.#secret(of, secret, read),
      });
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.log(`the probe ${JSON.stringify(name)} has no answer to ${writeJson(input)}: ${messageOf(error)}`);
    }
    if (!this.#stop.signal.aborted) this.#store(entry, next, read);
  }

  #store(entry: Entry, next: JsonObject | undefined, read: ReadonlyMap<string, string>): void {
    const { every = next === undefined ? RETRY_AFTER_FAILURE : undefined } = entry.request;
    // The caller watches these Secrets only from its next reconcile on.
    const isNews =
      (next !== undefined && !equal(next, entry.answer)) ||
      [...read.keys()].join() !== [...entry.secrets.keys()].join();
    entry.running = false;
    entry.secrets = read;
    if (next !== undefined) entry.answer = next;
    entry.cancel = this.host.clock.after(every ?? EVICT_AFTER, () => this.#again(entry));
    if (isNews) this.onChange(entry.text);
    // One changed while the probe was out.
    if (this.#isOld(entry)) this.#run(entry);
  }

  #again(entry: Entry): void {
    if (!this.isUsed(entry.text)) this.#entries.delete(entry.text);
    else if (entry.request.every === undefined && entry.answer !== null)
      entry.cancel = this.host.clock.after(EVICT_AFTER, () => this.#again(entry));
    else this.#run(entry);
  }

  #isOld({ secrets }: Entry): boolean {
    return [...secrets].some(([name, version]) => this.#versionOf(name) !== version);
  }

  #secret(namespace: string, name: string, read: Map<string, string>): JsonObject | undefined {
    read.set(`${namespace}/${name}`, this.#versionOf(`${namespace}/${name}`));
    const secret = this.#stored(`${namespace}/${name}`);
    return secret && (isObject(secret['data']) ? secret['data'] : {});
  }

  #versionOf(name: string): string {
    return this.#stored(name)?.metadata.resourceVersion ?? '';
  }

  #stored(text: string): ReturnType<ControllerHost['client']['get']> {
    const [namespace = '', name = ''] = text.split('/');
    return this.host.client.get(SECRETS, namespace, name);
  }
}
