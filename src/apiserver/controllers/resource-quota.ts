import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  amountsAt,
  only,
  sameAmounts,
  toList,
  type Amounts,
  type Measure,
  evaluatorOf,
  resourceOfQuotaName,
  usedOf,
} from '../admission/index.js';
import { ApiError } from '../errors/index.js';
import type { ResourceName } from '../rest/index.js';
import { createWorkQueue, type Controller, type ControllerHost } from '../controller-runtime/index.js';

const QUOTAS: ResourceName = { group: '', plural: 'resourcequotas' };

/** Keeps status.hard and status.used of every ResourceQuota current. Only resources that a quota names are watched. */
export const RESOURCE_QUOTA: Controller = {
  name: 'resourcequota-controller',
  start(host) {
    const usage = new QuotaUsage(host);
    const queue = createWorkQueue(
      host.clock,
      async (key) => {
        const again = await usage.bringUpToDate(key);
        if (again !== undefined) queue.addAfter(key, again);
      },
      (key, error) => {
        // A quota that goes away meanwhile is everyday.
        if (!(error instanceof ApiError)) host.log.error(`resourcequota-controller: ${key}`, { error });
      },
    );
    const addNamespace = (namespace: string): void => {
      for (const { metadata } of host.client.list(QUOTAS, namespace)) queue.add(`${namespace}/${metadata.name ?? ''}`);
    };
    const watches = new ResourceWatches(host, addNamespace);
    const quotas = host.client.watch(QUOTAS, ({ type, object }) => {
      const { namespace = '', name = '' } = object.metadata;
      if (type === 'DELETED') return addNamespace(namespace);
      watches.need(resourcesOf(object));
      queue.add(`${namespace}/${name}`);
    });
    return {
      close() {
        quotas.close();
        watches.close();
        void queue.close();
      },
    };
  },
};

function resourcesOf(quota: KubeObject): ResourceName[] {
  return [...amountsAt(quota, 'spec.hard').keys()].flatMap((name) => resourceOfQuotaName(name) ?? []);
}

/** Watches that start when the first quota needs them, or when the resource appears. */
class ResourceWatches {
  readonly #wanted = new Map<string, ResourceName>();
  readonly #running = new Map<string, { close(): void }>();
  readonly #served = new Set<string>();
  readonly #resources: { close(): void };

  constructor(
    readonly host: ControllerHost,
    readonly onChange: (namespace: string) => void,
  ) {
    this.#resources = host.client.onResources((of) => {
      this.#served.add(idOf(of));
      this.#start(of);
    });
  }

  need(resources: readonly ResourceName[]): void {
    for (const of of resources) {
      this.#wanted.set(idOf(of), of);
      this.#start(of);
    }
  }

  #start(of: ResourceName): void {
    const id = idOf(of);
    if (this.#running.has(id) || !this.#wanted.has(id) || !this.#served.has(id)) return;
    // Changes of quotas themselves come by their own watch.
    if (id === idOf(QUOTAS)) return;
    this.#running.set(
      id,
      this.host.client.watch(of, ({ object }) => this.onChange(object.metadata.namespace ?? '')),
    );
  }

  close(): void {
    this.#resources.close();
    for (const watch of this.#running.values()) watch.close();
  }
}

function idOf({ group, plural }: ResourceName): string {
  return `${group}/${plural}`;
}

class QuotaUsage {
  /** Each state of an object is measured once. */
  readonly #measures = new WeakMap<KubeObject, Measure>();

  constructor(readonly host: ControllerHost) {}

  /** Milliseconds until the usage changes by itself, if it will. */
  async bringUpToDate(key: string): Promise<number | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const quota = this.host.client.get(QUOTAS, namespace, name);
    if (!quota) return undefined;
    const hard = amountsAt(quota, 'spec.hard');
    const { used, until } = this.#compute(quota, namespace, [...hard.keys()]);
    if (!sameAmounts(hard, amountsAt(quota, 'status.hard')) || !sameAmounts(used, amountsAt(quota, 'status.used'))) {
      await this.host.client.edit(
        QUOTAS,
        namespace,
        name,
        (copy) => {
          const status: JsonObject = { hard: toList(hard), used: toList(used) };
          copy['status'] = status;
        },
        'status',
      );
    }
    return until === undefined ? undefined : Math.max(0, until - this.host.clock.now().getTime()) + 1;
  }

  #compute(
    quota: KubeObject,
    namespace: string,
    names: readonly string[],
  ): { used: Amounts; until: number | undefined } {
    const now = this.host.clock.now();
    // A name that nothing is charged to keeps what it had.
    const used = new Map(only(amountsAt(quota, 'status.used'), names));
    const ends: number[] = [];
    for (const of of new Map(resourcesOf(quota).map((each) => [idOf(each), each])).values()) {
      const { matching, measure } = evaluatorOf(of.group, of.plural);
      const measures = this.#list(of, namespace).map((object) => this.#measure(object, measure));
      for (const { until } of measures) if (until !== undefined && until >= now.getTime()) ends.push(until);
      for (const [name, quantity] of usedOf(quota, measures, matching(names), now)) used.set(name, quantity);
    }
    return { used, until: ends.length === 0 ? undefined : Math.min(...ends) };
  }

  #list(of: ResourceName, namespace: string): KubeObject[] {
    try {
      return this.host.client.list(of, namespace);
    } catch (error) {
      // A quota may count a resource that nothing serves yet.
      if (error instanceof ApiError && error.code === 404) return [];
      throw error;
    }
  }

  #measure(object: KubeObject, measure: (object: KubeObject) => Measure): Measure {
    let known = this.#measures.get(object);
    if (!known) this.#measures.set(object, (known = measure(object)));
    return known;
  }
}
