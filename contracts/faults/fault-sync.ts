import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { ApplicationHandle, statusText } from './application.js';
import type { ControllerProcess } from './controller-process.js';
import { Lab, type ControllerIdentity } from './lab.js';
import { damager, impatient, type RequestFault } from './request-faults.js';
import { giveAddress, Versions } from './simple-app.js';
import { StatusVerifier } from './status-verifier.js';
import { SERVICES } from '../../src/model/resources/index.js';

export interface FaultSyncPlan {
  readonly fault: RequestFault;
  readonly rate: number;
  readonly syncs: number;
  readonly hangMs: number;
  /** How long faults may last before they end and the rest must come right without. */
  readonly faultyMs: number;
}

export interface FaultSyncOutcome {
  readonly wrong: readonly string[];
  readonly lies: number;
  /** Syncs that ended well while requests still failed. */
  readonly underFaults: number;
  readonly statuses: number;
  readonly requests: number;
  readonly faults: number;
  readonly ms: number;
}

const HEALED_WITHIN = 90_000;

/** Many syncs at once while some share of all requests fails. */
export class FaultSyncLab {
  #controller: ControllerProcess | undefined;
  #serial = 0;

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
  ) {}

  static async open(): Promise<FaultSyncLab> {
    const lab = await Lab.open();
    return new FaultSyncLab(lab, await lab.createIdentity());
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(plan: FaultSyncPlan, seed: number): Promise<FaultSyncOutcome> {
    const { lab, seat } = this;
    this.#controller ??= await lab.startController(seat);
    const begin = performance.now();
    const versions = new Versions(lab.repository(), 'app');
    const first = versions.commit();
    const names = await this.#names(plan.syncs);
    const truth = await StatusVerifier.start(lab, versions);
    seat.proxy.forget();
    seat.proxy.decide = damager(plan.fault, plan.rate, seededRandom(seed), plan.hangMs);
    const wrong: string[] = [];
    let underFaults = 0;
    try {
      const applications = await Promise.all(names.map((name) => this.#create(name, versions.repository.url)));
      await this.#gate(names, begin + plan.faultyMs);
      underFaults += await this.#arrive(truth, names, first, begin + plan.faultyMs);
      const second = versions.commit();
      for (const application of applications) await application.refresh();
      underFaults += await this.#arrive(truth, names, second, begin + plan.faultyMs);
      seat.proxy.decide = () => ({ kind: 'none' });
      await this.#gate(names, performance.now() + HEALED_WITHIN);
      await this.#arrive(truth, names, second, performance.now() + HEALED_WITHIN);
      wrong.push(...names.filter((name) => !isAt(truth, name, second)).map((name) => neverHealed(truth, name)));
      if (!this.#controller.isAlive) wrong.push(`the controller ended: ${this.#controller.tail()}`);
      for (const application of applications) await application.remove();
    } finally {
      seat.proxy.decide = () => ({ kind: 'none' });
    }
    const lies = await truth.stop();
    const calls = [...seat.proxy.calls];
    wrong.push(...lies, ...impatient(calls).slice(0, 5));
    if (!this.#controller.isAlive) this.#controller = undefined;
    return {
      wrong: wrong.map((line) => `${plan.fault.name} at ${plan.rate * 100} %: ${line}`),
      lies: lies.length,
      underFaults,
      statuses: truth.statuses,
      requests: calls.length,
      faults: calls.filter(({ damage }) => damage !== 'none').length,
      ms: performance.now() - begin,
    };
  }

  #create(name: string, repoURL: string): Promise<ApplicationHandle> {
    return ApplicationHandle.create(this.lab, {
      name,
      namespace: name,
      repoURL,
      path: 'app',
      automated: { prune: true, selfHeal: true },
      retry: { limit: -1, backoff: { duration: '1s', factor: 2, maxDuration: '5s' } },
    });
  }

  async #names(count: number): Promise<string[]> {
    const names = Array.from({ length: count }, () => `faulty-${++this.#serial}`);
    for (const name of names) await this.lab.namespace(name);
    return names;
  }

  /** Services get their address once they are there; until then nothing may be Healthy. */
  async #gate(names: readonly string[], end: number): Promise<void> {
    const left = new Set(names);
    while (left.size > 0 && performance.now() < end) {
      for (const name of left) {
        if ((await this.lab.cluster.get(SERVICES, { namespace: name, name: 'web' })) === undefined) continue;
        await delay(100);
        await giveAddress(this.lab, name);
        left.delete(name);
      }
      await delay(50);
    }
  }

  async #arrive(truth: StatusVerifier, names: readonly string[], revision: string, end: number): Promise<number> {
    const count = (): number => names.filter((name) => isAt(truth, name, revision)).length;
    while (count() < names.length && performance.now() < end) await delay(50);
    return count();
  }
}

function isAt(truth: StatusVerifier, name: string, revision: string): boolean {
  const shown = truth.statusOf(name);
  return shown.sync === 'Synced' && shown.health === 'Healthy' && shown.revision === revision;
}

function neverHealed(truth: StatusVerifier, name: string): string {
  return `${name} was not healthy ${HEALED_WITHIN / 1000} s after the last fault: ${statusText(truth.statusOf(name))}`;
}
