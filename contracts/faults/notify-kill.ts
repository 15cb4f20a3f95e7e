import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { startWebhookReceiver, type WebhookReceiver, type ReceivedRequest } from '../harness/webhook-receiver.js';
import type { ApiCall } from './api-call.js';
import { ApplicationHandle, CONTROL_NAMESPACE, isDone, readStatus } from './application.js';
import { Lab, type ControllerIdentity } from './lab.js';
import {
  killPoints,
  KillableController,
  plannedKills,
  reference,
  type KillSchedule,
  type KillPoint,
} from './killable-controller.js';
import { CONFIG_MAPS } from '../../src/model/resources/index.js';

/** What happens while nobody is there: nothing, or the application recovers. */
const STORIES = ['stays as it is', 'recovers meanwhile'] as const;
type Story = (typeof STORIES)[number];

export interface NotifyKillPlan {
  readonly story: Story;
  readonly kills: readonly KillPoint[];
}

export interface NotifyKillOutcome {
  readonly wrong: readonly string[];
  readonly boundaries: readonly string[];
  /** Messages that came twice because the process died between sending and the note of the answer. */
  readonly undecidable: number;
  readonly ms: number;
}

const DONE_WITHIN = 60_000;
const NAME = 'shop';
const PENDING = '"pending":';
const CHANGE = 'argosy.dev/notified-change';
/** Of a ConfigMap that says itself how it is. */
const LUA =
  "local a = obj.metadata.annotations or {}\nreturn {status = a.health or 'Healthy', message = a.words or ''}\n";

/**
 * One application that fails and recovers, whose controller is killed meanwhile; a receiver that honours nothing counts
 * the messages.
 */
export class NotifyKillLab {
  #serial = 0;
  #doesRecover = false;
  readonly #mortal: KillableController;
  /** What was on the disk at each death where the application still owed a message. */
  #notes: string[] = [];
  readonly #reference = reference((story: Story) => this.#run({ story, kills: [] }));

  private constructor(
    readonly lab: Lab,
    seat: ControllerIdentity,
    readonly receiver: WebhookReceiver,
    readonly application: ApplicationHandle,
  ) {
    this.#mortal = new KillableController(lab, seat, {
      counts: isOurs,
      whileDead: () => this.#whileDead(join(seat.data, 'notified')),
    });
  }

  static async open(): Promise<NotifyKillLab> {
    const lab = await Lab.open();
    try {
      const receiver = await startWebhookReceiver();
      lab.onClose(() => receiver.close());
      const settings = {
        'argocd-cm': { 'resource.customizations.health.ConfigMap': LUA },
        'argocd-notifications-cm': { 'service.webhook.pager': `url: ${receiver.url}/hook\n` },
      };
      for (const [name, data] of Object.entries(settings))
        await lab.cluster.create(CONFIG_MAPS, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: CONTROL_NAMESPACE },
          data,
        });
      const repository = lab.repository();
      repository.commit({ 'app/map.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"model"}}\n' });
      await lab.namespace(NAME);
      const application = await ApplicationHandle.create(lab, {
        name: NAME,
        namespace: NAME,
        repoURL: repository.url,
        path: 'app',
      });
      const subscriptions = ['on-failed', 'on-recovered'].map((trigger) => [
        `notifications.argoproj.io/subscribe.${trigger}.pager`,
        '',
      ]);
      await application.patch({
        metadata: { annotations: Object.fromEntries(subscriptions) as Record<string, string> },
      });
      const notifyLab = new NotifyKillLab(lab, await lab.createIdentity(), receiver, application);
      await notifyLab.#mortal.running();
      await application.sync();
      await application.until('it is synced', isDone);
      return notifyLab;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Stories take turns; each is met by a kill at every call first, then by several at random. */
  async plan(index: number, seed: number): Promise<NotifyKillPlan> {
    const story = STORIES[index % STORIES.length] ?? STORIES[0];
    return {
      story,
      kills: plannedKills((await this.#reference(story)).points, Math.floor(index / STORIES.length), seed),
    };
  }

  async play(plan: NotifyKillPlan): Promise<NotifyKillOutcome> {
    const begin = performance.now();
    const { points: _points, ...outcome } = await this.#run(plan);
    return { ...outcome, ms: performance.now() - begin };
  }

  async #run({
    story,
    kills,
  }: NotifyKillPlan): Promise<Omit<NotifyKillOutcome, 'ms'> & { readonly points: readonly KillPoint[] }> {
    const { receiver } = this;
    const words = `cell ${++this.#serial}`;
    const mortal = this.#mortal;
    await mortal.running();
    const first = receiver.received.length;
    const count = (): number => new Set(receiver.received.slice(first).map(keyOf)).size;
    this.#notes = [];
    mortal.seat.proxy.forget();
    const doom = mortal.arm(kills);
    this.#doesRecover = story === 'recovers meanwhile';
    await this.#set('Degraded', words);
    // Whoever dies before it wrote that the application is ill has seen nothing; whoever wrote it owes a message.
    const isTold = (seen: KubeObject | undefined): boolean =>
      count() > 0 ||
      (this.#doesRecover && doom.boundaries.length > 0 && readStatus(seen).health === 'Healthy' && !isFailed(seen));
    await this.#until(doom, 'the notification of the failure', isTold);
    await this.#set('Healthy');
    await this.#until(
      doom,
      'the notification of the recovery',
      (seen) =>
        readStatus(seen).health === 'Healthy' &&
        !isFailed(seen) &&
        !(seen?.metadata.annotations?.[CHANGE] ?? '').includes(PENDING) &&
        count() % 2 === 0,
    );
    mortal.disarm();
    const got = receiver.received.slice(first);
    const { texts, undecidable } = this.#once(got);
    const wanted =
      texts.length === 0 && this.#doesRecover
        ? []
        : [`shop failed: ConfigMap/model: ${words}`, `shop is healthy again. It had failed: ConfigMap/model: ${words}`];
    const wrong =
      JSON.stringify(texts) === JSON.stringify(wanted)
        ? []
        : [`${JSON.stringify(texts)} came [killed at ${doom.boundaries.join('; ')}]`];
    return { wrong, boundaries: doom.boundaries, undecidable, points: killPoints(mortal.calls) };
  }

  /** The texts, without those that came twice only because nobody can know whether the first one came. */
  #once(messages: readonly ReceivedRequest[]): { readonly texts: readonly string[]; readonly undecidable: number } {
    const unknown = messages.filter(
      (message, index) =>
        messages.slice(index + 1).some((later) => keyOf(later) === keyOf(message)) &&
        this.#notes.some((noted) => !noted.includes(keyOf(message))),
    );
    return {
      texts: messages
        .filter((message) => !unknown.includes(message))
        .map(({ body }) => (JSON.parse(body) as { text: string }).text),
      undecidable: unknown.length,
    };
  }

  async #whileDead(notes: string): Promise<void> {
    const owes = (await this.application.read())?.metadata.annotations?.[CHANGE]?.includes(PENDING) === true;
    if (owes) this.#notes.push(existsSync(notes) ? readFileSync(notes, 'utf8') : '');
    if (this.#doesRecover) await this.#set('Healthy');
  }

  async #until(doom: KillSchedule, what: string, isOver: (seen: KubeObject | undefined) => boolean): Promise<void> {
    await this.#mortal.until(
      doom,
      DONE_WITHIN,
      () => this.application.read(),
      isOver,
      (seen) =>
        `${what} is not true [killed at ${doom.boundaries.join('; ')}]: ` +
        `${JSON.stringify(seen?.metadata.annotations)} ${readStatus(seen).health}`,
    );
  }

  async #set(health: string, words = ''): Promise<void> {
    await this.lab.cluster.patch(
      CONFIG_MAPS,
      { namespace: NAME, name: 'model' },
      { type: 'merge', body: { metadata: { annotations: { health, words } } } },
    );
  }
}

function isFailed(application: KubeObject | undefined): boolean {
  return application?.metadata.annotations?.[CHANGE]?.includes('"health":"failed"') === true;
}

function keyOf({ headers }: ReceivedRequest): string {
  return String(headers['idempotency-key']);
}

/** Everything that is asked of the server about the application. */
function isOurs({ verb, namespace, resource, name }: ApiCall): boolean {
  return (
    verb !== 'watch' &&
    verb !== 'discovery' &&
    namespace === CONTROL_NAMESPACE &&
    resource === 'applications' &&
    name === NAME
  );
}
