import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import { isObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import { ClusterError, WatchCache, type Cluster, type ClientDependencies } from '../../cluster/index.js';
import type { EventRecorder } from '../telemetry/index.js';
import { createWorkQueue } from '../queue/index.js';
import { compose, validateSpec, type Composition, type ConfigMapData, type SpecValidation } from './compose.js';
import { conditionsOf, writeConditions, type SettingsCondition } from './conditions.js';
import { MAPS, type MapName } from './entry.js';
import { nextMap, ownData, type MapAction } from './next-map.js';
import { OtherOperator } from './other-operator.js';
import { ARGOCDS, CONFIG_MAPS } from '../../model/resources/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

export interface SettingsOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  /** The only namespace that may be read; undefined where all may. */
  readonly namespace: string | undefined;
  readonly events: EventRecorder;
  readonly log: Logger;
  /** Whether this process leads and delivers: nothing is written by another. */
  readonly mayWrite: () => boolean;
}

const WORKERS = 2;
const RETRY_DELAY = 5000;
const CONFLICT_DELAY = 50;

/** Read only if there is an ArgoCD object. */
interface Watches {
  readonly maps: ReadonlyMap<MapName, WatchCache>;
  readonly otherOperator: OtherOperator;
}

/**
 * Keeps the ConfigMaps of every ArgoCD object in sync with it and reverts edits of others. The queue key is a
 * namespace.
 */
export class SettingsOperator {
  readonly #options: SettingsOptions;
  readonly #queue: WorkQueue;
  readonly #argocds: WatchCache;
  /** What we wrote last, by namespace, and for which ArgoCD. */
  readonly #written = new Map<string, { readonly uid: string; readonly maps: Map<MapName, ConfigMapData> }>();
  #watches: Watches | undefined;
  /** By namespace, of which version of which object. */
  readonly #validated = new Map<string, { readonly of: string; readonly judgement: SpecValidation }>();
  /** The operator that manages the settings of a namespace. */
  readonly #leftTo = new Map<string, string>();

  constructor(options: SettingsOptions) {
    const { cluster, world, log } = options;
    this.#options = options;
    this.#queue = createWorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      reconcile: (namespace) => this.#reconcileNamespace(namespace),
      report: (namespace, error) => {
        log.warn('settings cannot be written', { object: `Namespace ${namespace}`, error });
      },
    });
    this.#argocds = new WatchCache(cluster, ARGOCDS, world, this.#scope);
    this.#argocds.subscribe((change) => {
      this.#enqueue((change.type === 'deleted' ? change.old : change.object).metadata.namespace ?? '');
    });
  }

  open(): void {
    this.#enqueueAll();
    this.#queue.open();
  }

  async pause(): Promise<void> {
    await this.#queue.pause();
    // Another leader writes in the meantime: our memory is no longer current.
    this.#written.clear();
  }

  async close(): Promise<void> {
    this.#argocds.close();
    for (const cache of this.#watches?.maps.values() ?? []) cache.close();
    this.#watches?.otherOperator.close();
    await this.#queue.close();
  }

  get #scope(): { readonly namespace?: string } {
    return this.#options.namespace === undefined ? {} : { namespace: this.#options.namespace };
  }

  #enqueue(namespace: string): void {
    this.#queue.add(namespace, 'user');
  }

  #enqueueAll(): void {
    for (const namespace of new Set(this.#argocds.list().map(({ metadata }) => metadata.namespace ?? '')))
      this.#enqueue(namespace);
  }

  async #reconcileNamespace(namespace: string): Promise<void> {
    await this.#argocds.waitForSync();
    const [argocd, ...others] = this.#argocds
      .list({ namespace })
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort(byAge);
    if (argocd === undefined) {
      this.#written.delete(namespace);
      this.#validated.delete(namespace);
      return;
    }
    if (!this.#options.mayWrite()) {
      this.#queue.addAfter(namespace, RETRY_DELAY, 'timer');
      return;
    }
    const watches = await this.#open();
    if (this.#yieldsToOther(argocd, watches)) return;
    try {
      await this.#reconcile(argocd, watches);
      for (const other of others) await this.#writeStatus(other, [duplicateCondition(argocd)]);
    } catch (error) {
      // A conflict: the new version is about to arrive.
      if (!(error instanceof ClusterError) || !error.isConflict) throw error;
      this.#queue.addAfter(namespace, CONFLICT_DELAY, 'event');
    }
  }

  async #open(): Promise<Watches> {
    const { cluster, world } = this.#options;
    this.#watches ??= {
      maps: new Map(
        MAPS.map((name) => {
          const cache = new WatchCache(cluster, CONFIG_MAPS, world, {
            ...this.#scope,
            fieldSelector: `metadata.name=${name}`,
          });
          cache.subscribe((change) => {
            this.#enqueue((change.type === 'deleted' ? change.old : change.object).metadata.namespace ?? '');
          });
          return [name, cache];
        }),
      ),
      otherOperator: new OtherOperator(cluster, world, () => {
        this.#enqueueAll();
      }),
    };
    const { maps, otherOperator } = this.#watches;
    await Promise.all([...[...maps.values()].map((cache) => cache.waitForSync()), otherOperator.waitForSync()]);
    const unread = [...maps.values()].find(({ status }) => status.lists === 0);
    if (unread !== undefined)
      throw new Fault('CLUSTER_REFUSED', `${unread.kind.plural} cannot be read: ${unread.status.reason}`);
    return this.#watches;
  }

  /** Two writers would undo each other's work. */
  #yieldsToOther(argocd: KubeObject, { otherOperator: { running } }: Watches): boolean {
    const { namespace = '' } = argocd.metadata;
    if (running === undefined) {
      this.#leftTo.delete(namespace);
      return false;
    }
    if (this.#leftTo.get(namespace) !== running) {
      this.#leftTo.set(namespace, running);
      this.#written.delete(namespace);
      this.#options.events.record(
        argocd,
        'SettingsLeft',
        `the Argo CD operator manages the settings, running as ${running}: Argosy takes over when it is gone`,
      );
    }
    return true;
  }

  async #reconcile(argocd: KubeObject, { maps }: Watches): Promise<void> {
    const namespace = argocd.metadata.namespace ?? '';
    const live = (name: MapName): KubeObject | undefined => maps.get(name)?.get(namespace, name);
    const written = this.#writtenFor(argocd);
    const before = new Map(
      MAPS.flatMap((name) => {
        const data = written.get(name) ?? ownData(live(name));
        return data === undefined ? [] : [[name, data] as const];
      }),
    );
    const composition = compose(this.#validate(argocd), before);
    const problems: string[] = [];
    for (const name of MAPS) {
      const wanted = composition.data.get(name) ?? new Map();
      const step = nextMap({
        name,
        argocd,
        wanted,
        entries: composition.entries.get(name) ?? new Map(),
        live: live(name),
        written: written.get(name),
      });
      const problem = await this.#applyAction(step, live(name), maps.get(name));
      if (problem === undefined) written.set(name, wanted);
      else problems.push(`${name}: ${problem}`);
    }
    await this.#writeStatus(argocd, [reconciledCondition(problems, composition), ...conditionsOf(composition)]);
  }

  #validate(argocd: KubeObject): SpecValidation {
    const { namespace = '', uid = '', generation = 0 } = argocd.metadata;
    const known = this.#validated.get(namespace);
    if (known?.of === `${uid}/${generation}`) return known.judgement;
    const judgement = validateSpec(argocd, () => this.#options.world.clock.now().getTime());
    this.#validated.set(namespace, { of: `${uid}/${generation}`, judgement });
    return judgement;
  }

  #writtenFor({ metadata: { namespace = '', uid = '' } }: KubeObject): Map<MapName, ConfigMapData> {
    const known = this.#written.get(namespace);
    if (known?.uid === uid) return known.maps;
    const maps = new Map<MapName, ConfigMapData>();
    this.#written.set(namespace, { uid, maps });
    return maps;
  }

  /** Returns the error if a retry would not help. */
  async #applyAction(
    step: MapAction,
    live: KubeObject | undefined,
    cache: WatchCache | undefined,
  ): Promise<string | undefined> {
    const { cluster, events } = this.#options;
    if (step.kind === 'same') return undefined;
    if (step.kind === 'refused') return step.message;
    try {
      const written = await this.#write(step, live, cluster);
      cache?.recordWrite(written);
      if (step.notice !== undefined) events.record(written, step.notice.reason, step.notice.message, 'Warning');
      return undefined;
    } catch (error) {
      if (!(error instanceof ClusterError) || error.isConflict || error.retry) throw error;
      return error.message;
    }
  }

  async #write(
    step: Extract<MapAction, { object: KubeObject }>,
    live: KubeObject | undefined,
    cluster: Cluster,
  ): Promise<KubeObject> {
    if (step.kind === 'update') return cluster.update(CONFIG_MAPS, step.object);
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = live?.metadata ?? {};
    // An immutable ConfigMap can only be recreated.
    if (step.kind === 'recreate') await cluster.remove(CONFIG_MAPS, { namespace, name }, { uid, resourceVersion });
    const { resourceVersion: _version, uid: _uid, creationTimestamp: _created, ...metadata } = step.object.metadata;
    return cluster.create(CONFIG_MAPS, { ...step.object, metadata });
  }

  async #writeStatus(argocd: KubeObject, conditions: readonly SettingsCondition[]): Promise<void> {
    const { cluster, world } = this.#options;
    const status = isObject(argocd.status) ? argocd.status : {};
    const now = formatTime(instantOf(world.clock.now().getTime()));
    const next = {
      ...status,
      phase: conditions.some(({ type, status: is }) => type === 'Reconciled' && is === 'False')
        ? 'Failed'
        : 'Available',
      conditions: writeConditions(conditions, status.conditions, argocd.metadata.generation ?? 0, now),
    };
    if (JSON.stringify(next) === JSON.stringify(status)) return;
    this.#argocds.recordWrite(await cluster.update(ARGOCDS, { ...argocd, status: next }, { subresource: 'status' }));
  }
}

function byAge(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name ?? '', b.metadata.name ?? '')
  );
}

function duplicateCondition({ metadata: { name = '' } }: KubeObject): SettingsCondition {
  return {
    type: 'Reconciled',
    status: 'False',
    reason: 'AnotherArgoCD',
    message:
      `the older ArgoCD ${name} manages the settings of this namespace: move them there and delete this ` +
      'one, or move this one to another namespace',
  };
}

function reconciledCondition(
  problems: readonly string[],
  { violations, fieldViolations }: Composition,
): SettingsCondition {
  if (problems.length > 0)
    return { type: 'Reconciled', status: 'False', reason: 'ErrorOccurred', message: problems.join('\n') };
  const left = violations.length + fieldViolations.length;
  return {
    type: 'Reconciled',
    status: 'True',
    reason: 'Success',
    message:
      `${MAPS.join(', ')} match the ` +
      `spec${left === 0 ? '' : `, except for the violations in ChecksValid and ValuesValid`}`,
  };
}
