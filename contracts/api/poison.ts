import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listAt, type Json, type JsonObject, textAt } from '../../src/model/json/index.js';
import { Connection } from '../apiserver/connection.js';
import { askAgain } from '../harness/ask-again.js';
import { inLanes } from '../harness/in-lanes.js';
import type { ApiLab } from './api-lab.js';
import { Chance } from './chance.js';
import { hostileValue } from './hostile-values.js';
import { KINDS, type Kind } from './poison-kinds.js';
import { ObjectSchema, valueIn, type Field } from './schema-fields.js';
import { DELIVERY_FIELDS, sendDeliveries } from './webhook-mutations.js';

/** Fields that are changed besides; most objects have none, so that the rest of them is still sound. */
const MORE_CHANGES = [0, 0, 0, 1, 3];
/** Kubernetes itself says this with 500. */
const KNOWN_FAILURE = /resourceVersion should not be set on objects to be created/;
/** Requests at the same time: enough that no process waits for another. */
const LANES = 32;
const DELIVERY_LANES = 8;
/** Long: what counts is how long threads are busy, not what else this machine does. */
const ANSWER_WITHIN = 60_000;

export interface PoisonTrial {
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Of each kind and of deliveries, the fields that were changed in a request that was answered. */
  readonly covered: Readonly<Record<string, readonly number[]>>;
}

/** Which objects and deliveries of all that a seed has. */
export interface PoisonPart {
  readonly seed: number;
  readonly trial: number;
  readonly objects: number;
  readonly deliveries: number;
}

interface Schemed {
  readonly kind: Kind;
  readonly name: string;
  readonly schema: ObjectSchema;
  /** Numbers of fields in an order by chance: neighbours differ in cost. */
  readonly order: readonly number[];
}

interface Poisoned {
  readonly schemed: Schemed;
  readonly field: number;
  readonly body: JsonObject;
  /** For kinds whose state is written on its own. */
  readonly status: Json | undefined;
}

/** `argosy up`, written to by somebody who means no good. */
export class PoisonLab {
  readonly #lab: ApiLab;
  readonly #connection: Connection;
  readonly #kinds: Schemed[] = [];
  readonly #server: number;

  private constructor(lab: ApiLab) {
    this.#lab = lab;
    this.#connection = new Connection(lab.kubeconfig, ANSWER_WITHIN);
    this.#server = this.serverPid;
  }

  static async open(lab: ApiLab): Promise<PoisonLab> {
    const poison = new PoisonLab(lab);
    const documents = new Map<string, JsonObject>();
    for (const kind of KINDS) {
      const known = documents.get(kind.document) ?? (await poison.#document(kind.document));
      documents.set(kind.document, known);
      const name = textAt(kind.object, 'kind');
      const schema = ObjectSchema.ofKind(known, name);
      poison.#kinds.push({ kind, name, schema, order: shuffled(schema.fields.length) });
    }
    return poison;
  }

  /** How many fields there are of each kind and of deliveries. */
  get fields(): Readonly<Record<string, number>> {
    const kinds = this.#kinds.map(({ name, schema }) => [name, schema.fields.length] as const);
    return { ...Object.fromEntries(kinds), deliveries: DELIVERY_FIELDS };
  }

  /** Objects and deliveries, each with another field changed than the one before; what was stored is deleted again. */
  async trial(part: PoisonPart): Promise<PoisonTrial> {
    const chance = new Chance(part.seed * 1_000_003 + part.trial);
    const counts: Record<string, number> = {};
    const wrong: string[] = [];
    const covered: Record<string, number[]> = {};
    const stored: { readonly path: string; readonly held: boolean }[] = [];
    const first = part.trial * part.objects;
    // By chance first, so that the same seed sends the same, in whichever order it is answered.
    const objects = Array.from({ length: part.objects }, (_, index) => this.#poisoned(first + index, chance));
    const write = async ({ schemed, field, body, status }: Poisoned): Promise<void> => {
      const { path } = schemed.kind;
      const sent = JSON.stringify(body);
      const { code, text } = await this.#send('POST', path, sent);
      const answer = `${String(code).slice(0, 1)}xx`;
      counts[answer] = (counts[answer] ?? 0) + 1;
      (covered[schemed.name] ??= []).push(field);
      if (code >= 500 && !KNOWN_FAILURE.test(text))
        wrong.push(`POST ${path} ${sent.slice(0, 400)}: ${code} ${text.slice(0, 300)}`);
      if (code !== 201) return;
      const { metadata } = JSON.parse(text) as { metadata: JsonObject };
      const place = `${path}/${textAt(metadata, 'name')}`;
      stored.push({ path: place, held: listAt(metadata, 'finalizers').length > 0 });
      counts[`stored ${schemed.name}`] = (counts[`stored ${schemed.name}`] ?? 0) + 1;
      if (status !== undefined) await this.#send('PATCH', `${place}/status`, JSON.stringify({ status }));
    };
    const [delivered] = await Promise.all([
      sendDeliveries(this.#lab, part.seed * 1_000_003 + part.trial, part.deliveries, {
        lanes: DELIVERY_LANES,
        from: part.trial * part.deliveries,
      }),
      inLanes(LANES, objects, write),
    ]);
    wrong.push(...delivered.wrong.map(({ request, why }) => `${request}: ${why}`));
    for (const [kind, count] of Object.entries(delivered.statuses)) counts[`deliveries ${kind}`] = count;
    covered.deliveries = [...delivered.fields];
    await inLanes(LANES, stored, (one) => this.#remove(one.path, one.held));
    await this.#removeEvents();
    if (!this.#lab.isRunning || this.serverPid !== this.#server)
      wrong.push(`a process ended: ${this.#lab.output.slice(-2000)}`);
    return { wrong, counts: { ...counts, stored: stored.length }, covered };
  }

  /** Resident megabytes of both processes. */
  memory(): number {
    return [this.#lab.pid, this.#server]
      .map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
      .reduce((sum, each) => sum + each, 0);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** The process of the embedded server. */
  get serverPid(): number {
    return (JSON.parse(readFileSync(join(this.#lab.folder, 'data/run.json'), 'utf8')) as { pid: number }).pid;
  }

  async #document(name: string): Promise<JsonObject> {
    const { code, text } = await this.#send('GET', `/openapi/v3/${name}`);
    if (code !== 200) throw new Error(`/openapi/v3/${name} answered ${code}`);
    return JSON.parse(text) as JsonObject;
  }

  #send(method: string, path: string, body?: string): Promise<{ readonly code: number; readonly text: string }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = body === undefined ? {} : { 'content-type': type };
    return askAgain(() => this.#connection.send({ method, path, headers, body }));
  }

  async #remove(path: string, isHeld: boolean): Promise<void> {
    if (isHeld) await this.#send('PATCH', path, JSON.stringify({ metadata: { finalizers: null } }));
    await this.#send('DELETE', path, JSON.stringify({ gracePeriodSeconds: 0, propagationPolicy: 'Background' }));
  }

  /** What is said of objects outlives them by an hour, as in Kubernetes; here memory is to return at once. */
  async #removeEvents(): Promise<void> {
    const namespaces = new Set(KINDS.map(({ path }) => path.split('/').at(-2) ?? ''));
    for (const namespace of namespaces) await this.#send('DELETE', `/api/v1/namespaces/${namespace}/events`);
  }

  /** The object of this number: kinds take turns, and the fields of each. */
  #poisoned(index: number, chance: Chance): Poisoned {
    const schemed = this.#kinds[index % this.#kinds.length] as Schemed;
    const { kind, schema, order } = schemed;
    const { fields } = schema;
    const number = order[Math.floor(index / this.#kinds.length) % order.length] as number;
    const field = fields[number] as Field;
    let body: JsonObject = { ...kind.object, metadata: { name: `poison-${index}` } };
    for (let more = chance.pick(MORE_CHANGES); more > 0; more--) {
      const other = chance.pick(fields);
      body = schema.placed(body, other, hostileValue(other.schema, chance));
    }
    const value = hostileValue(field.schema, chance);
    body = schema.placed(body, field, value);
    if (valueIn(body, field) !== value) throw new Error(`${schemed.name} ${field.path.join('.')} was not changed`);
    return { schemed, field: number, body, status: field.path[0] === 'status' ? body.status : undefined };
  }
}

function shuffled(length: number): number[] {
  const chance = new Chance(length);
  return Array.from({ length }, (_, index) => [chance.next(), index] as const)
    .sort(([a], [b]) => a - b)
    .map(([, index]) => index);
}
