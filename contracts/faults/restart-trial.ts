import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { own } from '../../src/model/json/index.js';
import { ApplicationHandle, objectIn, statusText } from './application.js';
import type { ControllerProcess } from './controller-process.js';
import { Lab, type ControllerIdentity } from './lab.js';
import { giveAddress, Versions } from './simple-app.js';
import { StatusVerifier } from './status-verifier.js';
import { DEPLOYMENTS, SERVICES } from '../../src/model/resources/index.js';

const BACK_WITHIN = 60_000;
const WELL_WITHIN = 180_000;

/** The API server ends and starts again while many applications sync. */
export class RestartLab {
  readonly #applications: ApplicationHandle[] = [];
  #controller: ControllerProcess | undefined;

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
    readonly versions: Versions,
  ) {}

  static async open(applications: number): Promise<RestartLab> {
    const lab = await Lab.open();
    const opened = new RestartLab(lab, await lab.createIdentity(), new Versions(lab.repository(), 'app'));
    await opened.#begin(applications);
    return opened;
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async #begin(count: number): Promise<void> {
    const { lab, versions } = this;
    versions.commit();
    this.#controller = await lab.startController(this.seat);
    const names = Array.from({ length: count }, (_, index) => `loaded-${index}`);
    for (const name of names) {
      await lab.namespace(name);
      this.#applications.push(
        await ApplicationHandle.create(lab, {
          name,
          namespace: name,
          repoURL: versions.repository.url,
          path: 'app',
          automated: { prune: true, selfHeal: true },
        }),
      );
    }
    for (const name of names) {
      await lab.until(
        'the Service is there',
        async () => (await lab.cluster.get(SERVICES, { namespace: name, name: 'web' })) !== undefined,
      );
      await giveAddress(lab, name);
    }
  }

  async play(
    seed: number,
  ): Promise<{ readonly wrong: readonly string[]; readonly ms: number; readonly statuses: number }> {
    const random = seededRandom(seed);
    const truth = await StatusVerifier.start(this.lab, this.versions, false);
    const revision = this.versions.commit();
    const names = this.#applications.map(({ name }) => name);
    // An annotation each, then the end of the server somewhere in the middle of what follows.
    await Promise.all(this.#applications.map((application) => application.refresh()));
    await delay(random.integer(1500));
    await this.lab.plane.restart();
    const isBack = (name: string): boolean => {
      const shown = truth.statusOf(name);
      return shown.sync === 'Synced' && shown.revision === revision && shown.phase === 'Succeeded';
    };
    // Health waits for the real controller of Deployments, which takes its own time after a restart.
    const isWell = (name: string): boolean => isBack(name) && truth.statusOf(name).health === 'Healthy';
    const ms = await this.#wait(names, isBack, BACK_WITHIN);
    await this.#wait(names, isWell, WELL_WITHIN);
    const wrong = [
      ...names
        .filter((name) => !isBack(name))
        .map(
          (name) =>
            `${name} is not Synced ${BACK_WITHIN / 1000} s after the restart: ${statusText(truth.statusOf(name))}`,
        ),
      ...(await Promise.all(
        names
          .filter((name) => !isWell(name))
          .map(
            async (name) =>
              `${name} is not well: ${statusText(truth.statusOf(name))}; ${await this.#deploymentOf(name)}`,
          ),
      )),
    ];
    if (wrong.length > 0) wrong.push(`the controller says:\n${this.#controller?.tail() ?? ''}`);
    const statuses = truth.statuses;
    wrong.push(...(await truth.stop()));
    return { wrong, ms, statuses };
  }

  async #wait(names: readonly string[], isSo: (name: string) => boolean, within: number): Promise<number> {
    const begin = performance.now();
    while (!names.every(isSo) && performance.now() - begin < within) await delay(20);
    return performance.now() - begin;
  }

  /** Whether the real controller of Deployments, or ours, is the one who is late. */
  async #deploymentOf(namespace: string): Promise<string> {
    const deployment = await this.lab.cluster.get(DEPLOYMENTS, { namespace, name: 'web' });
    return (
      `the Deployment has generation ${String(deployment?.metadata.generation)}` +
      `, its controller saw ${String(own(objectIn(deployment, 'status'), 'observedGeneration'))}`
    );
  }
}
