import { equal, isArray, isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { fromJson, toJson } from '../cel/index.js';
import { createWorkQueue, inProcessClient } from '../controller-runtime/index.js';
import { type LocalClient, keyFor, prefixOf, timestamp, toStored } from '../rest/index.js';
import { evaluate } from './expressions.js';
import { KindWatches } from './kind-watches.js';
import { StageError } from './stage-error.js';
import type { StageHost } from './start-stages.js';
import { fill } from './templates.js';
import type { View } from './view.js';
import type { WorkQueue } from '../../model/queue/index.js';

/** Serves views. Their objects are kept like others, so that they are listed, selected and watched like others. */
export function startViews(host: StageHost, views: readonly View[]): { close(): void } {
  const running = views.map((view) => new ViewController(host, view));
  return {
    close() {
      for (const each of running) each.close();
    },
  };
}

class ViewController {
  readonly #client: LocalClient;
  readonly #queue: WorkQueue;
  readonly #watches: KindWatches;
  /** The objects that each source gave, by the names of both. */
  readonly #written = new Map<string, ReadonlySet<string>>();
  readonly #logged = new Set<string>();

  constructor(
    readonly host: StageHost,
    readonly view: View,
  ) {
    const { context, log } = host;
    const { type, of } = view;
    this.#client = inProcessClient(context, 'view');
    context.types.setCustom(`${type.plural}.${type.group}`, [type]);
    this.#queue = createWorkQueue(
      context.clock,
      (source) => this.#reconcile(source),
      (source, error) => this.#logOnce(`${source}: ${String(error)}`),
    );
    const changed = ({ metadata: { namespace = '', name = '' } }: KubeObject): void =>
      this.#queue.add(`${namespace}/${name}`);
    this.#watches = new KindWatches(
      { client: this.#client, clock: context.clock, log },
      (_, { object }) => changed(object),
      () => this.#removeOrphans(),
    );
    this.#watches.ensureWatched(of.group, of.kind);
  }

  close(): void {
    this.#watches.close();
    void this.#queue.close();
  }

  /** What is kept from an earlier run and whose source is gone, goes. */
  #removeOrphans(): void {
    const { of, type } = this.view;
    const served = this.#client.served(of.group, of.kind);
    if (served === undefined) return;
    const wanted = new Set(
      this.#client
        .list(served)
        .flatMap((source) => this.#objectsOf(source)?.map((object) => this.#keyOf(source, object)) ?? []),
    );
    for (const { key } of this.host.context.store.range(prefixOf(type)))
      if (!wanted.has(key)) this.#remove(key).catch((error: unknown) => this.#logOnce(String(error)));
  }

  async #reconcile(source: string): Promise<void> {
    const [namespace = '', name = ''] = source.split('/');
    const served = this.#client.served(this.view.of.group, this.view.of.kind);
    const self = served && this.#client.get(served, namespace, name);
    const objects = self === undefined ? [] : this.#objectsOf(self);
    if (objects === undefined) return;
    const before = this.#written.get(source) ?? new Set();
    const wanted = new Map(objects.map((object) => [this.#keyOf(self, object), object]));
    if (wanted.size === 0) this.#written.delete(source);
    else this.#written.set(source, new Set(wanted.keys()));
    await Promise.all([
      ...[...wanted].map(([key, object]) => this.#write(key, object, self)),
      ...[...before].filter((key) => !wanted.has(key)).map((key) => this.#remove(key)),
    ]);
  }

  /** Undefined where the view has no result for this source; then the last one stays. */
  #objectsOf(self: KubeObject): JsonObject[] | undefined {
    const values = new Map([['self', fromJson(self)]]);
    try {
      const list = toJson(evaluate(this.view.each, values));
      if (!isArray(list)) throw new StageError('each gives no list');
      return list
        .map((item) => fill(this.view.object, { values: new Map([...values, ['item', fromJson(item)]]) }))
        .filter((object) => isObject(object) && viewName(object) !== '') as JsonObject[];
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
      this.#logOnce(`${self.kind} ${self.metadata.namespace ?? ''}/${self.metadata.name ?? ''}: ${error.message}`);
      return undefined;
    }
  }

  #keyOf(self: KubeObject | undefined, object: JsonObject): string {
    return keyFor(this.view.type, self?.metadata.namespace ?? '', viewName(object));
  }

  async #write(key: string, object: JsonObject, self: KubeObject | undefined): Promise<void> {
    const { context } = this.host;
    const { type } = this.view;
    const head = context.store.head(key);
    const metadata = isObject(object.metadata) ? object.metadata : {};
    const before = head?.object.metadata;
    const next = toStored(type, {
      ...object,
      apiVersion: type.storedApiVersion,
      kind: type.kind,
      metadata: {
        creationTimestamp: before?.creationTimestamp ?? timestamp(context.clock.now()),
        uid: before?.uid ?? context.newUid(),
        ...metadata,
        ...(type.namespaced ? { namespace: self?.metadata.namespace ?? '' } : {}),
        ...(before?.resourceVersion === undefined ? {} : { resourceVersion: before.resourceVersion }),
      },
    });
    if (head === undefined || !equal(next, head.object)) await context.store.write(key, head, () => next);
  }

  async #remove(key: string): Promise<void> {
    const head = this.host.context.store.head(key);
    if (head !== undefined) await this.host.context.store.remove(key, head, () => head.object);
  }

  #logOnce(sentence: string): void {
    const line = `view ${this.view.type.kind}: ${sentence}`;
    if (!this.#logged.has(line)) this.host.log.warn(line);
    this.#logged.add(line);
  }
}

/** A name as a path can have it; nothing where it could not be asked for. */
function viewName(object: JsonObject): string {
  const name = isObject(object.metadata) ? object.metadata['name'] : undefined;
  return typeof name === 'string' && !/[/%]/.test(name) && name !== '.' && name !== '..' ? name : '';
}
