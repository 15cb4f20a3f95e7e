import { Fault, keyOf, keyText, parseDuration, type KubeObject } from '../../model/index.js';
import { ApiError } from '../api-error.js';
import type { Controller, ControllerHost } from '../controllers/controller.js';
import { WorkQueue } from '../controllers/work-queue.js';
import type { ServedKind, WatchedObject } from '../local-client.js';
import { act, eventsOf, onlyTells } from './act.js';
import { chooseStage, type Choice } from './choose-stage.js';
import { FlipWatch } from './flip-watch.js';
import { KindWatches } from './kind-watches.js';
import type { Applied } from './create-object.js';
import type { Pass } from './look-up.js';
import { ProbeAnswers } from './probe-answers.js';
import type { Probes } from './probe.js';
import { PROBES, RefIndex, kindText } from './ref-index.js';
import { StageProblem } from './stage-problem.js';
import type { Stage } from './stage.js';
import { fillText } from './templates.js';

/** How often a condition that looks at the clock is tried again. */
const LOOK_AT_CLOCK = 10_000;
/**
 * Answers of the server that come from two writers at once, or from a namespace that is going away; the retry settles
 * them.
 */
const EVERYDAY = new Set(['Conflict', 'AlreadyExists', 'NotFound']);
const MOST_TOLD = 1000;

/** What is known of an object between passes; all of it may be lost. */
interface Memory {
  readonly uid: string | undefined;
  /** The stage that holds, and since when. */
  stage: string;
  since: number;
  /** The Events of the last act, as text. */
  told: string | undefined;
  readonly applied: Applied;
  readonly flips: FlipWatch;
  /** The version at which stages went in circles; they rest until somebody else changes the object. */
  restingAt: string | undefined;
}

/** The stages of one controller: for each object of their kinds the first stage that holds acts, again and again. */
export function stageController(name: string, stages: readonly Stage[], probes: Probes = {}): Controller {
  return { name, start: (host) => new StageLoop(name, stages, host, probes) };
}

class StageLoop {
  readonly #stages = new Map<string, Stage[]>();
  readonly #memories = new Map<string, Memory>();
  readonly #index = new RefIndex();
  readonly #queue: WorkQueue;
  readonly #watches: KindWatches;
  readonly #answers: ProbeAnswers;
  /** Sentences that the log has; an object that is stuck says so once. */
  readonly #told = new Set<string>();

  constructor(
    readonly name: string,
    stages: readonly Stage[],
    readonly host: ControllerHost,
    probes: Probes,
  ) {
    this.#queue = new WorkQueue(
      host.clock,
      async (key) => {
        const again = await this.#pass(key);
        if (again !== undefined) this.#queue.addAfter(key, again);
      },
      (key, error) => this.#failed(key, error),
    );
    this.#watches = new KindWatches(
      host,
      (of, event) => this.#changed(of, event),
      (of) => {
        for (const key of this.#index.keysOfKind(of)) this.#queue.add(key);
      },
    );
    const askers = (text: string): readonly string[] => this.#index.keysOfOne(PROBES, '', text);
    this.#answers = new ProbeAnswers(
      host,
      probes,
      (text) => askers(text).length > 0,
      (text) => {
        for (const key of askers(text)) this.#queue.add(key);
      },
      (sentence) => this.#say(`${name}: ${sentence}`),
    );
    for (const stage of stages) {
      const of = kindText(stage.match.group, stage.match.kind);
      this.#stages.set(of, [...(this.#stages.get(of) ?? []), stage]);
    }
    for (const { match } of stages) this.#watches.want(match.group, match.kind);
  }

  close(): void {
    this.#answers.close();
    this.#watches.close();
    this.#queue.close();
  }

  #changed(of: string, { object, previous }: WatchedObject): void {
    if (this.#stages.has(of)) this.#queue.add(keyText(keyOf(object)));
    for (const key of this.#index.keysFor(of, [object, previous])) this.#queue.add(key);
  }

  /**
   * Looks at one object with everything that its stages name. A number asks for another look after that many
   * milliseconds.
   */
  async #pass(key: string): Promise<number | undefined> {
    const [group = '', kind = '', namespace = '', name = ''] = key.split('/');
    const served = this.host.client.served(group, kind);
    const self = served && this.host.client.get(served, namespace, name);
    if (served === undefined || self === undefined) {
      this.#index.set(key, []);
      this.#memories.delete(key);
      return undefined;
    }
    const pass: Pass = { host: this.host, watches: this.#watches, answers: this.#answers, self, dependencies: [] };
    try {
      return await this.#look(key, served, pass);
    } catch (error) {
      // Trying again cannot help before the stage or the world changes.
      if (!(error instanceof StageProblem)) throw error;
      this.#say(`${this.name}: ${at(self)}: ${error.message}`);
      return undefined;
    } finally {
      this.#index.set(key, pass.dependencies);
    }
  }

  async #look(key: string, kind: ServedKind, pass: Pass): Promise<number | undefined> {
    const memory = this.#memoryOf(key, pass.self);
    if (memory.restingAt === pass.self.metadata.resourceVersion) return undefined;
    const { choice, dependsOnTime } = chooseStage(this.#stages.get(kindText(kind.group, kind.kind)) ?? [], pass);
    // Before anything is written, so that what changes meanwhile is not missed.
    this.#index.set(key, [...pass.dependencies]);
    const again = dependsOnTime ? LOOK_AT_CLOCK : undefined;
    const now = this.host.clock.now().getTime();
    if (memory.stage !== (choice?.stage.name ?? '')) {
      memory.stage = choice?.stage.name ?? '';
      memory.since = now;
    }
    if (choice === undefined) return again;
    try {
      const wait = memory.since + delayOf(choice) - now;
      if (wait > 0) return Math.min(wait, again ?? wait);
      await this.#act(memory, choice, kind, pass);
    } catch (error) {
      throw asProblem(error)?.inStage(choice.stage.name) ?? error;
    }
    return again;
  }

  async #act(memory: Memory, choice: Choice, kind: ServedKind, pass: Pass): Promise<void> {
    const { self } = pass;
    const events = eventsOf(choice);
    const changed = await act({ ...choice, pass, kind, applied: memory.applied });
    const text = JSON.stringify([choice.stage.name, events]);
    // Without memory (after a start) an unchanged object has been told of before, unless telling is all the stage does.
    const isNews = memory.told === undefined ? onlyTells(choice.stage) : memory.told !== text;
    memory.told = text;
    if (changed || isNews)
      for (const { type, reason, message } of events) this.host.client.event(self, type, reason, message, this.name);
    if (!changed) return;
    const circle = memory.flips.note(this.host.clock.now().getTime(), choice.stage.name, self, choice.refs);
    if (circle === undefined) return;
    memory.restingAt = this.host.client.get(
      kind,
      self.metadata.namespace ?? '',
      self.metadata.name ?? '',
    )?.metadata.resourceVersion;
    const names = circle.map((name) => JSON.stringify(name)).join(' and ');
    const whatHappens =
      circle.length === 1
        ? `stage ${names} changes it for ever; it rests`
        : `stages ${names} change it for ever; they rest`;
    this.#say(
      `${this.name}: ${at(self)}: ${whatHappens} until somebody else changes the object. Write conditions ` +
        'that no longer hold afterwards',
    );
  }

  #memoryOf(key: string, { metadata: { uid } }: KubeObject): Memory {
    const known = this.#memories.get(key);
    if (known !== undefined && known.uid === uid) return known;
    const memory: Memory = {
      uid,
      stage: '',
      since: 0,
      told: undefined,
      applied: new Map(),
      flips: new FlipWatch(),
      restingAt: undefined,
    };
    this.#memories.set(key, memory);
    return memory;
  }

  #failed(key: string, error: unknown): void {
    if (!(error instanceof ApiError))
      this.host.log(`${this.name}: ${key}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    else if (!EVERYDAY.has(error.reason)) this.#say(`${this.name}: ${key}: ${error.message}`);
  }

  #say(sentence: string): void {
    if (this.#told.has(sentence)) return;
    if (this.#told.size >= MOST_TOLD) this.#told.clear();
    this.#told.add(sentence);
    this.host.log(sentence);
  }
}

/**
 * What the server refuses because of the stage's own words; the object that it quotes may hold secrets and stays out of
 * the log.
 */
function asProblem(error: unknown): StageProblem | undefined {
  if (error instanceof StageProblem) return error;
  if (!(error instanceof ApiError) || !(error.reason === 'Invalid' || error.reason === 'BadRequest')) return undefined;
  return new StageProblem(error.message.replace(/^.*patch: Invalid value: "(?:[^"\\]|\\.)*": /s, ''));
}

function delayOf({ stage, values }: Choice): number {
  const text = fillText(stage.then.after, { values }, 'after');
  try {
    return text === '' ? 0 : Number(parseDuration(text)) / 1e6;
  } catch (error) {
    if (error instanceof Fault) throw new StageProblem(`after: ${error.message}`);
    throw error;
  }
}

function at({ kind, metadata: { namespace, name = '' } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
