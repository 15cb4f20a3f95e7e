import { Fault } from '../../model/faults/index.js';
import { keyOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { parseDuration } from '../../model/formats/index.js';
import { ApiError } from '../errors/index.js';
import { type Controller, type ControllerHost, createWorkQueue, namesOf } from '../controller-runtime/index.js';
import type { ServedKind, WatchedObject } from '../rest/index.js';
import { applyStage, eventsOf, onlyRecordsEvents } from './apply-stage.js';
import { chooseStage, type StageChoice } from './choose-stage.js';
import { FlapDetector } from './flap-detector.js';
import { KindWatches } from './kind-watches.js';
import type { AppliedObjects } from './create-object.js';
import type { StageContext } from './look-up.js';
import { ProbeCache } from './probe-cache.js';
import type { Probes } from './probe.js';
import { PROBES, RefIndex, kindText } from './ref-index.js';
import { StageError } from './stage-error.js';
import type { Stage } from './stage.js';
import { fillText } from './templates.js';
import type { WorkQueue } from '../../model/queue/index.js';

/** How often a condition that uses the clock is evaluated again. */
const CLOCK_REQUEUE_AFTER = 10_000;
/**
 * Answers of the server that come from two writers at once, or from a namespace that is going away; the retry settles
 * them.
 */
const EXPECTED_REASONS = new Set(['Conflict', 'AlreadyExists', 'NotFound']);
const MAX_LOGGED = 1000;

/** What is known of an object between passes; all of it may be lost. */
interface ObjectState {
  readonly uid: string | undefined;
  /** The stage that holds, and since when. */
  stage: string;
  since: number;
  /** The Events of the last act, as text. */
  recordedEvents: string | undefined;
  readonly applied: AppliedObjects;
  readonly flapping: FlapDetector;
  /** The version at which stages undid each other; they rest until somebody else changes the object. */
  pausedAt: string | undefined;
}

/** The stages of one controller: for each object of their kinds the first stage that holds acts, again and again. */
export function stageController(name: string, stages: readonly Stage[], probes: Probes = {}): Controller {
  return { name, start: (host) => new StageLoop(name, stages, host, probes) };
}

class StageLoop {
  readonly #stages = new Map<string, Stage[]>();
  readonly #states = new Map<string, ObjectState>();
  readonly #index = new RefIndex();
  readonly #queue: WorkQueue;
  readonly #watches: KindWatches;
  readonly #answers: ProbeCache;
  /** Sentences that the log has; an object that is stuck says so once. */
  readonly #logged = new Set<string>();

  constructor(
    readonly name: string,
    stages: readonly Stage[],
    readonly host: ControllerHost,
    probes: Probes,
  ) {
    this.#queue = createWorkQueue(
      host.clock,
      async (key) => {
        const again = await this.#reconcile(key);
        if (again !== undefined) this.#queue.addAfter(key, again);
      },
      (key, error) => this.#failed(key, error),
      { objectOf: (key) => this.#nameOf(key) },
    );
    this.#watches = new KindWatches(
      host,
      (of, event) => this.#changed(of, event),
      (of) => {
        for (const key of this.#index.keysOfKind(of)) this.#queue.add(key);
      },
    );
    const askers = (text: string): readonly string[] => this.#index.keysOfOne(PROBES, '', text);
    this.#answers = new ProbeCache(
      host,
      probes,
      (text) => askers(text).length > 0,
      (text) => {
        for (const key of askers(text)) this.#queue.add(key);
      },
      (sentence) => this.#logOnce(`${name}: ${sentence}`),
    );
    for (const stage of stages) {
      const of = kindText(stage.match.group, stage.match.kind);
      this.#stages.set(of, [...(this.#stages.get(of) ?? []), stage]);
    }
    for (const { match } of stages) this.#watches.ensureWatched(match.group, match.kind);
  }

  close(): void {
    this.#answers.close();
    this.#watches.close();
    void this.#queue.close();
  }

  #changed(of: string, { object, previous }: WatchedObject): void {
    if (this.#stages.has(of)) this.#queue.add(keyText(keyOf(object)));
    for (const key of this.#index.keysFor(of, [object, previous])) this.#queue.add(key);
  }

  #nameOf(key: string): string | undefined {
    const [group = '', kind = '', namespace = '', name = ''] = key.split('/');
    const of = this.host.client.served(group, kind);
    return of && namesOf(this.host.client, of)(namespace === '' ? name : `${namespace}/${name}`);
  }

  /** Reconciles one object with everything that its stages name. A number requeues it after that many milliseconds. */
  async #reconcile(key: string): Promise<number | undefined> {
    const [group = '', kind = '', namespace = '', name = ''] = key.split('/');
    const served = this.host.client.served(group, kind);
    const self = served && this.host.client.get(served, namespace, name);
    if (served === undefined || self === undefined) {
      this.#index.set(key, []);
      this.#states.delete(key);
      return undefined;
    }
    const context: StageContext = {
      host: this.host,
      watches: this.#watches,
      answers: this.#answers,
      self,
      dependencies: [],
    };
    try {
      return await this.#evaluate(key, served, context);
    } catch (error) {
      // Trying again cannot help before the stage or the world changes.
      if (!(error instanceof StageError)) throw error;
      this.#logOnce(`${this.name}: ${describeObject(self)}: ${error.message}`);
      return undefined;
    } finally {
      this.#index.set(key, context.dependencies);
    }
  }

  async #evaluate(key: string, kind: ServedKind, context: StageContext): Promise<number | undefined> {
    const memory = this.#stateOf(key, context.self);
    if (memory.pausedAt === context.self.metadata.resourceVersion) return undefined;
    const { choice, dependsOnTime } = chooseStage(this.#stages.get(kindText(kind.group, kind.kind)) ?? [], context);
    // Before anything is written, so that what changes meanwhile is not missed.
    this.#index.set(key, [...context.dependencies]);
    const again = dependsOnTime ? CLOCK_REQUEUE_AFTER : undefined;
    const now = this.host.clock.now().getTime();
    if (memory.stage !== (choice?.stage.name ?? '')) {
      memory.stage = choice?.stage.name ?? '';
      memory.since = now;
    }
    if (choice === undefined) return again;
    try {
      const wait = memory.since + delayOf(choice) - now;
      if (wait > 0) return Math.min(wait, again ?? wait);
      await this.#act(memory, choice, kind, context);
    } catch (error) {
      throw asStageError(error)?.inStage(choice.stage.name) ?? error;
    }
    return again;
  }

  async #act(memory: ObjectState, choice: StageChoice, kind: ServedKind, context: StageContext): Promise<void> {
    const { self } = context;
    const events = eventsOf(choice);
    const changed = await applyStage({ ...choice, context: context, kind, applied: memory.applied });
    const text = JSON.stringify([choice.stage.name, events]);
    // Without memory (after a start) the Events of an unchanged object were recorded before, unless Events are all the
    // stage does.
    const isNews =
      memory.recordedEvents === undefined ? onlyRecordsEvents(choice.stage) : memory.recordedEvents !== text;
    memory.recordedEvents = text;
    if (changed || isNews)
      for (const { type, reason, message } of events) this.host.client.event(self, type, reason, message, this.name);
    if (!changed) return;
    const cycle = memory.flapping.record(this.host.clock.now().getTime(), choice.stage.name, self, choice.refs);
    if (cycle === undefined) return;
    memory.pausedAt = this.host.client.get(
      kind,
      self.metadata.namespace ?? '',
      self.metadata.name ?? '',
    )?.metadata.resourceVersion;
    const names = cycle.map((name) => JSON.stringify(name)).join(' and ');
    const whatHappens =
      cycle.length === 1
        ? `stage ${names} changes it for ever; it rests`
        : `stages ${names} change it for ever; they rest`;
    this.#logOnce(
      `${this.name}: ${describeObject(self)}: ${whatHappens} until somebody else changes the object. ` +
        'Write conditions that no longer hold afterwards',
    );
  }

  #stateOf(key: string, { metadata: { uid } }: KubeObject): ObjectState {
    const known = this.#states.get(key);
    if (known !== undefined && known.uid === uid) return known;
    const memory: ObjectState = {
      uid,
      stage: '',
      since: 0,
      recordedEvents: undefined,
      applied: new Map(),
      flapping: new FlapDetector(),
      pausedAt: undefined,
    };
    this.#states.set(key, memory);
    return memory;
  }

  #failed(key: string, error: unknown): void {
    if (!(error instanceof ApiError)) this.host.log.error(`${this.name}: ${key}`, { error });
    else if (!EXPECTED_REASONS.has(error.reason)) this.#logOnce(`${this.name}: ${key}: ${error.message}`);
  }

  #logOnce(sentence: string): void {
    if (this.#logged.has(sentence)) return;
    if (this.#logged.size >= MAX_LOGGED) this.#logged.clear();
    this.#logged.add(sentence);
    this.host.log.warn(sentence);
  }
}

/**
 * What the server refuses because of the stage's own words; the object that it quotes may hold secrets and stays out of
 * the log.
 */
function asStageError(error: unknown): StageError | undefined {
  if (error instanceof StageError) return error;
  if (!(error instanceof ApiError) || !(error.reason === 'Invalid' || error.reason === 'BadRequest')) return undefined;
  return new StageError(error.message.replace(/^.*patch: Invalid value: "(?:[^"\\]|\\.)*": /s, ''));
}

function delayOf({ stage, values }: StageChoice): number {
  const text = fillText(stage.then.after, { values }, 'after');
  try {
    return text === '' ? 0 : Number(parseDuration(text)) / 1e6;
  } catch (error) {
    if (error instanceof Fault) throw new StageError(`after: ${error.message}`);
    throw error;
  }
}

function describeObject({ kind, metadata: { namespace, name = '' } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
