import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Lab } from '../../contracts/faults/lab.js';
import {
  applicationOf,
  objectIn,
  readStatus,
  type ApplicationPlan,
  type ApplicationStatus,
} from '../../contracts/faults/application.js';
import { ControllerProcess } from '../../contracts/faults/controller-process.js';
import type { TestRepository } from '../../contracts/faults/repository.js';
import { freePorts } from '../../contracts/real/free-port.js';
import { systemClock, watchKinds, type CacheSet } from '../../src/cluster/index.js';
import { own, textAt, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ProcessTree, type TreeUse } from './process-tree.js';
import { APPLICATIONS, CONFIG_MAPS, NAMESPACES, SERVICES } from '../../src/model/resources/index.js';

export interface Measured extends TreeUse {
  readonly seconds: number;
}

/** Whoever changes objects beside git. */
export const OTHER_MANAGER = 'meddler';
const CLIENTS = 16;
const NAMESPACE = 'argocd';
const REFRESH = 'argocd.argoproj.io/refresh';

/**
 * A real control plane with fsync, one repository, our controller as one process, and eyes on Applications, ConfigMaps
 * and Services.
 */
export class BenchLab {
  controller: ControllerProcess | undefined;
  #lives = 0;
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly lab: Lab,
    readonly repository: TestRepository,
    readonly fleet: CacheSet,
  ) {
    fleet.subscribe(() => {
      for (const look of this.#waiting) look();
    });
  }

  static async open(audit = false): Promise<BenchLab> {
    const lab = await Lab.open({ etcdFsync: true, audit });
    const fleet = watchKinds(lab.cluster, [APPLICATIONS, CONFIG_MAPS, SERVICES], {
      clock: systemClock,
      random: Math.random,
      report: () => undefined,
    });
    lab.onClose(() => Promise.resolve(fleet.close()));
    await fleet.waitForSync(10_000);
    return new BenchLab(lab, lab.repository(), fleet);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Starts the controller on the server itself, without a proxy, and does not wait. */
  async launch(): Promise<ControllerProcess> {
    const [metricsPort = 0] = await freePorts(1);
    const dir = join(this.lab.dir, `life-${++this.#lives}`);
    mkdirSync(dir);
    // One data folder for all lives: what is cached on disk survives a restart, as it does for a user.
    const controller = ControllerProcess.start({
      kubeconfig: this.lab.plane.kubeconfigPath,
      dir,
      metricsPort,
      data: join(this.lab.dir, 'data'),
    });
    this.lab.onClose(() => controller.stop());
    this.controller = controller;
    return controller;
  }

  async start(): Promise<void> {
    await (await this.launch()).ready();
  }

  async namespaces(names: readonly string[]): Promise<void> {
    await this.each(names, (name) =>
      this.lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    );
  }

  async create(plans: readonly ApplicationPlan[]): Promise<void> {
    await this.each(plans, (plan) => this.lab.cluster.create(APPLICATIONS, applicationOf(plan)));
  }

  async refresh(names: readonly string[]): Promise<void> {
    const body = { metadata: { annotations: { [REFRESH]: 'normal' } } };
    await this.each(names, (name) =>
      this.lab.cluster.patch(APPLICATIONS, { namespace: NAMESPACE, name }, { type: 'merge', body }),
    );
  }

  isRefreshed(name: string): boolean {
    return (
      this.fleet.get({ group: 'argoproj.io', kind: 'Application', namespace: NAMESPACE, name })?.metadata.annotations?.[
        REFRESH
      ] === undefined
    );
  }

  async each<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    const queue = [...items];
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
      }),
    );
  }

  /** Changes a ConfigMap as somebody else does; gives the version that this made. */
  async changeOutsideGit(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    body: JsonObject,
  ): Promise<number> {
    const changed = await this.lab.request(
      'PATCH',
      `/api/v1/namespaces/${namespace}/configmaps/${name}?fieldManager=${OTHER_MANAGER}`,
      body,
      'application/merge-patch+json',
    );
    return Number(textAt(objectIn(changed, 'metadata'), 'resourceVersion'));
  }

  application(name: string): ApplicationStatus {
    return readStatus(this.fleet.get({ group: 'argoproj.io', kind: 'Application', namespace: NAMESPACE, name }));
  }

  configMap(namespace: string, name: string): KubeObject | undefined {
    return this.fleet.get({ group: '', kind: 'ConfigMap', namespace, name });
  }

  service(namespace: string, name: string): KubeObject | undefined {
    return this.fleet.get({ group: '', kind: 'Service', namespace, name });
  }

  /** A value of a ConfigMap as it is live. */
  value(namespace: string, name: string, key: string): unknown {
    const data = this.configMap(namespace, name)?.data;
    return typeof data === 'object' && data !== null && !Array.isArray(data) ? own(data, key) : undefined;
  }

  isGood(name: string): boolean {
    const { sync, health } = this.application(name);
    return sync === 'Synced' && health === 'Healthy';
  }

  /** Waits for events, not for time. Names that are done are not looked at again. */
  async until(what: string, names: readonly string[], isSo: (name: string) => boolean, within: number): Promise<void> {
    const open = new Set(names);
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        settle();
      };
      const look = (): void => {
        for (const name of open) {
          if (!isSo(name)) break;
          open.delete(name);
        }
        if (open.size === 0) end(resolve);
      };
      const timer = setTimeout(() => {
        end(() => {
          reject(
            this.#late(
              what,
              [...open].filter((name) => !isSo(name)),
              within,
            ),
          );
        });
      }, within);
      this.#waiting.add(look);
      look();
    });
  }

  #late(what: string, left: readonly string[], within: number): Error {
    const [first = ''] = left;
    const shown = this.application(first);
    return new Error(
      `not within ${within / 1000} s: ${what}; ${left.length} are left, such as ${first}: ${shown.sync} ` +
        `${shown.health} ${shown.phase} ${shown.message} ${shown.conditions.join('; ')}\nthe controller ` +
        `says:\n${this.controller?.tail() ?? ''}`,
    );
  }

  /** Time, processor time and peak memory of the controller and its children while something is done. */
  async measure(work: () => Promise<void>): Promise<Measured> {
    const tree = new ProcessTree(this.controller?.pid ?? 0);
    tree.start();
    const begin = performance.now();
    await work();
    const seconds = (performance.now() - begin) / 1000;
    return { seconds, ...tree.stop() };
  }
}
