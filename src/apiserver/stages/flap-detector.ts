import { createHash } from 'node:crypto';
import { isArray, isObject, own, put, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** Acts are counted within this much time; what flips more slowly has a delay in it and is meant. */
const WINDOW = 60_000;
/** Acts that nobody wonders about. */
const FREE_ACTS = 8;
/** How often the same state of the world may come back. */
const MAX_RETURNS = 5;
/** How many states an object may pass through while nothing but its own status and metadata changes. */
const MAX_STATES = 50;
/** Longer lists are compared by name and version, because writing them out costs more than it finds. */
const MAX_LIST_LENGTH = 50;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const VOLATILE_FIELDS: ReadonlySet<string> = new Set([
  'resourceVersion',
  'uid',
  'managedFields',
  'generation',
  'creationTimestamp',
]);

/** Notices stages that undo each other's work on one object for ever. */
export class FlapDetector {
  #since = 0;
  #acts = 0;
  #stages: string[] = [];
  readonly #counts = new Map<string, number>();

  /**
   * After an act that changed something, of what the act saw. Gives the stages that undo each other, once it is clear
   * that they do.
   */
  record(now: number, stage: string, self: KubeObject, refs: JsonObject): readonly string[] | undefined {
    if (now - this.#since > WINDOW) this.#restart(now);
    this.#acts++;
    this.#stages = [stage, ...this.#stages.filter((name) => name !== stage)];
    if (this.#acts <= FREE_ACTS) return undefined;
    const { metadata: _metadata, status: _status, ...spec } = self;
    const others = digest(refs);
    const cycles =
      this.#count(`world ${digest(self)} ${others}`) > MAX_RETURNS ||
      this.#count(`spec ${digest(spec)} ${others}`) > MAX_STATES;
    if (!cycles) return undefined;
    const stages = [...this.#stages].sort();
    this.#restart(now);
    return stages;
  }

  #restart(now: number): void {
    this.#since = now;
    this.#acts = 0;
    this.#stages = [];
    this.#counts.clear();
  }

  #count(of: string): number {
    const count = (this.#counts.get(of) ?? 0) + 1;
    this.#counts.set(of, count);
    return count;
  }
}

function digest(value: Json): string {
  return createHash('sha256')
    .update(writeJson(steady(value)))
    .digest('base64');
}

/** The value without what differs each time: versions, identities, times. */
function steady(value: Json): Json {
  if (typeof value === 'string') return TIME.test(value) ? 'T' : value;
  if (isArray(value)) return value.length > MAX_LIST_LENGTH ? value.map(briefly) : value.map(steady);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) if (!VOLATILE_FIELDS.has(key)) put(kept, key, steady(own(value, key) ?? null));
  return kept;
}

function briefly(item: Json): Json {
  const metadata = isObject(item) ? item.metadata : undefined;
  return isObject(metadata) ? `${String(metadata['name'])} ${String(metadata['resourceVersion'])}` : steady(item);
}
