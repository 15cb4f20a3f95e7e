import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pollDelays } from '../harness/poll-delays.js';
import { parseJson, writeJson, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { Case, StepResult, CaseStep } from './case.js';
import { Connection, type Answer, type Call, type Stream } from './connection.js';
import { Mask } from './mask.js';
import { contains, pickPaths, valueAtPath } from './match-json.js';

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  patch: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const ACCEPTS: Readonly<Record<string, string>> = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'metadata-list': 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

const WAIT_FOR_EVENT = 15_000;
const WAIT_UNTIL = 20_000;

/** Plays one case on one server, in a namespace of its own, and hands every step and what it showed to `look`. */
export async function play(
  connection: Connection,
  played: Case,
  look: (step: CaseStep, seen: StepResult, index: number) => void,
): Promise<void> {
  const player = new Player(connection, played);
  try {
    await player.setUp();
    for (const [index, step] of played.steps.entries()) look(step, await named(step, index, player.step(step)), index);
  } finally {
    player.closeWatches();
  }
}

/** A fault of the exchange itself says which step it was. */
async function named(step: CaseStep, index: number, seen: Promise<StepResult>): Promise<StepResult> {
  try {
    return await seen;
  } catch (error) {
    throw new Error(
      `step ${index + 1}: ${step.do ?? `events of ${step.events ?? ''}`}: ` +
        (error instanceof Error ? error.message : String(error)),
      { cause: error },
    );
  }
}

class Player {
  // Letters only in the middle of names: also a DNS label, a user name and an API group.
  readonly #namespace = `c${randomBytes(5).toString('hex')}`;
  #mask: Mask;
  readonly #values = new Map<string, string>();
  readonly #streams = new Map<string, Stream>();

  constructor(
    private readonly connection: Connection,
    private readonly played: Case,
  ) {
    this.#mask = new Mask(this.#namespace, connection.host);
    this.#values.set('HOST', connection.host);
    for (const [name, { repeat, times }] of Object.entries(played.vars)) this.#values.set(name, repeat.repeat(times));
  }

  /** The namespace and the service account that a controller would make; pods are refused without it. */
  async setUp(): Promise<void> {
    await this.#must({ do: 'POST /api/v1/namespaces', body: { metadata: { name: this.#namespace } } });
    await this.#must(
      { do: `POST /api/v1/namespaces/${this.#namespace}/serviceaccounts`, body: { metadata: { name: 'default' } } },
      409,
    );
    for (const step of this.played.given) await this.#must(step);
    // Numbering starts with the steps: how many objects the scene needs is not what a case is about.
    this.#mask = new Mask(this.#namespace, this.connection.host);
  }

  closeWatches(): void {
    for (const stream of this.#streams.values()) stream.close();
  }

  async step(step: CaseStep): Promise<StepResult> {
    if (step.events !== undefined) return { events: await this.#read(step.events, step.take ?? 1) };
    if (step.watch !== undefined) return this.#open(step.watch, step);
    if (step.times !== undefined) return this.#many(step, step.times);
    if (step.until !== undefined) return this.#until(step, step.until);
    return this.#show(step, await this.connection.send(this.#call(step)));
  }

  async #must(step: CaseStep, alsoGood?: number): Promise<void> {
    const seen = await this.step(step);
    const code = seen.code ?? 0;
    if ((code < 200 || code > 299) && code !== alsoGood)
      throw new Error(`given ${step.do ?? ''}: ${JSON.stringify(seen)}`);
  }

  async #until(step: CaseStep, wanted: StepResult): Promise<StepResult> {
    const known = this.#mask;
    for (const deadline = Date.now() + WAIT_UNTIL, next = pollDelays(); ; await next()) {
      // How often it takes is chance, so a vain attempt must not count in the numbering.
      this.#mask = known.copy();
      const seen = this.#show(step, await this.connection.send(this.#call(step)));
      if (contains(seen as JsonObject, wanted as JsonObject)) return seen;
      if (Date.now() > deadline)
        throw new Error(`${step.do ?? ''} never showed ${JSON.stringify(wanted)}; last: ${JSON.stringify(seen)}`);
    }
  }

  async #many(step: CaseStep, times: number): Promise<StepResult> {
    const call = this.#call(step);
    const answers = await Promise.all(Array.from({ length: times }, () => this.connection.send(call)));
    const codes: Record<string, number> = {};
    for (const { code } of answers) codes[code] = (codes[code] ?? 0) + 1;
    return { codes };
  }

  async #open(name: string, step: CaseStep): Promise<StepResult> {
    const opened = await this.connection.watch(this.#call(step));
    if ('text' in opened) return this.#show(step, opened);
    this.#streams.set(name, opened);
    return { code: opened.code };
  }

  async #read(name: string, take: number | 'all'): Promise<Json[]> {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw new Error(`no watch is open under the name ${name}`);
    const events: Json[] = [];
    while (take === 'all' || events.length < take) {
      const event = await within(stream.next(), events);
      if (event === undefined) {
        if (take !== 'all') events.push('<end>');
        break;
      }
      events.push(this.#mask.number(this.#mask.value(event)));
    }
    return events;
  }

  #call(step: CaseStep): Call {
    const line = this.#fill(step.do ?? '');
    const space = line.indexOf(' ');
    const headers: Record<string, string | string[]> = {};
    const body = step.raw ?? (step.body === undefined ? undefined : writeJson(step.body));
    if (body !== undefined && step.type !== '<none>')
      headers['content-type'] = TYPES[step.type ?? 'json'] ?? step.type ?? '';
    if (step.accept !== undefined) headers['accept'] = ACCEPTS[step.accept] ?? step.accept;
    if (step.as !== undefined) headers['impersonate-user'] = this.#fill(step.as);
    if (step.groups !== undefined) headers['impersonate-group'] = step.groups.map((group) => this.#fill(group));
    if (step.auth !== undefined) headers['authorization'] = step.auth === 'none' ? '<none>' : this.#fill(step.auth);
    for (const [name, value] of Object.entries(step.headers ?? {})) headers[name] = this.#fill(value);
    return {
      method: line.slice(0, space),
      path: line.slice(space + 1),
      headers,
      body: body === undefined ? undefined : this.#fill(body),
    };
  }

  #fill(text: string): string {
    return text.replaceAll('$NS', this.#namespace).replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) throw new Error(`nothing was captured under the name ${name}`);
      return value;
    });
  }

  #show(step: CaseStep, answer: Answer): StepResult {
    const seen: StepResult = { code: answer.code };
    const type = oneHeader(answer, 'content-type');
    if (type !== 'application/json') seen.type = type;
    const warnings = [answer.headers['warning'] ?? []].flat();
    if (warnings.length > 0) seen.warnings = warnings.map((warning) => this.#text(warning));
    if (step.show !== undefined) {
      seen.headers = Object.fromEntries(step.show.map((name) => [name, this.#text(oneHeader(answer, name))]));
    }
    if (answer.text.startsWith('{') && step.plain !== true) this.#showBody(step, seen, parseJson(answer.text));
    else if (answer.text !== '' && step.keep === undefined) seen.text = this.#text(answer.text);
    return seen;
  }

  #text(text: string): string {
    return this.#mask.number(this.#mask.text(text));
  }

  #showBody(step: CaseStep, seen: StepResult, body: Json): void {
    for (const [name, path] of Object.entries(step.capture ?? {})) {
      const value = valueAtPath(body, path);
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new Error(`${step.do ?? ''}: nothing to capture at ${path}`);
      this.#values.set(name, String(value));
    }
    const masked = this.#mask.value(body);
    if (step.keep === undefined) seen.body = this.#mask.number(masked);
    else if (step.keep.length > 0) seen.kept = this.#mask.number(pickPaths(masked, step.keep));
  }
}

function oneHeader(answer: Answer, name: string): string {
  const value = [answer.headers[name] ?? '<absent>'].flat().join(', ');
  return name === 'audit-id' && value !== '<absent>' ? '<present>' : value;
}

async function within<T>(promise: Promise<T>, sofar: readonly Json[]): Promise<T> {
  const stop = new AbortController();
  const late = delay(WAIT_FOR_EVENT, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`no further event within ${WAIT_FOR_EVENT / 1000} s, after ${JSON.stringify(sofar)}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => {
      /* the event came first */
    });
    stop.abort();
  }
}
