import { readFileSync } from 'node:fs';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import { isObject, own, parseJson, type Json } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { isDelivery } from './api-call.js';
import {
  ApplicationHandle,
  CONTROL_NAMESPACE,
  statusText,
  type ApplicationPlan,
  type ApplicationStatus,
} from './application.js';
import { isCreation, type Audited } from './audit-log.js';
import { definitionOf, deletionFiles, HOOKS, MAPS } from './deletion-files.js';
import { HookPlayer } from './hook-player.js';
import { Lab, type ControllerIdentity } from './lab.js';
import { KillableController, type KillPoint } from './killable-controller.js';
import type { TestRepository } from './repository.js';
import {
  APP_PROJECTS,
  CONFIG_MAPS,
  CRDS,
  NAMESPACES,
  SECRETS,
  SERVICES,
  type ResourceRef,
} from '../../src/model/resources/index.js';

export const DELETIONS = ['foreground', 'background', 'orphan'] as const;
export const OBSTACLES = [
  'nothing',
  'a kill',
  'kills around its hooks',
  'the project is deleted first',
  'the repository is gone',
  'the destination is unknown',
  'the namespace is deleted first',
  'the definition of a kind is deleted first',
  'the target cluster does not answer',
] as const;

type Deletion = (typeof DELETIONS)[number];

/** What an Application's finalizer says about its objects. */
const FINALIZERS: Readonly<Record<Deletion, boolean | 'background'>> = {
  foreground: true,
  background: 'background',
  orphan: false,
};
type Obstacle = (typeof OBSTACLES)[number];

export interface DeletionOutcome {
  readonly wrong: readonly string[];
  readonly kills: number;
  readonly ms: number;
}

interface Trial {
  readonly name: string;
  readonly deletion: Deletion;
  readonly obstacle: Obstacle;
  readonly repository: TestRepository;
  readonly random: Random;
}

const GONE_WITHIN = 60_000;
const MOMENTS: readonly KillPoint['moment'][] = [
  'before it is sent',
  'after it was done and before the answer',
  'after the answer',
];

/** Applications that are deleted, with and without what they delivered, while something is in the way. */
export class DeletionLab {
  #far: ControllerIdentity | undefined;
  #serial = 0;

  private constructor(
    readonly lab: Lab,
    readonly mortal: KillableController,
    readonly repository: TestRepository,
  ) {}

  static async open(): Promise<DeletionLab> {
    const lab = await Lab.open();
    try {
      await HookPlayer.start(lab);
      const repository = lab.repository();
      repository.commit(deletionFiles({}));
      return new DeletionLab(
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

  async play(deletion: Deletion, obstacle: Obstacle, seed: number): Promise<DeletionOutcome> {
    await this.mortal.running();
    const trial: Trial = {
      name: `delete-${++this.#serial}`,
      deletion,
      obstacle,
      repository: this.repository,
      random: seededRandom(seed),
    };
    const { application, ...rest } = await this.#deliver(trial);
    const mark = (await this.lab.settle(0)).length;
    const begin = performance.now();
    const kills = this.#killsOf(trial);
    await this.#obstruct({ ...trial, ...rest }, application);
    const doom = this.mortal.arm(kills);
    await application.remove();
    const wrong = await this.#end(trial, application, doom);
    this.mortal.disarm();
    const isKept = deletion === 'orphan' || obstacle === 'the destination is unknown';
    if (obstacle !== 'the namespace is deleted first') wrong.push(...(await this.#look(trial.name, isKept)));
    if (obstacle === 'kills around its hooks')
      wrong.push(...hooksIn((await this.lab.settle(mark)).filter(({ namespace }) => namespace === trial.name)));
    return {
      wrong: wrong.map(
        (line) => `${deletion}, ${obstacle}: ${line} [killed at ${doom.boundaries.join('; ') || 'nothing'}]`,
      ),
      kills: doom.boundaries.length,
      ms: performance.now() - begin,
    };
  }

  /** The application as it is before anybody deletes it. */
  async #deliver({
    name,
    deletion,
    obstacle,
  }: Trial): Promise<{ readonly application: ApplicationHandle; readonly repository: TestRepository }> {
    const { lab } = this;
    await lab.namespace(name);
    await lab.cluster.create(APP_PROJECTS, projectOf(name));
    // Somebody else's object in the same namespace: it stays, whatever happens.
    await lab.cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'neighbour', namespace: name },
    });
    const hasDefinition = obstacle === 'the definition of a kind is deleted first';
    if (hasDefinition) await lab.cluster.create(CRDS, definitionOf(name));
    const isOwn = hasDefinition || obstacle === 'the repository is gone' || obstacle === 'kills around its hooks';
    const repository = isOwn ? lab.repository() : this.repository;
    if (isOwn)
      repository.commit(
        deletionFiles({ ...(hasDefinition ? { kindOf: name } : {}), hasHooks: obstacle === 'kills around its hooks' }),
      );
    const plan: ApplicationPlan = {
      name,
      namespace: name,
      repoURL: repository.url,
      path: 'app',
      project: name,
      automated: {},
      finalizer: FINALIZERS[deletion],
      ...(obstacle === 'the target cluster does not answer' ? { server: (await this.#farAway()).proxy.url } : {}),
    };
    const application = await ApplicationHandle.create(lab, plan);
    await application.until('it is delivered', ({ sync, health }) => sync === 'Synced' && health === 'Healthy');
    return { application, repository };
  }

  /** The same server by another address, as a cluster of its own. */
  async #farAway(): Promise<ControllerIdentity> {
    if (this.#far !== undefined) return this.#far;
    const far = await this.lab.createIdentity();
    const read = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
      path.reduce<Json | undefined>((inner, step) => {
        if (Array.isArray(inner)) return inner[Number(step)];
        return isObject(inner) ? own(inner, String(step)) : undefined;
      }, value);
    const kubeconfig = parseJson(readFileSync(far.kubeconfig, 'utf8'));
    const config = {
      bearerToken: read(kubeconfig, 'users', 0, 'user', 'token') ?? '',
      tlsClientConfig: { caData: read(kubeconfig, 'clusters', 0, 'cluster', 'certificate-authority-data') ?? '' },
    };
    await this.lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'far', namespace: CONTROL_NAMESPACE, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: { name: 'far', server: far.proxy.url, config: JSON.stringify(config) },
    });
    this.#far = far;
    return far;
  }

  #killsOf({ obstacle, deletion, random }: Trial): KillPoint[] {
    const at = (sort: string, most = 1): KillPoint => ({
      sort,
      nth: 1 + random.integer(most),
      moment: random.pick(MOMENTS),
    });
    if (obstacle === 'a kill')
      return [random.pick([at('delete configmaps', MAPS / 2), at('delete services'), at('patch applications')])];
    // One life ends at the hook before, one between the two, one at the hook after.
    return obstacle === 'kills around its hooks'
      ? [at('create jobs'), at(deletion === 'orphan' ? 'patch applications' : 'delete configmaps'), at('create jobs')]
      : [];
  }

  async #obstruct({ name, obstacle, repository }: Trial, application: ApplicationHandle): Promise<void> {
    if (obstacle === 'the project is deleted first') await this.#remove(APP_PROJECTS, name, CONTROL_NAMESPACE);
    if (obstacle === 'the repository is gone') repository.takeAway();
    if (obstacle === 'the destination is unknown')
      await application.patch({ spec: { destination: { server: 'https://nowhere.example.com:6443' } } });
    if (obstacle === 'the namespace is deleted first') await this.#remove(NAMESPACES, name);
    if (obstacle === 'the definition of a kind is deleted first')
      await this.#remove(CRDS, `things.${name}.example.com`);
    if (obstacle === 'the target cluster does not answer') this.#far?.proxy.setOnline(false);
  }

  async #remove(kind: ResourceRef, name: string, namespace?: string): Promise<void> {
    const live = await this.lab.cluster.get(kind, { namespace, name });
    await this.lab.cluster.remove(kind, { namespace, name }, { uid: live?.metadata.uid ?? '' });
  }

  /** Until the Application is gone, or says why it cannot go; then what is missing comes back, and it goes. */
  async #end(
    { obstacle, name }: Trial,
    application: ApplicationHandle,
    doom: ReturnType<KillableController['arm']>,
  ): Promise<string[]> {
    const look = async (): Promise<{ readonly left: KubeObject | undefined; readonly shown: ApplicationStatus }> => ({
      left: await application.read(),
      shown: await application.status(),
    });
    const tell = ({ left, shown }: Awaited<ReturnType<typeof look>>): string =>
      'the Application is still there: finalizers ' +
      `${left?.metadata.finalizers?.join(', ') ?? 'none'}; ${statusText(shown)}`;
    try {
      const { left } = await this.mortal.until(
        doom,
        GONE_WITHIN,
        look,
        (seen) => seen.left === undefined || isStated(seen.shown, obstacle),
        tell,
      );
      this.#far?.proxy.setOnline(true);
      if (left === undefined) return [];
      if (obstacle === 'the project is deleted first') await this.lab.cluster.create(APP_PROJECTS, projectOf(name));
      await this.mortal.until(doom, GONE_WITHIN, look, (seen) => seen.left === undefined, tell);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    } finally {
      this.#far?.proxy.setOnline(true);
    }
  }

  async #look(namespace: string, isKept: boolean): Promise<string[]> {
    const maps = (await this.lab.cluster.list(CONFIG_MAPS, { namespace })).items
      .map(({ metadata }) => metadata.name ?? '')
      .filter((name) => name !== 'kube-root-ca.crt');
    const services = (await this.lab.cluster.list(SERVICES, { namespace })).items;
    const wrong: string[] = [];
    if (!maps.includes('neighbour')) wrong.push('an object that was not its own was deleted');
    const left = maps.length - 1 + services.length;
    const wanted = isKept ? MAPS + 1 : 0;
    if (left !== wanted) wrong.push(`${left} of its objects are left, not ${wanted}: ${maps.join(', ')}`);
    return wrong;
  }
}

/** Each hook was made once, whoever died in between, and the one before the one after. */
function hooksIn(audited: readonly Audited[]): string[] {
  const made = audited
    .filter((each) => isCreation(each) && each.resource === 'jobs')
    .sort((a, b) => a.received - b.received)
    .map(({ name }) => name);
  return made.join() === HOOKS.join()
    ? []
    : [`hooks were made as ${made.join(', ') || 'none'}, not as ${HOOKS.join(', ')}`];
}

/**
 * Without its project nobody knows what an application may delete, and of a cluster that does not answer nobody knows
 * anything: to wait and say so is right.
 */
function isStated({ conditions }: ApplicationStatus, obstacle: Obstacle): boolean {
  const reason = obstacle === 'the target cluster does not answer' ? '127.0.0.1' : 'project';
  return conditions.some((each) => each.startsWith('DeletionError') && each.includes(reason));
}

function projectOf(name: string): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: CONTROL_NAMESPACE },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
  };
}
