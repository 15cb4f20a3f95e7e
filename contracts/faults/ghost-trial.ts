import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { writeJson } from '../../src/model/json/index.js';
import { ApplicationHandle, isDone, statusText, type ApplicationStatus } from './application.js';
import { Lab, type ControllerIdentity } from './lab.js';
import type { TestRepository } from './repository.js';
import { CONFIG_MAPS } from '../../src/model/resources/index.js';

const OBJECTS = 8;
const OBSERVED_WITHIN = 30_000;

/** Objects that are deleted while the controller cannot see it. */
export class GhostLab {
  #application: ApplicationHandle | undefined;

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
    readonly repository: TestRepository,
  ) {}

  static async open(): Promise<GhostLab> {
    const lab = await Lab.open();
    const repository = lab.repository();
    const map = (index: number): string =>
      writeJson({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `object-${index}` },
        data: { index: String(index) },
      }) + '\n';
    repository.commit(
      Object.fromEntries(Array.from({ length: OBJECTS }, (_, index) => [`app/${index}.yaml`, map(index)])),
    );
    return new GhostLab(lab, await lab.createIdentity(), repository);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(
    seed: number,
  ): Promise<{ readonly wrong: readonly string[]; readonly ghosts: number; readonly ms: number }> {
    const random = seededRandom(seed);
    const application = (this.#application ??= await this.#begin());
    // What was broken by the trial before is whole again.
    await application.sync(`whole-${seed}`);
    await application.until(
      'all is there',
      (shown) => shown.by === `whole-${seed}` && isDone(shown) && shown.sync === 'Synced',
    );
    const deleted = new Set<number>();
    const changed = new Set<number>();
    if (random.chance(0.5)) this.seat.proxy.setOnline(false);
    else this.seat.proxy.cutWatches('configmaps');
    for (let index = 0; index < OBJECTS; index++) {
      const dice = random.integer(4);
      if (dice > 1) continue;
      await this.#remove(index);
      if (dice === 0) deleted.add(index);
      else {
        await this.lab.cluster.create(CONFIG_MAPS, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `object-${index}`, namespace: 'ghosts' },
          data: { index: 'another' },
        });
        changed.add(index);
      }
    }
    this.seat.proxy.setOnline(true);
    const begin = performance.now();
    const expected = (index: number): string => (deleted.has(index) || changed.has(index) ? 'OutOfSync' : 'Synced');
    const isSeen = ({ resources }: ApplicationStatus): boolean =>
      resources.length === OBJECTS &&
      resources.every(({ name, status }) => status === expected(Number(name.split('-')[1])));
    try {
      await application.until('every object is shown as it is', isSeen, OBSERVED_WITHIN);
      return { wrong: [], ghosts: 0, ms: performance.now() - begin };
    } catch (error) {
      const shown = await application.status();
      const ghosts = shown.resources.filter(
        ({ name, status }) => status === 'Synced' && deleted.has(Number(name.split('-')[1])),
      );
      return {
        wrong: [
          `${error instanceof Error ? error.message : String(error)}: ${statusText(shown)}; ghosts: ` +
            (ghosts.map(({ name }) => name).join(', ') || 'none'),
        ],
        ghosts: ghosts.length,
        ms: performance.now() - begin,
      };
    }
  }

  async #begin(): Promise<ApplicationHandle> {
    await this.lab.startController(this.seat);
    await this.lab.namespace('ghosts');
    return await ApplicationHandle.create(this.lab, {
      name: 'ghosts',
      namespace: 'ghosts',
      repoURL: this.repository.url,
      path: 'app',
    });
  }

  async #remove(index: number): Promise<void> {
    const id = { namespace: 'ghosts', name: `object-${index}` };
    const live = await this.lab.cluster.get(CONFIG_MAPS, id);
    if (live !== undefined) await this.lab.cluster.remove(CONFIG_MAPS, id, { uid: live.metadata.uid ?? '' });
  }
}
