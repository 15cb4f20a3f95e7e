import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import { writeJson, type JsonObject, type KubeObject } from '../../src/model/index.js';
import { isDelivery } from './api-call.js';
import { ApplicationHandle, summary, type ApplicationPlan, type Shown } from './application.js';
import type { ControllerProcess } from './controller-process.js';
import { CONFIG_MAPS, NAMESPACES, PROJECTS, SERVICES } from './kinds.js';
import { Lab, type Seat } from './lab.js';
import type { TestRepository } from './repository.js';

export const DELETIONS = ['foreground', 'background', 'orphan'] as const;
export const OBSTACLES = ['nothing', 'a kill', 'the project is deleted first', 'the repository is gone', 'the destination is unknown', 'the namespace is deleted first'] as const;

type Deletion = (typeof DELETIONS)[number];
type Obstacle = (typeof OBSTACLES)[number];

export interface DeletionOutcome {
  readonly wrong: readonly string[];
  readonly kills: number;
  readonly ms: number;
}

const GONE_WITHIN = 60_000;
const MAPS = 4;

/** Applications that are deleted, with and without what they delivered, while something is in the way. */
export class DeletionLab {
  #controller: ControllerProcess | undefined;
  #serial = 0;

  private constructor(readonly lab: Lab, readonly seat: Seat, readonly repository: TestRepository) {}

  static async open(): Promise<DeletionLab> {
    const lab = await Lab.open();
    const repository = lab.repository();
    repository.commit(files());
    return new DeletionLab(lab, await lab.seat(), repository);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(deletion: Deletion, obstacle: Obstacle, seed: number): Promise<DeletionOutcome> {
    const { lab } = this;
    const random = seededRandom(seed);
    this.#controller ??= await lab.startController(this.seat);
    const name = `delete-${++this.#serial}`;
    await lab.namespace(name);
    await lab.cluster.create(PROJECTS, projectOf(name));
    // Somebody else's object in the same namespace: it stays, whatever happens.
    await lab.cluster.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'neighbour', namespace: name } });
    const repository = obstacle === 'the repository is gone' ? lab.repository() : this.repository;
    if (repository !== this.repository) repository.commit(files());
    const plan: ApplicationPlan = { name, namespace: name, repoURL: repository.url, path: 'app', project: name, automated: {}, finalizer: deletion === 'orphan' ? false : deletion === 'background' ? 'background' : true };
    const application = await ApplicationHandle.create(lab, plan);
    await application.until('it is delivered', ({ sync, health }) => sync === 'Synced' && health === 'Healthy');
    const begin = performance.now();
    const kills = await this.#obstruct(obstacle, application, repository, random);
    await application.remove();
    const wrong = await this.#end(application);
    this.seat.proxy.decide = () => ({ kind: 'none' });
    if (obstacle !== 'the namespace is deleted first') wrong.push(...await this.#look(name, deletion === 'orphan' || obstacle === 'the destination is unknown'));
    if (!this.#controller.isAlive) this.#controller = undefined;
    return { wrong: wrong.map((line) => `${deletion}, ${obstacle}: ${line}`), kills: kills(), ms: performance.now() - begin };
  }

  async #obstruct(obstacle: Obstacle, application: ApplicationHandle, repository: TestRepository, random: Random): Promise<() => number> {
    const { lab } = this;
    let kills = 0;
    if (obstacle === 'a kill') this.#arm(1 + random.integer(MAPS + 3), random, () => kills++);
    if (obstacle === 'the project is deleted first') {
      const project = await lab.cluster.get(PROJECTS, { namespace: 'argocd', name: application.name });
      await lab.cluster.remove(PROJECTS, { namespace: 'argocd', name: application.name }, { uid: project?.metadata.uid ?? '' });
    }
    if (obstacle === 'the repository is gone') repository.takeAway();
    if (obstacle === 'the destination is unknown') await application.patch({ spec: { destination: { server: 'https://nowhere.example.com:6443' } } });
    if (obstacle === 'the namespace is deleted first') {
      const namespace = await lab.cluster.get(NAMESPACES, { name: application.name });
      await lab.cluster.remove(NAMESPACES, { name: application.name }, { uid: namespace?.metadata.uid ?? '' });
    }
    return () => kills;
  }

  #arm(nth: number, random: Random, onKill: () => void): void {
    let count = 0;
    const when = random.chance(0.5) ? 'before' : 'after';
    const die = (): void => {
      this.#controller?.kill();
      onKill();
    };
    this.seat.proxy.decide = (call) => {
      if (!isDelivery(call) || ++count !== nth) return { kind: 'none' };
      if (when === 'before') {
        die();
        return { kind: 'reset', when: 'before' };
      }
      this.seat.proxy.beforeReply = (answered) => {
        if (answered.path !== call.path) return;
        this.seat.proxy.beforeReply = () => undefined;
        die();
      };
      return { kind: 'none' };
    };
  }

  /** Until the Application is gone, or says why it cannot go; then what is missing comes back, and it goes. */
  async #end(application: ApplicationHandle): Promise<string[]> {
    try {
      await this.#until('the Application is gone, or says why not', async () => (await application.read()) === undefined || isStated(await application.shown()));
      if ((await application.read()) === undefined) return [];
      await this.lab.cluster.create(PROJECTS, projectOf(application.name));
      await this.#until('the Application is gone', async () => (await application.read()) === undefined);
      return [];
    } catch (error) {
      const left = await application.read();
      return [`${error instanceof Error ? error.message : String(error)}: finalizers ${left?.metadata.finalizers?.join(', ') ?? 'none'}; ${summary(await application.shown())}`];
    }
  }

  /** The controller is started again where it was killed. */
  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await this.lab.until(what, async () => {
      if (this.#controller?.isAlive === false) {
        await this.#controller.gone();
        await this.lab.dropLeases();
        this.#controller = await this.lab.startController(this.seat);
      }
      return isSo();
    }, GONE_WITHIN, 20);
  }

  async #look(namespace: string, isKept: boolean): Promise<string[]> {
    const maps = (await this.lab.cluster.list(CONFIG_MAPS, { namespace })).items.map(({ metadata }) => metadata.name ?? '').filter((name) => name !== 'kube-root-ca.crt');
    const services = (await this.lab.cluster.list(SERVICES, { namespace })).items;
    const wrong: string[] = [];
    if (!maps.includes('neighbour')) wrong.push('an object that was not its own was deleted');
    const left = maps.length - 1 + services.length;
    const wanted = isKept ? MAPS + 1 : 0;
    if (left !== wanted) wrong.push(`${left} of its objects are left, not ${wanted}: ${maps.join(', ')}`);
    return wrong;
  }
}

/** Without its project nobody knows what an application may delete: to wait and say so is right. */
function isStated({ conditions }: Shown): boolean {
  return conditions.some((each) => each.startsWith('DeletionError') && each.includes('project'));
}

function projectOf(name: string): KubeObject {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name, namespace: 'argocd' }, spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] } };
}

function files(): Record<string, string> {
  const meta = (name: string, wave: number): JsonObject => ({ name, annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } });
  const maps = Array.from({ length: MAPS }, (_, index): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: meta(`map-${index}`, index % 2), data: { index: String(index) } }));
  const objects: JsonObject[] = [...maps, { apiVersion: 'v1', kind: 'Service', metadata: meta('web', 1), spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }];
  return Object.fromEntries(objects.map((object, index) => [`app/${index}.yaml`, `${writeJson(object)}\n`]));
}
