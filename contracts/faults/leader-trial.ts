import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { equal, type Json } from '../../src/model/json/index.js';
import { callText, isDelivery } from './api-call.js';
import { ApplicationHandle, isDone, statusText } from './application.js';
import { auditedText, isAcceptedWrite, type Audited } from './audit-log.js';
import type { ControllerProcess } from './controller-process.js';
import { difference, endState, verifyHooks } from './verify-hooks.js';
import { HookPlayer } from './hook-player.js';
import { HOOK_SCENARIOS, scenarioFiles, type HookScenario } from './hook-scenario.js';
import { Lab, type ControllerIdentity } from './lab.js';
import type { TestRepository } from './repository.js';
import { findFakeTime, WallClock } from './wall-clock.js';

export interface LeaderOutcome {
  readonly wrong: readonly string[];
  /** Writes of the one that stood still, accepted after the other led. */
  readonly late: number;
  /** What happened to the leader, and at which request. */
  readonly disturbance: string;
}

interface Runner {
  readonly seat: ControllerIdentity;
  readonly controller: ControllerProcess;
  readonly clock: WallClock | undefined;
}

const STANDS_STILL = 'stands still';
/** What may happen to the clock of whoever leads, in the words of libfaketime. */
const CLOCKS = ['+3600', '-3600', '+1d', '-1d', '+0 x2'];

interface Plan {
  readonly disturbance: string;
  /** The number of the write. */
  readonly at: number;
}

const DONE_WITHIN = 90_000;
const AWAKE = 3000;

/**
 * Two controllers. In the middle of a sync the one that leads stands still, for longer than its lease, and then goes
 * on; or its clock jumps or runs at double speed.
 */
export class LeaderLab {
  #serial = 0;
  readonly #references = new Map<string, Json>();

  private constructor(
    readonly lab: Lab,
    readonly repository: TestRepository,
    readonly runners: readonly [Runner, Runner],
  ) {}

  static async open(): Promise<LeaderLab> {
    const lab = await Lab.open();
    await HookPlayer.start(lab);
    const repository = lab.repository();
    repository.commit(Object.assign({}, ...HOOK_SCENARIOS.map(scenarioFiles)) as Record<string, string>);
    const library = findFakeTime();
    const runner = async (): Promise<Runner> => {
      const seat = await lab.createIdentity();
      const clock = library === undefined ? undefined : new WallClock(mkdtempSync(join(lab.dir, 'clock-')), library);
      return { seat, controller: await lab.launchController(seat, [], clock?.environment), clock };
    };
    return new LeaderLab(lab, repository, [await runner(), await runner()]);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** What can happen here, one after the other: without libfaketime clocks stay as they are. */
  get disturbances(): readonly string[] {
    return this.runners.every(({ clock }) => clock !== undefined) ? [STANDS_STILL, ...CLOCKS] : [STANDS_STILL];
  }

  async play(seed: number, disturbance: string): Promise<LeaderOutcome> {
    const random = seededRandom(seed);
    const scenario = random.pick(HOOK_SCENARIOS.filter(({ isSecond }) => !isSecond));
    if (!this.#references.has(scenario.name)) {
      const { state, wrong } = await this.#run(scenario, undefined);
      if (wrong.length > 0) throw new Error(`${scenario.name} without any pause: ${wrong.join('; ')}`);
      this.#references.set(scenario.name, state);
    }
    const { state, wrong, late, at } = await this.#run(scenario, { disturbance, at: 1 + random.integer(15) });
    const reference = this.#references.get(scenario.name) ?? null;
    if (wrong.length === 0 && !equal(state, reference))
      wrong.push(`the end differs from an uninterrupted run: ${difference(state, reference)}`);
    return {
      wrong: wrong.map((line) => `${scenario.name}: ${line}`),
      late,
      disturbance: at === '' ? '' : `${disturbance} at ${at}`,
    };
  }

  async #run(
    scenario: HookScenario,
    plan: Plan | undefined,
  ): Promise<{ state: Json; wrong: string[]; late: number; at: string }> {
    const { lab } = this;
    const name = `lead-${++this.#serial}`;
    const namespace = await lab.namespace(name);
    const mark = (await lab.settle(0)).length;
    const disturbed = this.#arm(plan);
    const application = await ApplicationHandle.create(lab, {
      name,
      namespace,
      repoURL: this.repository.url,
      path: scenario.name,
      operation: { sync: {}, initiatedBy: { username: 'measured' } },
    });
    const shown = await application.until(
      'the sync ends',
      (each) => each.by === 'measured' && isDone(each),
      DONE_WITHIN,
    );
    const asleep = plan?.disturbance === STANDS_STILL ? disturbed()?.runner : undefined;
    asleep?.controller.resume();
    if (asleep !== undefined) await delay(AWAKE);
    for (const { seat, clock } of this.runners) {
      seat.proxy.decide = () => ({ kind: 'none' });
      clock?.set('+0');
    }
    const audited = await lab.settle(mark);
    const users = this.runners.map(({ seat }) => seat.user);
    const { wrong } = verifyHooks(
      scenario,
      audited.filter((each) => users.includes(each.user) && each.namespace === namespace),
    );
    if (shown.phase !== scenario.phase) wrong.push(`ended as ${statusText(shown)}, not ${scenario.phase}`);
    const other = this.runners.find((runner) => runner !== asleep);
    const takeover =
      asleep === undefined || other === undefined
        ? undefined
        : audited.find((each) => each.resource === 'leases' && each.user === other.seat.user && isAcceptedWrite(each));
    const late = takeover === undefined ? [] : this.#late(audited, asleep, takeover.received);
    wrong.push(
      ...late.map((each) => `the controller that stood still wrote after the other led: ${auditedText(each)}`),
    );
    const state = await endState(lab, namespace, scenario, await application.status());
    await application.remove();
    return { state, wrong, late: late.length, at: disturbed()?.at ?? '' };
  }

  /** Disturbs whoever sends the n-th write; gives who that was. */
  #arm(plan: Plan | undefined): () => { readonly runner: Runner; readonly at: string } | undefined {
    let count = 0;
    let disturbed: { readonly runner: Runner; readonly at: string } | undefined;
    for (const runner of this.runners) {
      runner.seat.proxy.decide = (call) => {
        if (plan !== undefined && disturbed === undefined && isDelivery(call) && ++count === plan.at) {
          disturbed = { runner, at: callText(call) };
          if (plan.disturbance === STANDS_STILL) runner.controller.pause();
          else runner.clock?.set(plan.disturbance);
        }
        return { kind: 'none' };
      };
    }
    return () => disturbed;
  }

  /** Sent before it stood still does not count, answered later or not. */
  #late(audited: readonly Audited[], asleep: Runner | undefined, takeover: number): Audited[] {
    return audited.filter(
      (each) =>
        each.user === asleep?.seat.user &&
        each.received > takeover &&
        isAcceptedWrite(each) &&
        each.resource !== 'leases' &&
        each.resource !== 'events',
    );
  }
}
