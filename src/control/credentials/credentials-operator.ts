import { type ClientDependencies, type Cluster, ClusterError, WatchCache, kindText } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import type { FillRule } from '../../model/settings/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { EventRecorder } from '../telemetry/index.js';
import { createWorkQueue } from '../queue/index.js';
import { FILL_FROM_ANNOTATION, nextFill, findFillViolation, readFillRequest, type FillRequest } from './fill.js';
import { SECRETS } from '../../model/resources/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

export interface CredentialsOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly events: EventRecorder;
  readonly log: Logger;
  /** Whether this process leads and delivers: nothing is written by another. */
  readonly mayWrite: () => boolean;
  /** The administrator's list, as it is now. */
  readonly rules: () => readonly FillRule[];
}

const WORKERS = 2;
const RETRY_DELAY = 5000;
const CONFLICT_DELAY = 50;

/**
 * Fills Secrets from fields of other objects and keeps them so. Without an entry in the administrator's list it reads
 * no Secret at all.
 */
export class CredentialsOperator {
  readonly #options: CredentialsOptions;
  readonly #queue: WorkQueue;
  /** By namespace; the empty one stands for all. */
  readonly #secrets = new Map<string, WatchCache>();
  /** By kind and namespace. */
  readonly #sources = new Map<string, WatchCache>();
  /** The last message about each Secret, so that it is logged once. */
  readonly #reported = new Map<string, string>();

  constructor(options: CredentialsOptions) {
    const { world, log } = options;
    this.#options = options;
    this.#queue = createWorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      reconcile: (key) => this.#reconcile(key),
      report: (key, error) => {
        log.warn('credentials cannot be filled', { object: `Secret ${key}`, error });
      },
    });
    this.updateWatches();
  }

  open(): void {
    this.#enqueueAll();
    this.#queue.open();
  }

  async pause(): Promise<void> {
    await this.#queue.pause();
  }

  async close(): Promise<void> {
    for (const cache of [...this.#secrets.values(), ...this.#sources.values()]) cache.close();
    await this.#queue.close();
  }

  /** Watches the source objects of the rules and notifies on changes. */
  updateWatches(): void {
    const named = new Set(this.#options.rules().flatMap(({ to }) => to.namespaces));
    const wanted = [...named].some((namespace) => /[*?[\]{}\\]/.test(namespace)) ? new Set(['']) : named;
    for (const [namespace, cache] of this.#secrets) {
      if (wanted.has(namespace)) continue;
      cache.close();
      this.#secrets.delete(namespace);
    }
    for (const namespace of wanted)
      if (!this.#secrets.has(namespace)) this.#secrets.set(namespace, this.#watchSecrets(namespace));
    this.#enqueueAll();
  }

  #watchSecrets(namespace: string): WatchCache {
    const { cluster, world } = this.#options;
    const cache = new WatchCache(cluster, SECRETS, world, {
      ...(namespace === '' ? {} : { namespace }),
      keep: keepFillRequests,
    });
    cache.subscribe((change) => {
      const secret = change.type === 'deleted' ? change.old : change.object;
      if (secret.metadata.annotations?.[FILL_FROM_ANNOTATION] !== undefined) this.#queue.add(keyOf(secret), 'event');
    });
    return cache;
  }

  #enqueueAll(): void {
    for (const cache of this.#secrets.values()) {
      for (const secret of cache.list())
        if (secret.metadata.annotations?.[FILL_FROM_ANNOTATION] !== undefined) this.#queue.add(keyOf(secret), 'event');
    }
  }

  async #reconcile(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const secret = (this.#secrets.get(namespace) ?? this.#secrets.get(''))?.get(namespace, name);
    if (secret === undefined) {
      this.#reported.delete(key);
      return;
    }
    if (!this.#options.mayWrite()) {
      this.#queue.addAfter(key, RETRY_DELAY, 'timer');
      return;
    }
    try {
      await this.#fill(secret, key);
    } catch (error) {
      if (error instanceof ClusterError && error.isConflict) this.#queue.addAfter(key, CONFLICT_DELAY, 'event');
      else if (error instanceof Fault && !error.retry) this.#reportProblem(secret, key, error.message);
      else throw error;
    }
  }

  async #fill(secret: KubeObject, key: string): Promise<void> {
    const request = readFillRequest(secret);
    if (request === undefined) return;
    const violation = findFillViolation(request, secret, this.#options.rules());
    if (violation !== undefined) {
      this.#reportProblem(secret, key, violation);
      return;
    }
    const source = await this.#sourceOf(request);
    if (source === undefined) {
      this.#reportProblem(secret, key, `the cluster does not serve ${kindText(request.source)}`);
      this.#queue.addAfter(key, RETRY_DELAY, 'timer');
      return;
    }
    const step = nextFill(secret, request, source.get(request.source.namespace, request.source.name));
    if (step.kind === 'waits') this.#reportProblem(secret, key, step.message);
    if (step.kind !== 'fill') return;
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = secret.metadata;
    const written = await this.#options.cluster.patch(
      SECRETS,
      { namespace, name },
      { type: 'merge', body: { metadata: { uid, resourceVersion }, data: step.data } },
    );
    (this.#secrets.get(namespace) ?? this.#secrets.get(''))?.recordWrite(written);
    this.#reported.delete(key);
    this.#options.events.record(
      written,
      'CredentialsFilled',
      `${step.keys.join(', ')} filled from ${request.source.kind} ${request.source.namespace}/${request.source.name}`,
    );
  }

  /** A cache of the kind and namespace, read at least once; undefined where the cluster does not serve the kind. */
  async #sourceOf({ source: { group, kind, namespace } }: FillRequest): Promise<WatchCache | undefined> {
    const { cluster, world } = this.#options;
    const name = `${group}/${kind}/${namespace}`;
    let cache = this.#sources.get(name);
    if (cache === undefined) {
      const { kinds } = await cluster.discover();
      const served = kinds.filter((each) => each.group === group && each.kind === kind);
      const found = served.find(({ preferred }) => preferred) ?? served[0];
      if (found === undefined) return undefined;
      cache = new WatchCache(cluster, found, world, found.namespaced ? { namespace } : {});
      cache.subscribe(() => {
        this.#enqueueAll();
      });
      this.#sources.set(name, cache);
    }
    await cache.waitForSync();
    if (cache.status.lists === 0)
      throw new Fault('CLUSTER_REFUSED', `${cache.kind.plural} cannot be read: ${cache.status.reason}`);
    return cache;
  }

  #reportProblem(secret: KubeObject, key: string, message: string): void {
    if (this.#reported.get(key) === message) return;
    this.#reported.set(key, message);
    this.#options.events.record(secret, 'CredentialsNotFilled', message, 'Warning');
  }
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** Values of Secrets that want nothing are none of our business. */
function keepFillRequests(secret: KubeObject): KubeObject {
  const {
    apiVersion,
    kind,
    metadata: {
      name = '',
      namespace = '',
      uid = '',
      resourceVersion = '',
      annotations = {},
      managedFields: _fields,
      ...rest
    },
  } = secret;
  const request = annotations[FILL_FROM_ANNOTATION];
  if (request === undefined) return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } };
  return {
    apiVersion,
    kind,
    metadata: { ...rest, name, namespace, uid, resourceVersion, annotations: { [FILL_FROM_ANNOTATION]: request } },
    ...(secret.data === undefined ? {} : { data: secret.data }),
  };
}
