import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import { writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ApplicationHandle, isDone, statusText, type ApplicationPlan, type ApplicationStatus } from './application.js';
import { auditedText, isAcceptedWrite, type Audited } from './audit-log.js';
import type { ControllerProcess } from './controller-process.js';
import { Lab, type ControllerIdentity } from './lab.js';
import type { PruneCause } from './prune-causes.js';
import type { TestRepository } from './repository.js';
import {
  APP_PROJECTS,
  CONFIG_MAPS,
  CRDS,
  SECRETS,
  SERVICES,
  type ResourceRef,
} from '../../src/model/resources/index.js';

/** What a cause may use. */
export interface PruneContext {
  readonly lab: Lab;
  readonly seat: ControllerIdentity;
  readonly random: Random;
  readonly repository: TestRepository;
  readonly application: ApplicationHandle;
  readonly name: string;
  readonly namespace: string;
  /** The kind of a custom resource that the application has; its CRD is this trial's own. */
  readonly widgets: ResourceRef;
  readonly crd: KubeObject;
  /** Starts the controller again; it meets the cause from its first request on. */
  restart(): Promise<void>;
}

export interface PruneOutcome {
  readonly wrong: readonly string[];
  readonly pruned: number;
  readonly says: string;
}

const MAPS = 5;
const COMPLAINS_WITHIN = 30_000;
const PROBE = 3000;
/** What a broken world may keep from running at all. */
const READY = 15_000;
const BACK_WITHIN = 60_000;

/** Applications that prune and heal by themselves, and reasons why nothing may be pruned. */
export class PruneLab {
  #controller: ControllerProcess | undefined;
  #serial = 0;

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
  ) {}

  static async open(): Promise<PruneLab> {
    const lab = await Lab.open();
    return new PruneLab(lab, await lab.createIdentity());
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(cause: PruneCause, seed: number): Promise<PruneOutcome> {
    this.#controller ??= await this.lab.startController(this.seat);
    const stage = await this.#prepare(cause, seed);
    const before = await this.#live(stage);
    const mark = (await this.lab.settle(0)).length;
    const heal = await cause.break(stage);
    const wrong: string[] = [];
    const says = await this.#complaint(stage, cause, await this.#provoke(stage, cause));
    const deletions = this.#deletions(await this.lab.settle(mark), stage.namespace);
    wrong.push(...deletions.map((audited) => `pruned: ${auditedText(audited)}`));
    const after = await this.#live(stage);
    for (const [object, uid] of before) {
      if (after.get(object) !== uid && cause.takesAway?.(object) !== true && deletions.length === 0)
        wrong.push(`${object} is ${after.has(object) ? 'another one' : 'gone'}`);
    }
    // A controller that has not answered claims nothing: what is shown is from before.
    const isAnswered =
      (await stage.application.read())?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined;
    const complaint = wrong.length === 0 && isAnswered ? cause.complains?.(says) : undefined;
    if (complaint !== undefined) wrong.push(complaint);
    await heal();
    await this.#recover(stage, cause, before, wrong);
    if (wrong.length === 0) wrong.push(...(await this.#control(stage, cause)));
    await this.#clear(stage);
    return {
      wrong: wrong.map((line) => `${cause.name}: ${line} [${statusText(says)}]`),
      pruned: deletions.length,
      says: statusText(says),
    };
  }

  async #prepare(cause: PruneCause, seed: number): Promise<PruneContext> {
    const { lab, seat } = this;
    const name = `prune-${++this.#serial}`;
    const namespace = await lab.namespace(name);
    const repository = lab.repository();
    const crd = crdOf(name);
    const widgets: ResourceRef = {
      group: `${name}.example.com`,
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    };
    await lab.cluster.create(CRDS, crd);
    await lab.until('the CRD is served', () => lab.exists(widgets));
    await lab.cluster.create(APP_PROJECTS, projectOf(name));
    repository.commit({ ...baseFiles(widgets), ...cause.files?.(name) });
    const plan: ApplicationPlan = {
      name,
      namespace,
      repoURL: repository.url,
      path: 'app',
      project: name,
      automated: { prune: true, selfHeal: true },
    };
    const application = await ApplicationHandle.create(lab, cause.plan?.(plan) ?? plan);
    await application.until('it is delivered', ({ sync, health }) => sync === 'Synced' && health === 'Healthy');
    const restart = async (): Promise<void> => {
      this.#controller?.kill();
      await this.#controller?.gone();
      await lab.dropLeases();
      this.#controller = await lab.launchController(seat);
      await patiently(this.#controller.ready(READY));
    };
    return { lab, seat, random: seededRandom(seed), repository, application, name, namespace, widgets, crd, restart };
  }

  /** Everything that could make a controller act: refreshes, and a sync with pruning where people may ask for one. */
  async #provoke({ application, random }: PruneContext, cause: PruneCause): Promise<ApplicationStatus> {
    await application.refresh(random.chance(0.5) ? 'hard' : 'normal');
    await patiently(application.refreshed(PROBE));
    if (cause.mayBeSynced !== false) {
      await application.sync('provoked', { prune: true });
      await patiently(
        application.until('the provoked sync ends', (shown) => isDone(shown) && shown.by === 'provoked', PROBE),
      );
    }
    // Somebody touches an object: one more reason to act.
    await patiently(
      this.lab.cluster.patch(
        SERVICES,
        { namespace: application.name, name: 'web' },
        { type: 'merge', body: { metadata: { annotations: { touched: String(random.integer(1000)) } } } },
      ),
    );
    await delay(300);
    return await application.status();
  }

  /** What it says once it has noticed; a watch that ended is taken for lost before it is taken for forbidden. */
  async #complaint(
    { application }: PruneContext,
    { complains }: PruneCause,
    says: ApplicationStatus,
  ): Promise<ApplicationStatus> {
    if (complains?.(says) === undefined) return says;
    await patiently(application.until('it complains', (shown) => complains(shown) === undefined, COMPLAINS_WITHIN));
    return application.status();
  }

  async #recover(
    { application }: PruneContext,
    cause: PruneCause,
    before: ReadonlyMap<string, string>,
    wrong: string[],
  ): Promise<void> {
    try {
      await this.#controller?.ready();
      // A provoked sync that failed keeps auto-sync off for its revision; people ask again.
      await application.patch({ operation: null });
      await application.refresh('hard');
      await application.refreshed(BACK_WITHIN);
      if ((await application.status()).sync !== 'Synced') await application.sync('recovery');
      await application.until(
        'it is as before',
        ({ sync, health }) => sync === 'Synced' && health === 'Healthy',
        BACK_WITHIN,
      );
      const stage = { namespace: application.name };
      const after = await this.#liveIn(stage.namespace, []);
      for (const [object, uid] of before)
        if (!object.startsWith('Widget') && after.get(object) !== uid && cause.takesAway?.(object) !== true)
          wrong.push(`after all is well again ${object} is another one`);
    } catch (error) {
      wrong.push(error instanceof Error ? error.message : String(error));
    }
  }

  /** The same application does prune what git really dropped, and the audit log shows it: the trial can fail. */
  async #control({ application, repository, namespace }: PruneContext, cause: PruneCause): Promise<string[]> {
    if (cause.control === undefined) return [];
    const mark = (await this.lab.settle(0)).length;
    repository.commit(cause.control);
    await application.refresh('normal');
    try {
      await this.lab.until(
        'what git dropped is pruned',
        async () => (await this.lab.cluster.get(CONFIG_MAPS, { namespace, name: 'map-0' })) === undefined,
      );
    } catch (error) {
      return [
        `the control: ${error instanceof Error ? error.message : String(error)}; ` +
          statusText(await application.status()),
      ];
    }
    const pruned = this.#deletions(await this.lab.settle(mark), namespace).map(({ name }) => name);
    return pruned.join() === 'map-0' ? [] : [`the control pruned ${pruned.join(', ') || 'nothing'} instead of map-0`];
  }

  async #clear({ application, name, crd }: PruneContext): Promise<void> {
    await application.remove();
    await this.#drop(APP_PROJECTS, name, 'argocd');
    await this.#drop(CRDS, crd.metadata.name ?? '');
  }

  async #drop(kind: ResourceRef, name: string, namespace?: string): Promise<void> {
    const object = await this.lab.cluster.get(kind, { name, namespace });
    if (object !== undefined)
      await this.lab.cluster.remove(kind, { name, namespace }, { uid: object.metadata.uid ?? '' });
  }

  #deletions(audited: readonly Audited[], namespace: string): Audited[] {
    return audited.filter(
      (each) =>
        isAcceptedWrite(each) &&
        each.verb.startsWith('delete') &&
        each.user === this.seat.user &&
        each.namespace === namespace &&
        each.resource !== 'applications',
    );
  }

  async #live({ namespace, widgets }: PruneContext): Promise<Map<string, string>> {
    return await this.#liveIn(namespace, (await this.lab.exists(widgets)) ? [widgets] : []);
  }

  async #liveIn(namespace: string, more: readonly ResourceRef[]): Promise<Map<string, string>> {
    const lists = await Promise.all(
      [CONFIG_MAPS, SECRETS, SERVICES, ...more].map(
        async (kind) => (await this.lab.cluster.list(kind, { namespace })).items,
      ),
    );
    return new Map(
      lists
        .flat()
        .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
        .map(({ kind, metadata }) => [`${kind}/${metadata.name ?? ''}`, metadata.uid ?? '']),
    );
  }
}

/** What a broken world may keep from ending; that it does is no fault of the trial. */
async function patiently(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}

function baseFiles(widgets: ResourceRef): Record<string, string> {
  const maps = Array.from({ length: MAPS }, (_, index): [string, JsonObject] => [
    `app/map-${index}.yaml`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${index}` }, data: { index: String(index) } },
  ]);
  const others: [string, JsonObject][] = [
    [
      'app/secret.yaml',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' }, stringData: { password: 'x' } },
    ],
    [
      'app/service.yaml',
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
      },
    ],
    [
      'app/widget.yaml',
      { apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata: { name: 'widget' }, spec: { size: 1 } },
    ],
  ];
  return Object.fromEntries([...maps, ...others].map(([path, object]) => [path, `${writeJson(object)}\n`]));
}

function crdOf(name: string): KubeObject {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${name}.example.com` },
    spec: {
      group: `${name}.example.com`,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function projectOf(name: string): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  };
}
