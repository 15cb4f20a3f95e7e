import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { equal, type Json } from '../../src/model/index.js';
import { callText, isDelivery } from './api-call.js';
import { ApplicationHandle, isDone, summary } from './application.js';
import { auditedText, isAcceptedWrite, type Audited } from './audit-log.js';
import type { ControllerProcess } from './controller-process.js';
import { difference, endState, judgeHooks } from './hook-judge.js';
import { HookPlayer } from './hook-player.js';
import { HOOK_SCENARIOS, scenarioFiles, type HookScenario } from './hook-scenario.js';
import { Lab, type Seat } from './lab.js';
import type { TestRepository } from './repository.js';

export interface LeaderOutcome {
  readonly wrong: readonly string[];
  /** Writes of the one that stood still, accepted after the other led. */
  readonly late: number;
  /** The request that it stood still at. */
  readonly paused: string;
}

interface Runner {
  readonly seat: Seat;
  readonly controller: ControllerProcess;
}

const DONE_WITHIN = 90_000;
const AWAKE = 3000;

/** Two controllers. The one that leads stands still in the middle of a sync, for longer than its lease, and then goes on. */
export class LeaderLab {
  #serial = 0;
  readonly #references = new Map<string, Json>();

  private constructor(readonly lab: Lab, readonly repository: TestRepository, readonly runners: readonly [Runner, Runner]) {}

  static async open(): Promise<LeaderLab> {
    const lab = await Lab.open();
    await HookPlayer.start(lab);
    const repository = lab.repository();
    repository.commit(Object.assign({}, ...HOOK_SCENARIOS.map(scenarioFiles)) as Record<string, string>);
    const runner = async (): Promise<Runner> => {
      const seat = await lab.seat();
      return { seat, controller: await lab.launchController(seat) };
    };
    return new LeaderLab(lab, repository, [await runner(), await runner()]);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(seed: number): Promise<LeaderOutcome> {
    const random = seededRandom(seed);
    const scenario = random.pick(HOOK_SCENARIOS.filter(({ isSecond }) => !isSecond));
    if (!this.#references.has(scenario.name)) {
      const { state, wrong } = await this.#run(scenario, undefined);
      if (wrong.length > 0) throw new Error(`${scenario.name} without any pause: ${wrong.join('; ')}`);
      this.#references.set(scenario.name, state);
    }
    const { state, wrong, late, paused } = await this.#run(scenario, 1 + random.integer(15));
    const reference = this.#references.get(scenario.name) ?? null;
    if (wrong.length === 0 && !equal(state, reference)) wrong.push(`the end differs from an uninterrupted run: ${difference(state, reference)}`);
    return { wrong: wrong.map((line) => `${scenario.name}: ${line}`), late, paused };
  }

  async #run(scenario: HookScenario, pauseAt: number | undefined): Promise<{ state: Json; wrong: string[]; late: number; paused: string }> {
    const { lab } = this;
    const name = `lead-${++this.#serial}`;
    const namespace = await lab.namespace(name);
    const mark = (await lab.settle(0)).length;
    const paused = this.#arm(pauseAt);
    const application = await ApplicationHandle.create(lab, { name, namespace, repoURL: this.repository.url, path: scenario.name, operation: { sync: {}, initiatedBy: { username: 'measured' } } });
    const shown = await application.until('the sync ends', (each) => each.by === 'measured' && isDone(each), DONE_WITHIN);
    const asleep = paused()?.runner;
    asleep?.controller.resume();
    if (asleep !== undefined) await delay(AWAKE);
    for (const { seat } of this.runners) seat.proxy.decide = () => ({ kind: 'none' });
    const audited = await lab.settle(mark);
    const users = this.runners.map(({ seat }) => seat.user);
    const { wrong } = judgeHooks(scenario, audited.filter((each) => users.includes(each.user) && each.namespace === namespace));
    if (shown.phase !== scenario.phase) wrong.push(`ended as ${summary(shown)}, not ${scenario.phase}`);
    const other = this.runners.find((runner) => runner !== asleep);
    const takeover = asleep === undefined || other === undefined ? undefined : audited.find((each) => each.resource === 'leases' && each.user === other.seat.user && isAcceptedWrite(each));
    const late = takeover === undefined ? [] : this.#late(audited, asleep, takeover.received);
    wrong.push(...late.map((each) => `the controller that stood still wrote after the other led: ${auditedText(each)}`));
    const state = await endState(lab, namespace, scenario, await application.shown());
    await application.remove();
    return { state, wrong, late: late.length, paused: paused()?.at ?? '' };
  }

  /** Stops whoever sends the n-th write; gives who that was. */
  #arm(pauseAt: number | undefined): () => { readonly runner: Runner; readonly at: string } | undefined {
    let count = 0;
    let asleep: { readonly runner: Runner; readonly at: string } | undefined;
    for (const runner of this.runners) {
      runner.seat.proxy.decide = (call) => {
        if (pauseAt !== undefined && asleep === undefined && isDelivery(call) && ++count === pauseAt) {
          asleep = { runner, at: callText(call) };
          runner.controller.pause();
        }
        return { kind: 'none' };
      };
    }
    return () => asleep;
  }

  /** Sent before it stood still does not count, answered later or not. */
  #late(audited: readonly Audited[], asleep: Runner | undefined, takeover: number): Audited[] {
    return audited.filter((each) => each.user === asleep?.seat.user && each.received > takeover && isAcceptedWrite(each) && each.resource !== 'leases' && each.resource !== 'events');
  }
}
