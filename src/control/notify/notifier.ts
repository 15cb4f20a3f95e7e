import { randomBytes } from 'node:crypto';
import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import { ClusterError, type Cluster, type ClientDependencies } from '../../cluster/index.js';
import type { EventRecorder, Metrics } from '../telemetry/index.js';
import { createWorkQueue } from '../queue/index.js';
import { CHANGE_ANNOTATION, nextChange } from './change.js';
import { evaluateTriggers, type DueMessage } from './evaluate-triggers.js';
import { Backlog, type QueuedMessage } from './backlog.js';
import type { TemplateHost } from './message-template.js';
import { NOTIFIED_ANNOTATION } from './notified-state.js';
import { NotifySettingsCache } from './settings-cache.js';
import type { DeliveryLog } from './delivery-log.js';
import { Sender, type SendResult } from './send.js';
import type { Destination } from './service.js';
import type { NotifySettings } from './settings.js';
import { destinationsOf } from './subscriptions.js';
import { writeMessage } from './write-message.js';
import { APPLICATIONS } from '../../model/resources/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

export interface NotifierOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly log: Logger;
  /** Applications that count, as they are now. */
  applications(): readonly KubeObject[];
  application(namespace: string, name: string): KubeObject | undefined;
  project(name: string): KubeObject | undefined;
  /** Takes an application as the server returned it. */
  recordWrite(application: KubeObject): void;
  /** Address of the web, for links. */
  url(): string;
  /** Delivered messages that are not recorded on applications yet, for the next process. */
  openDeliveryLog(): Promise<DeliveryLog>;
}

const WORKERS = 8;
/** How often conditions on the time of day are evaluated without changes. */
const RESYNC_PERIOD = 60_000;
const INITIAL_RETRY_DELAY = 1000;
const MAX_RETRY_DELAY = 300_000;
/** A receiver that refuses a message so often does not want it. */
const MAX_REJECTIONS = 10;

/**
 * Sends notifications about applications. Each change of an application is evaluated in order. A message is first
 * promised in the annotations of the application, then sent, then recorded as sent: after a crash the next process
 * keeps the promises. Delivered messages that are not recorded yet are on disk; only a crash between sending and the
 * response leaves an unknown result, and the message is sent again with the same id.
 */
export class Notifier {
  readonly #backlogs = new Map<string, Backlog>();
  readonly #queue: WorkQueue;
  readonly #settingsCache: NotifySettingsCache;
  readonly #sender = new Sender();
  #isActive = false;
  #reportedProblems = new Set<string>();
  #stop: () => void = () => undefined;

  private constructor(
    private readonly options: NotifierOptions,
    private readonly deliveryLog: DeliveryLog,
  ) {
    const { cluster, world, namespace, log } = options;
    this.#settingsCache = new NotifySettingsCache(cluster, world, namespace, () => {
      this.#evaluateAll();
    });
    this.#queue = createWorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      reconcile: (key) => this.#reconcile(key),
      report: (app, error) => {
        const message = error instanceof Error ? error.message : String(error);
        log.warn(`notification failed: ${this.#settings.secrets.scrub(message)}`, { app });
      },
    });
  }

  static async open(options: NotifierOptions): Promise<Notifier> {
    const notifier = new Notifier(options, await options.openDeliveryLog());
    await notifier.#settingsCache.waitForSync();
    notifier.#resync();
    return notifier;
  }

  /** From now on this process notifies; what others sent is in the annotations. */
  activate(): void {
    this.#isActive = true;
    this.#evaluateAll();
    this.#queue.open();
  }

  deactivate(): void {
    this.#isActive = false;
    this.#backlogs.clear();
    void this.#queue.pause();
  }

  observe(application: KubeObject): void {
    // Applications that were never reconciled are skipped.
    if (!this.#isActive || application.status === undefined) return;
    const key = keyOf(application);
    const uid = application.metadata.uid ?? '';
    const known = this.#backlogs.get(key);
    const line = known?.uid === uid ? known : new Backlog(uid, application);
    this.#backlogs.set(key, line);
    line.observe(application);
    this.#queue.add(key, 'event');
  }

  forget(application: KubeObject): void {
    this.#backlogs.delete(keyOf(application));
    this.#queue.forget(keyOf(application));
  }

  async close(): Promise<void> {
    this.#stop();
    this.#settingsCache.close();
    await this.#queue.close();
    await this.#sender.close();
    await this.deliveryLog.close();
  }

  get #settings(): NotifySettings {
    return this.#settingsCache.settings;
  }

  #resync(): void {
    this.#stop = this.options.world.clock.after(RESYNC_PERIOD, () => {
      if ([...this.#settings.triggers.values()].flat().some(({ when }) => when.source.includes('time.Now')))
        this.#evaluateAll();
      this.#resync();
    });
  }

  #evaluateAll(): void {
    const { problems } = this.#settings;
    for (const problem of problems)
      if (!this.#reportedProblems.has(problem)) this.options.log.warn(`notification setting ignored: ${problem}`);
    this.#reportedProblems = new Set(problems);
    if (this.#isActive) for (const application of this.options.applications()) this.observe(application);
  }

  async #reconcile(key: string): Promise<void> {
    const line = this.#backlogs.get(key);
    if (line === undefined) return;
    let isHeard = false;
    for (let state = line.states.shift(); state !== undefined; state = line.states.shift()) {
      isHeard = this.#evaluate(line, state);
      await this.#flush(line, state);
    }
    const [namespace = '', name = ''] = key.split('/');
    const last = this.options.application(namespace, name);
    if (last !== undefined) await this.#flush(line, last);
    if (line.messages.length > 0)
      this.#queue.addAfter(
        key,
        Math.max(
          0,
          Math.min(...[...line.backoffs.values()].map(({ until }) => until)) - this.options.world.clock.steady(),
        ),
        'timer',
      );
    // Applications without subscribers need no memory.
    else if (!isHeard && line.states.length === 0 && this.#backlogs.get(key) === line) this.#backlogs.delete(key);
  }

  /** Nothing is sent before it is promised. */
  async #flush(line: Backlog, application: KubeObject): Promise<void> {
    for (let left = Infinity; line.messages.length < left; ) {
      left = line.messages.length;
      await this.#writeAnnotations(line, application);
      await this.#deliver(line, application);
      // Delivered messages make room for new promises.
      await this.#writeAnnotations(line, application);
    }
  }

  /** Queues the due messages for one state. False if the application has no subscribers. */
  #evaluate(line: Backlog, application: KubeObject): boolean {
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
    for (const problem of problems) this.#reportProblem(line, application, problem);
    for (const each of due) this.#enqueue(line, each, application, project, settings, now);
    return true;
  }

  #enqueue(
    line: Backlog,
    due: DueMessage,
    application: KubeObject,
    project: KubeObject | undefined,
    settings: NotifySettings,
    now: Date,
  ): void {
    try {
      const message = writeMessage(settings, due, { application, project, change: line.change }, this.#host(now));
      if (!line.enqueue(due, message, now))
        this.#reportProblem(line, application, `too many messages are queued for ${destinationText(due.destination)}`);
    } catch (error) {
      // Not recorded as sent: a corrected template is used at once.
      if (!(error instanceof Fault)) throw error;
      this.#reportProblem(
        line,
        application,
        `the message of '${due.trigger}' to ${destinationText(due.destination)} cannot be rendered: ${error.message}`,
      );
    }
  }

  #host(now: Date): TemplateHost {
    return { now: () => BigInt(now.getTime()) * 1_000_000n, random: (count) => randomBytes(count), zone: 'UTC' };
  }

  /** In order for each receiver: one that does not answer holds up its own messages only. */
  async #deliver(line: Backlog, application: KubeObject): Promise<void> {
    const { clock } = this.options.world;
    for (const letter of line.messages.filter((each) => line.isPromised(each))) {
      const to = destinationText(letter.destination);
      const { failures, until } = line.backoffs.get(to) ?? { failures: 0, until: 0 };
      if (!this.#isActive || clock.steady() < until) continue;
      const why = await this.#send(line, letter, application);
      if (why === undefined) {
        if (line.backoffs.delete(to)) line.reportedProblems.clear();
        continue;
      }
      line.backoffs.set(to, {
        failures: failures + 1,
        until: clock.steady() + Math.min(MAX_RETRY_DELAY, INITIAL_RETRY_DELAY * 2 ** Math.min(failures, 16)),
      });
      this.#reportProblem(line, application, `the message of '${letter.trigger}' to ${to} was not delivered: ${why}`);
    }
  }

  /** Undefined where nothing is left to do with the letter. */
  async #send(line: Backlog, letter: QueuedMessage, application: KubeObject): Promise<string | undefined> {
    const {
      destination: { service: name },
      id,
      trigger,
    } = letter;
    const now = this.options.world.clock.now();
    if (letter.isInherited && this.deliveryLog.has(id)) {
      line.complete(letter, now);
      return undefined;
    }
    const sent = await this.#sendOnce(letter, application);
    this.options.metrics.count('argocd_notifications_deliveries_total', 'Number of delivered notifications.', {
      trigger,
      service: name,
      succeeded: String(sent.isDone),
    });
    letter.attempts++;
    if (sent.isDone) await this.deliveryLog.append(id);
    if (sent.isDone || (sent.isHopeless && letter.attempts >= MAX_REJECTIONS)) line.complete(letter, now);
    return sent.isDone ? undefined : sent.why;
  }

  async #sendOnce(letter: QueuedMessage, application: KubeObject): Promise<SendResult> {
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
      return { isDone: false, why: `it cannot be rendered: ${error.message}`, isHopeless: true };
    }
    return this.#sender.send(service, { recipient, message: letter.message, id });
  }

  /** The annotations, where they changed. */
  async #writeAnnotations(line: Backlog, { metadata: { namespace = '', name = '' } }: KubeObject): Promise<void> {
    const texts = line.pendingAnnotations();
    if (texts === undefined || !this.#isActive) return;
    const annotations = { [NOTIFIED_ANNOTATION]: texts.notified, [CHANGE_ANNOTATION]: texts.change };
    try {
      const written = await this.options.cluster.patch(
        APPLICATIONS,
        { namespace, name },
        { type: 'merge', body: { metadata: { uid: line.uid, annotations } } },
      );
      line.markWritten(texts);
      this.options.recordWrite(written);
      await this.deliveryLog.remove(line.delivered.splice(0));
    } catch (error) {
      if (!(error instanceof ClusterError) || !(error.isNotFound || error.isConflict || error.status === 422))
        throw error;
      // Another one of the same name, or none: nothing is left to write it on.
      line.release();
      this.#backlogs.delete(`${namespace}/${name}`);
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
  #reportProblem(line: Backlog, application: KubeObject, problem: string): void {
    const clean = this.#settings.secrets.scrub(problem);
    if (line.reportedProblems.has(clean)) return;
    line.reportedProblems.add(clean);
    this.options.events.record(application, 'NotificationFailed', clean, 'Warning');
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function projectOf({ spec }: KubeObject): string {
  const name = isObject(spec) ? own(spec, 'project') : undefined;
  return typeof name === 'string' && name !== '' ? name : 'default';
}

function destinationText({ service, recipient }: Destination): string {
  return recipient === '' ? service : `${service}:${recipient}`;
}
