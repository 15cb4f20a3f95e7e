import { equal, type Json } from '../../src/model/json/index.js';
import { ApplicationHandle, isDone, statusText } from './application.js';
import { isDelivery } from './api-call.js';
import { difference, endState, hookFacts, verifyHooks } from './verify-hooks.js';
import { HookPlayer } from './hook-player.js';
import { HOOK_SCENARIOS, scenarioFiles, type HookScenario } from './hook-scenario.js';
import { Lab } from './lab.js';
import { killPoints, KillableController, plannedKills, reference, type KillPoint } from './killable-controller.js';
import type { TestRepository } from './repository.js';

export interface KillPlan {
  readonly scenario: HookScenario;
  readonly kills: readonly KillPoint[];
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
  #serial = 0;
  readonly #reference = reference((scenario: HookScenario) => this.#run({ scenario, kills: [] }));

  private constructor(
    readonly lab: Lab,
    readonly mortal: KillableController,
    readonly repository: TestRepository,
  ) {}

  static async open(): Promise<HookKillLab> {
    const lab = await Lab.open();
    try {
      await HookPlayer.start(lab);
      const repository = lab.repository();
      repository.commit(Object.assign({}, ...HOOK_SCENARIOS.map(scenarioFiles)) as Record<string, string>);
      return new HookKillLab(
        lab,
        new KillableController(lab, await lab.createIdentity(), { counts: isDelivery }),
        repository,
      );
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
    const { points } = await this.#reference(scenario);
    return { scenario, kills: plannedKills(points, Math.floor(index / HOOK_SCENARIOS.length), seed) };
  }

  async play(plan: KillPlan): Promise<KillOutcome> {
    const wanted = (await this.#reference(plan.scenario)).state;
    const begin = performance.now();
    const { wrong, state, boundaries, lost, duplicated } = await this.#run(plan);
    if (wrong.length === 0 && !equal(state, wanted))
      wrong.push(`the end differs from an uninterrupted run: ${difference(state, wanted)}`);
    return {
      wrong: wrong.map((line) => `${plan.scenario.name}: ${line} [killed at ${boundaries.join('; ')}]`),
      kills: boundaries.length,
      lost,
      duplicated,
      boundaries,
      ms: performance.now() - begin,
    };
  }

  async #run({ scenario, kills }: KillPlan): Promise<{
    wrong: string[];
    state: Json;
    points: readonly KillPoint[];
    boundaries: readonly string[];
    lost: number;
    duplicated: number;
  }> {
    const { lab, repository, mortal } = this;
    // A kill at the very last answer of the trial before left none.
    await mortal.running();
    const name = `sync-${++this.#serial}`;
    const namespace = await lab.namespace(name);
    const plan = { name, namespace, repoURL: repository.url, path: scenario.name };
    const application = await ApplicationHandle.create(lab, plan);
    if (scenario.isSecond) {
      await application.sync();
      await application.until('the first sync ends', isDone);
    }
    if (scenario.isAfterPart) {
      await application.sync('part', {
        prune: true,
        dryRun: true,
        resources: [{ group: '', kind: 'ConfigMap', name: 'first' }],
        syncStrategy: { apply: { force: true } },
      });
      await application.until('the part is over', (shown) => shown.by === 'part' && isDone(shown));
    }
    // Nothing of before counts as a write of this sync.
    await application.until('it was compared', ({ sync }) => sync !== '');
    const mark = (await lab.settle(0)).length;
    mortal.seat.proxy.forget();
    const doom = mortal.arm(kills);
    await application.sync('measured');
    const shown = await mortal.until(
      doom,
      DONE_WITHIN,
      () => application.status(),
      (seen) => isDone(seen) && seen.by === 'measured',
      async (seen) => `${name} is ${statusText(seen)}; ${await hookFacts(lab, name)}`,
    );
    mortal.disarm();
    const audited = (await lab.settle(mark)).filter(
      ({ user, namespace: where }) => user === mortal.seat.user && where === namespace,
    );
    const counted = verifyHooks(scenario, audited);
    const wrong = [...counted.wrong];
    if (shown.phase !== scenario.phase) wrong.push(`ended as ${statusText(shown)}, not ${scenario.phase}`);
    const state = await endState(lab, namespace, scenario, shown);
    const points = killPoints(mortal.calls);
    await application.remove();
    return { wrong, state, points, boundaries: doom.boundaries, lost: counted.lost, duplicated: counted.duplicated };
  }
}
