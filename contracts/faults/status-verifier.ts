import { setTimeout as delay } from 'node:timers/promises';
import { systemClock, watchKinds, type CacheSet } from '../../src/cluster/index.js';
import { Fault } from '../../src/model/faults/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { readStatus, type ApplicationStatus } from './application.js';
import type { Lab } from './lab.js';
import { hasAddress, notLive, type Versions } from './simple-app.js';
import { APPLICATIONS } from '../../src/model/resources/index.js';

const CHECKS = 60;

/**
 * Reads every status that is ever written, straight from the server, and checks it against the objects themselves: an
 * Application that says Synced must be, one that says Healthy must be, and no operation that nothing is wrong with
 * fails.
 */
export class StatusVerifier {
  readonly violations: string[] = [];
  #statuses = 0;
  readonly #checks = new Set<Promise<void>>();

  private constructor(
    readonly lab: Lab,
    readonly versions: Versions,
    readonly fleet: CacheSet,
    readonly mayFail: boolean,
  ) {}

  static async start(lab: Lab, versions: Versions, mayFail = true): Promise<StatusVerifier> {
    const fleet = watchKinds(lab.cluster, [APPLICATIONS], {
      clock: systemClock,
      random: Math.random,
      report: () => undefined,
    });
    const watch = new StatusVerifier(lab, versions, fleet, mayFail);
    fleet.subscribe((change) => {
      if (change.type !== 'deleted') watch.#take(change.object);
    });
    await fleet.waitForSync(10_000);
    return watch;
  }

  get statuses(): number {
    return this.#statuses;
  }

  statusOf(name: string): ApplicationStatus {
    return readStatus(this.fleet.get({ group: 'argoproj.io', kind: 'Application', namespace: 'argocd', name }));
  }

  async stop(): Promise<readonly string[]> {
    this.fleet.close();
    await Promise.all(this.#checks);
    return this.violations;
  }

  #take(application: KubeObject): void {
    if (application.status === undefined) return;
    this.#statuses++;
    const check = this.#persist(application.metadata.name ?? '', readStatus(application)).catch((error: unknown) => {
      this.violations.push(`cannot be checked: ${String(error)}`);
    });
    this.#checks.add(check);
    void check.finally(() => this.#checks.delete(check));
  }

  /** A server that is away is asked again: what is checked only moves on. */
  async #persist(name: string, shown: ApplicationStatus): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#check(name, shown);
        return;
      } catch (error) {
        if (!(error instanceof Fault) || !error.retry || attempt === CHECKS) throw error;
        await delay(500);
      }
    }
  }

  async #check(name: string, { sync, health, revision, phase, message }: ApplicationStatus): Promise<void> {
    if (!this.mayFail && (phase === 'Failed' || phase === 'Error'))
      this.violations.push(`${name}: the operation ended as ${phase}: ${message}`);
    const version = this.versions.of(revision);
    if (sync === 'Synced') {
      if (version === undefined)
        this.violations.push(`${name}: Synced to a revision that nobody committed: "${revision}"`);
      // Objects only move on: what is newer than the status was changed after it was written.
      else
        for (const line of await notLive(this.lab, name, version, this.versions.newest))
          this.violations.push(`${name}: false Synced to version ${version}: ${line}`);
    }
    if (health === 'Healthy' && !(await hasAddress(this.lab, name)))
      this.violations.push(`${name}: false Healthy: the Service has no address`);
  }
}
