import { randomBytes } from 'node:crypto';
import { Fault, isObject, own, type KubeObject } from '../../model/index.js';
import { ClusterError, type Cluster, type World } from '../../cluster/index.js';
import type { EventTeller } from '../delivery/event-teller.js';
import type { Metrics } from '../delivery/metrics.js';
import { APPLICATIONS } from '../delivery/home.js';
import { WorkQueue } from '../delivery/work-queue.js';
import { CHANGE, nextChange } from './change.js';
import { evaluateTriggers, type Due } from './evaluate-triggers.js';
import { Line, type Letter } from './line.js';
import type { TemplateHost } from './message-template.js';
import { NOTIFIED } from './notified-state.js';
import { NotifySource } from './notify-source.js';
import type { Receipts } from './receipts.js';
import { Sender, type Sent } from './send.js';
import type { Destination } from './service.js';
import type { NotifySettings } from './settings.js';
import { destinationsOf } from './subscriptions.js';
import { writeMessage } from './write-message.js';

export interface NotifierOptions {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly events: EventTeller;
  readonly log: (line: string) => void;
  /** Applications that count, as they are now. */
  applications(): readonly KubeObject[];
  application(namespace: string, name: string): KubeObject | undefined;
  project(name: string): KubeObject | undefined;
  /** Takes an application as the server answered it. */
  learn(application: KubeObject): void;
  /** Address of the web, for links. */
  url(): string;
  /** What receivers took and applications do not say yet, for the next process in the same place. */
  openReceipts(): Promise<Receipts>;
}

const WORKERS = 8;
/** Conditions about the time of day are asked so often although nothing happened. */
const RESYNC = 60_000;
const FIRST_RETRY = 1000;
const LONGEST_RETRY = 300_000;
/** A receiver that refuses a message so often does not want it. */
const MOST_REFUSALS = 10;

/**
 * Tells people and programs what became of applications. Each change of an application is looked at in order. A message
 * is first promised in the annotations of the application, then sent, then noted as told: whoever comes after a process
 * that died keeps its promises. What was taken and not noted yet stands on the disk of the process; only one that dies
 * between sending and the answer leaves a message that nobody can know of, which is sent again, with the same id.
 */
export class Notifier {
  readonly #lines = new Map<string, Line>();
  readonly #queue: WorkQueue;
  readonly #source: NotifySource;
  readonly #sender = new Sender();
  #isActive = false;
  #told = new Set<string>();
  #stop: () => void = () => undefined;

  private constructor(
    private readonly options: NotifierOptions,
    private readonly receipts: Receipts,
  ) {
    const { cluster, world, namespace, log } = options;
    this.#source = new NotifySource(cluster, world, namespace, () => {
      this.#reconsider();
    });
    this.#queue = new WorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      work: (key) => this.#work(key),
      report: (problem) => {
        log(this.#settings.secrets.scrub(problem));
      },
    });
  }

  static async open(options: NotifierOptions): Promise<Notifier> {
    const notifier = new Notifier(options, await options.openReceipts());
    await notifier.#source.settled();
    notifier.#resync();
    return notifier;
  }

  /** From now on this process tells; what others told stands in the annotations. */
  lead(): void {
    this.#isActive = true;
    this.#reconsider();
    this.#queue.open();
  }

  rest(): void {
    this.#isActive = false;
    this.#lines.clear();
    void this.#queue.pause();
  }

  see(application: KubeObject): void {
    // What the controller did not look at yet has nothing to tell.
    if (!this.#isActive || application.status === undefined) return;
    const key = keyOf(application);
    const uid = application.metadata.uid ?? '';
    const known = this.#lines.get(key);
    const line = known?.uid === uid ? known : new Line(uid, application);
    this.#lines.set(key, line);
    line.see(application);
    this.#queue.add(key, 'news');
  }

  forget(application: KubeObject): void {
    this.#lines.delete(keyOf(application));
    this.#queue.forget(keyOf(application));
  }

  async close(): Promise<void> {
    this.#stop();
    this.#source.close();
    await this.#queue.close();
    await this.#sender.close();
    await this.receipts.close();
  }

  get #settings(): NotifySettings {
    return this.#source.settings;
  }

  #resync(): void {
    this.#stop = this.options.world.clock.after(RESYNC, () => {
      if ([...this.#settings.triggers.values()].flat().some(({ when }) => when.source.includes('time.Now')))
        this.#reconsider();
      this.#resync();
    });
  }

  #reconsider(): void {
    const { problems } = this.#settings;
    for (const problem of problems)
      if (!this.#told.has(problem)) this.options.log(`a notification setting is not used: ${problem}`);
    this.#told = new Set(problems);
    if (this.#isActive) for (const application of this.options.applications()) this.see(application);
  }

  async #work(key: string): Promise<void> {
    const line = this.#lines.get(key);
    if (line === undefined) return;
    let isHeard = false;
    for (let look = line.looks.shift(); look !== undefined; look = line.looks.shift()) {
      isHeard = this.#look(line, look);
      await this.#settle(line, look);
    }
    const [namespace = '', name = ''] = key.split('/');
    const last = this.options.application(namespace, name);
    if (last !== undefined) await this.#settle(line, last);
    if (line.letters.length > 0)
      this.#queue.addAfter(
        key,
        Math.max(0, Math.min(...[...line.away.values()].map(({ until }) => until)) - this.options.world.clock.steady()),
        'timer',
      );
    // Whoever nobody hears of needs no memory.
    else if (!isHeard && line.looks.length === 0 && this.#lines.get(key) === line) this.#lines.delete(key);
  }

  /** Nothing is sent before it is promised. */
  async #settle(line: Line, application: KubeObject): Promise<void> {
    for (let left = Infinity; line.letters.length < left; ) {
      left = line.letters.length;
      await this.#write(line, application);
      await this.#deliver(line, application);
      // What was taken makes room for promises.
      await this.#write(line, application);
    }
  }

  /** Writes down what is to be told of one moment. False where nobody wants to hear of the application. */
  #look(line: Line, application: KubeObject): boolean {
    const settings = this.#settingsWithUrl();
    const project = this.options.project(projectOf(application));
    const destinations = destinationsOf(application, project, settings);
    if (destinations.size === 0) return false;
    const now = this.options.world.clock.now();
    line.change = nextChange(line.change, application);
    const { due, over, problems, counts } = evaluateTriggers(
      settings,
      destinations,
      application,
      line.change,
      line.state,
      now,
    );
    for (const { trigger, isTriggered } of counts)
      this.options.metrics.count(
        'argocd_notifications_trigger_eval_total',
        'Number of times triggers were evaluated.',
        { name: trigger, triggered: String(isTriggered) },
      );
    for (const key of over) line.state.remove(key);
    for (const problem of problems) this.#complain(line, application, problem);
    for (const each of due) this.#post(line, each, application, project, settings, now);
    return true;
  }

  #post(
    line: Line,
    due: Due,
    application: KubeObject,
    project: KubeObject | undefined,
    settings: NotifySettings,
    now: Date,
  ): void {
    try {
      const message = writeMessage(settings, due, { application, project, change: line.change }, this.#host(now));
      if (!line.post(due, message, now))
        this.#complain(line, application, `too many messages wait for ${nameOf(due.destination)}`);
    } catch (error) {
      // Not marked as told: a template that is repaired is used at once.
      if (!(error instanceof Fault)) throw error;
      this.#complain(
        line,
        application,
        `the message of '${due.trigger}' to ${nameOf(due.destination)} cannot be written: ${error.message}`,
      );
    }
  }

  #host(now: Date): TemplateHost {
    return { now: () => BigInt(now.getTime()) * 1_000_000n, random: (count) => randomBytes(count), zone: 'UTC' };
  }

  /** In order for each receiver: one that does not answer holds up its own messages only. */
  async #deliver(line: Line, application: KubeObject): Promise<void> {
    const { clock } = this.options.world;
    for (const letter of line.letters.filter((each) => line.isPromised(each))) {
      const to = nameOf(letter.destination);
      const { failures, until } = line.away.get(to) ?? { failures: 0, until: 0 };
      if (!this.#isActive || clock.steady() < until) continue;
      const why = await this.#send(line, letter, application);
      if (why === undefined) {
        if (line.away.delete(to)) line.told.clear();
        continue;
      }
      line.away.set(to, {
        failures: failures + 1,
        until: clock.steady() + Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(failures, 16)),
      });
      this.#complain(line, application, `the message of '${letter.trigger}' to ${to} was not delivered: ${why}`);
    }
  }

  /** Undefined where nothing is left to do with the letter. */
  async #send(line: Line, letter: Letter, application: KubeObject): Promise<string | undefined> {
    const {
      destination: { service: name },
      id,
      trigger,
    } = letter;
    const now = this.options.world.clock.now();
    if (letter.isInherited && this.receipts.has(id)) {
      line.close(letter, now);
      return undefined;
    }
    const sent = await this.#hand(letter, application);
    this.options.metrics.count('argocd_notifications_deliveries_total', 'Number of delivered notifications.', {
      trigger,
      service: name,
      succeeded: String(sent.isDone),
    });
    letter.attempts++;
    if (sent.isDone) await this.receipts.keep(id);
    if (sent.isDone || (sent.isHopeless && letter.attempts >= MOST_REFUSALS)) line.close(letter, now);
    return sent.isDone ? undefined : sent.why;
  }

  async #hand(letter: Letter, application: KubeObject): Promise<Sent> {
    const {
      destination: { service: name, recipient },
      id,
    } = letter;
    const service = this.#settings.services.get(name);
    if (service === undefined)
      return { isDone: false, why: `notification service '${name}' is not supported`, isHopeless: false };
    try {
      letter.message ??= writeMessage(
        this.#settingsWithUrl(),
        letter,
        { application, project: this.options.project(projectOf(application)), change: letter.change },
        this.#host(this.options.world.clock.now()),
      );
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { isDone: false, why: `it cannot be written: ${error.message}`, isHopeless: true };
    }
    return this.#sender.send(service, { recipient, message: letter.message, id });
  }

  /** The annotations, where they changed. */
  async #write(line: Line, { metadata: { namespace = '', name = '' } }: KubeObject): Promise<void> {
    const texts = line.unwritten();
    if (texts === undefined || !this.#isActive) return;
    const annotations = { [NOTIFIED]: texts.notified, [CHANGE]: texts.change };
    try {
      const written = await this.options.cluster.patch(
        APPLICATIONS,
        { namespace, name },
        { type: 'merge', body: { metadata: { uid: line.uid, annotations } } },
      );
      line.wrote(texts);
      this.options.learn(written);
      await this.receipts.drop(line.taken.splice(0));
    } catch (error) {
      if (!(error instanceof ClusterError) || !(error.isNotFound || error.isConflict || error.status === 422))
        throw error;
      // Another one of the same name, or none: nothing is left to write it on.
      line.release();
      this.#lines.delete(`${namespace}/${name}`);
    }
  }

  #settingsWithUrl(): NotifySettings {
    const settings = this.#settings;
    const url = this.options.url();
    return url === '' || Object.hasOwn(settings.context, 'argocdUrl')
      ? settings
      : { ...settings, context: { ...settings.context, argocdUrl: url } };
  }

  /** Once for each problem of an application. */
  #complain(line: Line, application: KubeObject, problem: string): void {
    const clean = this.#settings.secrets.scrub(problem);
    if (line.told.has(clean)) return;
    line.told.add(clean);
    this.options.log(`${keyOf(application)}: ${clean}`);
    this.options.events.tell(application, 'NotificationFailed', clean, 'Warning');
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function projectOf({ spec }: KubeObject): string {
  const name = isObject(spec) ? own(spec, 'project') : undefined;
  return typeof name === 'string' && name !== '' ? name : 'default';
}

function nameOf({ service, recipient }: Destination): string {
  return recipient === '' ? service : `${service}:${recipient}`;
}
