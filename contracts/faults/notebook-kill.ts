import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import type { ResourceRef } from '../../src/cluster/index.js';
import { isArray, isObject, type JsonObject } from '../../src/model/index.js';
import { callText, isDelivery, type ApiCall } from './api-call.js';
import { isAcceptedWrite, type Audited } from './audit-log.js';
import type { Damage } from './api-proxy.js';
import type { ControllerProcess } from './controller-process.js';
import { PODS } from './kinds.js';
import { Lab, type Seat } from './lab.js';
import { NotebookPlayer, NOTEBOOKS } from './notebook-player.js';

const MOMENTS = ['before it is sent', 'after it was done and before the answer', 'after the answer'] as const;
type Moment = (typeof MOMENTS)[number];

/** What happens to a job: it succeeds and triggers, it fails, or it is changed after its end and runs again. */
const STORIES = ['succeeds', 'fails', 'runs again'] as const;
type Story = (typeof STORIES)[number];

export interface NotebookKillPlan {
  readonly story: Story;
  readonly kills: readonly { readonly call: number; readonly moment: Moment }[];
}

export interface NotebookKillOutcome {
  readonly wrong: readonly string[];
  readonly boundaries: readonly string[];
  readonly ms: number;
}

const DONE_WITHIN = 90_000;
const DEPLOYMENTS: ResourceRef = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
const REPLICA_SETS: ResourceRef = { ...DEPLOYMENTS, kind: 'ReplicaSet', plural: 'replicasets' };
const ORDER = ['Initializing', 'Building', 'BuildComplete', 'ValidationRunning', 'Succeeded', 'Failed'];

/** Controllers that are killed while notebooks run; pods, evictions and restarts are counted in the API server's audit log. */
export class NotebookKillLab {
  #controller: ControllerProcess | undefined;
  #serial = 0;
  readonly #calls = new Map<Story, Promise<number>>();

  private constructor(readonly lab: Lab, readonly seat: Seat, readonly player: NotebookPlayer) {}

  static async open(): Promise<NotebookKillLab> {
    const lab = await Lab.open();
    try {
      await lab.until('notebooks are served', () => lab.exists(NOTEBOOKS));
      return new NotebookKillLab(lab, await lab.seat(), await NotebookPlayer.start(lab));
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Each story has one kill at every write at every moment first, then several at random. */
  async plan(index: number, seed: number): Promise<NotebookKillPlan> {
    const story = STORIES[index % STORIES.length] ?? 'succeeds';
    const turn = Math.floor(index / STORIES.length);
    const calls = await this.#reference(story);
    if (turn < calls * MOMENTS.length) return { story, kills: [{ call: 1 + Math.floor(turn / MOMENTS.length), moment: MOMENTS[turn % MOMENTS.length] ?? MOMENTS[0] }] };
    const random = seededRandom(seed);
    return { story, kills: Array.from({ length: 1 + random.integer(3) }, () => ({ call: 1 + random.integer(calls), moment: random.pick(MOMENTS) })) };
  }

  async play(plan: NotebookKillPlan): Promise<NotebookKillOutcome> {
    const begin = performance.now();
    const { wrong, boundaries } = await this.#run(plan);
    return { wrong, boundaries, ms: performance.now() - begin };
  }

  #reference(story: Story): Promise<number> {
    const known = this.#calls.get(story);
    if (known !== undefined) return known;
    const counted = this.#run({ story, kills: [] }).then(({ wrong, calls }) => {
      if (wrong.length > 0) throw new Error(`${story} without any kill: ${wrong.join('; ')}`);
      return calls;
    });
    this.#calls.set(story, counted);
    return counted;
  }

  async #run({ story, kills }: NotebookKillPlan): Promise<{ wrong: string[]; boundaries: string[]; calls: number }> {
    const { lab, player, seat } = this;
    await this.#running();
    const namespace = await lab.namespace(`notebook-${++this.#serial}`);
    if (story === 'fails') player.failing.add(`${namespace}/train`);
    await this.#stage(namespace);
    const mark = (await lab.settle(0)).length;
    seat.proxy.forget();
    const boundaries: string[] = [];
    const armed = this.#arm(kills, boundaries);
    await lab.cluster.create(NOTEBOOKS, jobOf(namespace));
    const wrong: string[] = [];
    await this.#finish(namespace, armed, (status) => isEnd(status, story, 1));
    if (story === 'runs again') {
      await lab.cluster.patch(NOTEBOOKS, { namespace, name: 'train' }, { type: 'merge', body: { spec: { notebook: { git: { ref: 'v2' } } } } });
      await this.#finish(namespace, armed, (status) => isEnd(status, story, 2));
    }
    this.#answerLogsOnly();
    wrong.push(...await this.#judge(namespace, story, (await lab.settle(mark)).filter(({ user, namespace: where }) => user === seat.user && where === namespace)));
    const calls = seat.proxy.calls.filter((call) => isOurs(call)).length;
    const job = await lab.cluster.get(NOTEBOOKS, { namespace, name: 'train' });
    if (job !== undefined) await lab.cluster.remove(NOTEBOOKS, { namespace, name: 'train' }, { uid: job.metadata.uid ?? '', propagation: 'Background' });
    return { wrong: wrong.map((line) => `${story}: ${line} [killed at ${boundaries.join('; ')}]`), boundaries, calls };
  }

  /** What the triggers are about. */
  async #stage(namespace: string): Promise<void> {
    const { lab } = this;
    const spec = { replicas: 1, selector: { matchLabels: { app: 'served' } }, template: { metadata: { labels: { app: 'served' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } } };
    await lab.cluster.create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace }, spec: { ...spec, replicas: 0, selector: { matchLabels: { app: 'rolled' } }, template: { ...spec.template, metadata: { labels: { app: 'rolled' } } } } });
    await lab.cluster.create(REPLICA_SETS, { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'served', namespace }, spec });
    await lab.until('a pod is served', async () => (await lab.cluster.list(PODS, { namespace, labelSelector: 'app=served' })).items.length === 1);
  }

  async #judge(namespace: string, story: Story, audited: readonly Audited[]): Promise<string[]> {
    const { lab, player } = this;
    const wrong: string[] = [];
    const runs = story === 'runs again' ? 2 : 1;
    const pods = audited.filter((each) => isAcceptedWrite(each) && each.verb === 'create' && each.resource === 'pods' && each.subresource === '').length;
    if (pods !== runs) wrong.push(`${pods} pods were made for ${runs} attempts`);
    const evictions = audited.filter((each) => isAcceptedWrite(each) && each.resource === 'pods' && each.subresource === 'eviction').length;
    const expected = story === 'fails' ? 0 : runs;
    if (evictions !== expected) wrong.push(`${evictions} pods were evicted, not ${expected}`);
    const deployment = await lab.cluster.get(DEPLOYMENTS, { namespace, name: 'web' });
    if (deployment?.metadata.generation !== 1 + expected) wrong.push(`the Deployment was restarted ${String((deployment?.metadata.generation ?? 0) - 1)} times, not ${expected}`);
    const seen = player.phases.get(`${namespace}/train`) ?? [];
    for (const [index, { run, phase }] of seen.entries()) {
      const before = seen[index - 1];
      if (before?.run === run && ORDER.indexOf(phase) < ORDER.indexOf(before.phase)) wrong.push(`the phase went back from ${before.phase} to ${phase}`);
    }
    return wrong;
  }

  #arm(kills: NotebookKillPlan['kills'], boundaries: string[]): { readonly left: () => number } {
    const { proxy } = this.seat;
    let next = 0;
    let count = 0;
    let current: ApiCall | undefined;
    const dieAt = (moment: Moment, call: ApiCall): boolean => {
      if (kills[next]?.moment !== moment || current !== call || this.#controller?.isAlive !== true) return false;
      next++;
      count = 0;
      current = undefined;
      boundaries.push(`${callText(call)}, ${moment}`);
      this.#controller.kill();
      return true;
    };
    proxy.decide = (call) => {
      if (isOurs(call) && kills[next] !== undefined && ++count === kills[next]?.call) current = call;
      return dieAt('before it is sent', call) ? { kind: 'reset', when: 'before' } : this.#logOf(call);
    };
    proxy.beforeReply = (call) => { dieAt('after it was done and before the answer', call); };
    proxy.afterReply = (call) => { dieAt('after the answer', call); };
    return { left: () => kills.length - next };
  }

  #answerLogsOnly(): void {
    const { proxy } = this.seat;
    proxy.decide = (call) => this.#logOf(call);
    proxy.beforeReply = () => undefined;
    proxy.afterReply = () => undefined;
  }

  /** There is no node that the server could ask for a log. */
  #logOf(call: ApiCall): Damage {
    if (call.resource !== 'pods' || call.subresource !== 'log') return { kind: 'none' };
    return { kind: 'answer', status: 200, headers: { 'content-type': 'text/plain' }, body: this.player.log(call.name) };
  }

  /** Starts the controller again whenever it is dead, until the run is over and nobody writes any more. */
  async #finish(namespace: string, armed: { readonly left: () => number }, isOver: (status: JsonObject) => boolean): Promise<void> {
    const end = performance.now() + DONE_WITHIN;
    for (;;) {
      const controller = await this.#running();
      const job = await this.lab.cluster.get(NOTEBOOKS, { namespace, name: 'train' });
      const status = isObject(job?.status) ? job.status : {};
      if (isOver(status) && (armed.left() === 0 || await this.#isQuiet()) && this.#controller?.isAlive === true) return;
      if (performance.now() > end) throw new Error(`${namespace} is ${JSON.stringify(status)} after ${DONE_WITHIN / 1000} s; the controller says:\n${controller.tail()}`);
      await delay(20);
    }
  }

  async #running(): Promise<ControllerProcess> {
    if (this.#controller?.isAlive === true) return this.#controller;
    await this.#controller?.gone();
    if (this.#controller !== undefined) await this.lab.dropLeases();
    return this.#controller = await this.lab.startController(this.seat);
  }

  async #isQuiet(): Promise<boolean> {
    const count = (): number => this.seat.proxy.calls.filter((call) => isOurs(call)).length;
    const before = count();
    await delay(300);
    return count() === before;
  }
}

/** Writes of the operator; the application controller has nothing to do here. */
function isOurs(call: ApiCall): boolean {
  return isDelivery(call) && call.namespace.startsWith('notebook-');
}

function isEnd(status: JsonObject, story: Story, generation: number): boolean {
  if (status.observedGeneration !== generation || (status.phase !== 'Succeeded' && status.phase !== 'Failed')) return false;
  if (story === 'fails') return status.phase === 'Failed';
  return isArray(status.triggers) && status.triggers.every((each) => isObject(each) && each.state === 'Succeeded');
}

function jobOf(namespace: string): { apiVersion: string; kind: string; metadata: { name: string; namespace: string; annotations: Record<string, string> }; spec: JsonObject } {
  const triggers = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', action: 'restart' }, { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'served', action: 'restart' }];
  return {
    apiVersion: 'mlops.mlops.dev/v1alpha1', kind: 'NotebookValidationJob',
    metadata: { name: 'train', namespace, annotations: { 'argocd.argoproj.io/sync-wave': '1', 'mlops.dev/on-success-trigger': JSON.stringify(triggers) } },
    spec: { notebook: { git: { url: 'https://git.example.com/ml.git', ref: 'main' }, path: 'train.ipynb' }, podConfig: {} },
  };
}
