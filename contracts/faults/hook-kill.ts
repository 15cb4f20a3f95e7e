import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import { equal, type Json } from '../../src/model/index.js';
import { ApplicationHandle, isDone, summary, type Shown } from './application.js';
import { callText, isDelivery, type ApiCall } from './api-call.js';
import type { ControllerProcess } from './controller-process.js';
import { difference, endState, hookFacts, judgeHooks } from './hook-judge.js';
import { HookPlayer } from './hook-player.js';
import { HOOK_SCENARIOS, scenarioFiles, type HookScenario } from './hook-scenario.js';
import { Lab, type Seat } from './lab.js';
import type { TestRepository } from './repository.js';

/** Where the controller dies, seen from one request of it. */
const MOMENTS = ['before it is sent', 'after it was done and before the answer', 'after the answer'] as const;
type Moment = (typeof MOMENTS)[number];

export interface KillPlan {
  readonly scenario: HookScenario;
  /** One for each kill: which of the writes from the last start on, and when. */
  readonly kills: readonly { readonly write: number; readonly moment: Moment }[];
}

export interface KillOutcome {
  readonly wrong: readonly string[];
  readonly kills: number;
  readonly lost: number;
  readonly duplicated: number;
  /** What it died at. */
  readonly boundaries: readonly string[];
  readonly ms: number;
}

const DONE_WITHIN = 60_000;

/** Controllers that are killed while they sync; hooks are counted in the API server's audit log. */
export class HookKillLab {
  #controller: ControllerProcess | undefined;
  #serial = 0;
  readonly #references = new Map<string, Promise<{ readonly state: Json; readonly writes: number }>>();

  private constructor(readonly lab: Lab, readonly seat: Seat, readonly repository: TestRepository) {}

  static async open(): Promise<HookKillLab> {
    const lab = await Lab.open();
    try {
      await HookPlayer.start(lab);
      const repository = lab.repository();
      repository.commit(Object.assign({}, ...HOOK_SCENARIOS.map(scenarioFiles)) as Record<string, string>);
      return new HookKillLab(lab, await lab.seat(), repository);
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Scenarios take turns. Each has one kill at every write at every moment first, then several kills at random. */
  async plan(index: number, seed: number): Promise<KillPlan> {
    const scenario = HOOK_SCENARIOS[index % HOOK_SCENARIOS.length];
    if (scenario === undefined) throw new Error('there are no scenarios');
    const turn = Math.floor(index / HOOK_SCENARIOS.length);
    const points = (await this.#reference(scenario)).writes * MOMENTS.length;
    if (turn >= points) return randomPlan(scenario, seededRandom(seed));
    // A stride without a common factor, so that a short run sees all parts.
    const point = ((turn + 1) * coprime(points, 17)) % points;
    return { scenario, kills: [{ write: 1 + Math.floor(point / MOMENTS.length), moment: MOMENTS[point % MOMENTS.length] ?? MOMENTS[0] }] };
  }

  async play(plan: KillPlan): Promise<KillOutcome> {
    const reference = await this.#reference(plan.scenario);
    const begin = performance.now();
    const { wrong, state, boundaries, lost, duplicated } = await this.#run(plan);
    if (wrong.length === 0 && !equal(state, reference.state)) wrong.push(`the end differs from an uninterrupted run: ${difference(state, reference.state)}`);
    return { wrong: wrong.map((line) => `${plan.scenario.name}: ${line} [killed at ${boundaries.join('; ')}]`), kills: boundaries.length, lost, duplicated, boundaries, ms: performance.now() - begin };
  }

  #reference(scenario: HookScenario): Promise<{ readonly state: Json; readonly writes: number }> {
    const known = this.#references.get(scenario.name);
    if (known !== undefined) return known;
    const made = this.#run({ scenario, kills: [] }).then(({ wrong, state, writes }) => {
      if (wrong.length > 0) throw new Error(`${scenario.name} without any kill: ${wrong.join('; ')}`);
      return { state, writes };
    });
    this.#references.set(scenario.name, made);
    return made;
  }

  async #run({ scenario, kills }: KillPlan): Promise<{ wrong: string[]; state: Json; writes: number; boundaries: string[]; lost: number; duplicated: number }> {
    const { lab, repository } = this;
    // A kill at the very last answer of the trial before left none.
    await this.#running();
    const name = `sync-${++this.#serial}`;
    const namespace = await lab.namespace(name);
    const plan = { name, namespace, repoURL: repository.url, path: scenario.name };
    const application = await ApplicationHandle.create(lab, plan);
    if (scenario.isSecond) {
      await application.sync();
      await application.until('the first sync ends', isDone);
    }
    if (scenario.isAfterPart) {
      await application.sync('part', { prune: true, dryRun: true, resources: [{ group: '', kind: 'ConfigMap', name: 'first' }], syncStrategy: { apply: { force: true } } });
      await application.until('the part is over', (shown) => shown.by === 'part' && isDone(shown));
    }
    // Nothing of before counts as a write of this sync.
    await application.until('it was compared', ({ sync }) => sync !== '');
    const mark = (await lab.settle(0)).length;
    this.seat.proxy.forget();
    const boundaries: string[] = [];
    const armed = this.#arm(kills, boundaries);
    await application.sync('measured');
    const shown = await this.#finish(application, armed);
    this.#disarm();
    const audited = (await lab.settle(mark)).filter(({ user, namespace: where }) => user === this.seat.user && where === namespace);
    const counted = judgeHooks(scenario, audited);
    const wrong = [...counted.wrong];
    if (shown.phase !== scenario.phase) wrong.push(`ended as ${summary(shown)}, not ${scenario.phase}`);
    const state = await endState(lab, namespace, scenario, shown);
    const writes = this.seat.proxy.calls.filter((call) => isDelivery(call)).length;
    await application.remove();
    return { wrong, state, writes, boundaries, lost: counted.lost, duplicated: counted.duplicated };
  }

  /** Kills at each of the planned points, one after the other; the next counts from the next start. */
  #arm(kills: KillPlan['kills'], boundaries: string[]): { readonly left: () => number } {
    const { proxy } = this.seat;
    let next = 0;
    let count = 0;
    let current: ApiCall | undefined;
    const dieAt = (moment: Moment, call: ApiCall): boolean => {
      const kill = kills[next];
      if (kill === undefined || kill.moment !== moment || current !== call || this.#controller?.isAlive !== true) return false;
      next++;
      count = 0;
      current = undefined;
      boundaries.push(`${callText(call)}, ${moment}`);
      this.#controller.kill();
      return true;
    };
    proxy.decide = (call) => {
      if (isDelivery(call) && kills[next] !== undefined && ++count === kills[next]?.write) current = call;
      return dieAt('before it is sent', call) ? { kind: 'reset', when: 'before' } : { kind: 'none' };
    };
    proxy.beforeReply = (call) => { dieAt('after it was done and before the answer', call); };
    proxy.afterReply = (call) => { dieAt('after the answer', call); };
    return { left: () => kills.length - next };
  }

  #disarm(): void {
    const { proxy } = this.seat;
    proxy.decide = () => ({ kind: 'none' });
    proxy.beforeReply = () => undefined;
    proxy.afterReply = () => undefined;
  }

  /** Starts the controller again whenever it is dead, until the operation is over. */
  async #finish(application: ApplicationHandle, armed: { readonly left: () => number }): Promise<Shown> {
    const end = performance.now() + DONE_WITHIN;
    for (;;) {
      const controller = await this.#running();
      const shown = await application.shown();
      // What a kill takes away after the end is part of the trial too, so the last kill gets a moment to come.
      if (isDone(shown) && shown.by === 'measured' && (armed.left() === 0 || (await this.#isQuiet()))) return shown;
      if (performance.now() > end) throw new Error(`${application.name} is ${summary(shown)} after ${DONE_WITHIN / 1000} s; ${await hookFacts(this.lab, application.name)}; the controller says:\n${controller.tail()}`);
      await delay(20);
    }
  }

  /** The controller; another one where it is dead. */
  async #running(): Promise<ControllerProcess> {
    if (this.#controller?.isAlive === true) return this.#controller;
    await this.#controller?.gone();
    if (this.#controller !== undefined) await this.lab.dropLeases();
    return this.#controller = await this.lab.startController(this.seat);
  }

  /** No write for a while. */
  async #isQuiet(): Promise<boolean> {
    const count = (): number => this.seat.proxy.calls.filter((call) => isDelivery(call)).length;
    const before = count();
    await delay(300);
    return count() === before && this.#controller?.isAlive === true;
  }
}

function randomPlan(scenario: HookScenario, random: Random): KillPlan {
  const kills = Array.from({ length: 1 + random.integer(3) }, () => ({ write: 1 + random.integer(12), moment: random.pick(MOMENTS) }));
  return { scenario, kills };
}

function coprime(size: number, wish: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = wish;
  while (size > 0 && divisor(size, stride) !== 1) stride++;
  return stride;
}
