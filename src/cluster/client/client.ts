import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type {
  ApplyOptions,
  CallOptions,
  Cluster,
  ListOptions,
  Page,
  PageOptions,
  Patch,
  RemoveOptions,
  Table,
  WatchOptions,
  WriteOptions,
} from './cluster.js';
import type { ClusterConfig, Environment, Impersonation } from '../config/index.js';
import { Limiter, type ClientDependencies } from '../timing/index.js';
import { ClusterError, unreachable, Credentials, RestClient, type ApiRequest, Transport } from '../transport/index.js';
import { discover } from './discovery.js';
import { EXEC_PROTOCOLS, execPath, execSession, type ExecSession, type ExecTarget } from './exec-session.js';
import { followLines } from './follow-lines.js';
import { redactSecretValues } from './redact-secret-values.js';
import { type ObjectId, apiVersionOf, collectionPath, kindText, objectPath, withQuery } from './resource-kind.js';
import type { ResourceRef } from '../../model/resources/index.js';
import { followWatch, type WatchHandlers } from './watch-stream.js';

export interface ConnectOptions {
  /** Sent as user agent, `argosy/<version>`. */
  readonly version: string;
  /** Of this process: an exec plugin inherits it. */
  readonly environment: Environment;
  /** Refuses every request that could change something; dry runs pass. */
  readonly readOnly?: boolean;
  /** Requests at a time; watches do not count. */
  readonly inFlight?: number;
  /** Gets every change that the server has made; dry runs are none. `close` waits for it; it must not fail. */
  readonly onChange?: (change: WrittenChange) => Promise<void>;
}

/** A change that a server has made for this client. */
export interface WrittenChange {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** What was changed, as the server answered; of what was deleted no more than what names it. */
  readonly object: KubeObject;
  /** What was sent; nothing for a deletion. */
  readonly body?: Json;
}

const FIELD_MANAGER = 'argosy';
const MAX_IN_FLIGHT = 32;
export const PAGE_SIZE = 500;
const MAX_WATCH_SECONDS = 600;

/** Prepares a client; nothing is sent before the first call. */
export function connect(config: ClusterConfig, dependencies: ClientDependencies, options: ConnectOptions): Cluster {
  const transport = new Transport(
    config,
    new Credentials(config, dependencies.clock, options.environment),
    `argosy/${options.version}`,
  );
  return new HttpCluster(
    config,
    new RestClient(transport, dependencies, new Limiter(options.inFlight ?? MAX_IN_FLIGHT)),
    options.readOnly ?? false,
    options.onChange,
  );
}

class HttpCluster implements Cluster {
  readonly server: string;
  readonly context: string;
  readonly namespace: string;
  readonly #recording = new Set<Promise<void>>();

  constructor(
    config: Pick<ClusterConfig, 'server' | 'context' | 'namespace'>,
    readonly requester: RestClient,
    readonly readOnly: boolean,
    readonly onChange: ConnectOptions['onChange'],
  ) {
    this.server = config.server;
    this.context = config.context;
    this.namespace = config.namespace;
  }

  discover(): ReturnType<Cluster['discover']> {
    return discover(this.requester);
  }

  async get(
    kind: ResourceRef,
    id: ObjectId,
    options: CallOptions & { readonly subresource?: string } = {},
  ): Promise<KubeObject | undefined> {
    try {
      return asObject(
        await this.requester.json({
          ...requestOptions(options),
          method: 'GET',
          path: objectPath(kind, id, options.subresource),
          isRepeatable: true,
        }),
        kind,
      );
    } catch (error) {
      // Only a Status says that the object is missing; a bare 404 says that nothing is served there.
      if (error instanceof ClusterError && error.isNotFound && error.reason === 'NotFound') return undefined;
      throw error;
    }
  }

  async list(kind: ResourceRef, options: ListOptions = {}): Promise<{ items: KubeObject[]; resourceVersion: string }> {
    try {
      return await this.#allPages(kind, options);
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isExpired || options.pageSize === 0) throw error;
      return this.#allPages(kind, { ...options, pageSize: 0 });
    }
  }

  async #allPages(kind: ResourceRef, options: ListOptions): Promise<{ items: KubeObject[]; resourceVersion: string }> {
    const items: KubeObject[] = [];
    for (let token = ''; ; ) {
      const page = await this.page(kind, { ...options, continue: token });
      for (const item of page.items) items.push(item);
      if (page.continue === '') return { items, resourceVersion: page.resourceVersion };
      token = page.continue;
    }
  }

  async page(kind: ResourceRef, options: PageOptions = {}): Promise<Page> {
    const path = withQuery(collectionPath(kind, options.namespace), {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: (options.pageSize ?? PAGE_SIZE) || undefined,
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
    });
    return readPage(
      await this.requester.json({ ...requestOptions(options), method: 'GET', path, isRepeatable: true }),
      kind,
      this.requester.transport.host,
    );
  }

  async table(kind: ResourceRef, options: ListOptions = {}): Promise<Table> {
    const path = withQuery(collectionPath(kind, options.namespace), {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    });
    return readTable(
      await this.requester.json({
        ...requestOptions(options),
        method: 'GET',
        path,
        accept: AS_TABLE,
        isRepeatable: true,
      }),
      kind,
      this.requester.transport.host,
    );
  }

  create(kind: ResourceRef, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const { namespace, name } = object.metadata;
    const path =
      options.subresource === undefined || name === undefined
        ? collectionPath(kind, namespace)
        : objectPath(kind, { namespace, name }, options.subresource);
    return this.#write(kind, options, { method: 'POST', path, body: object, isRepeatable: false });
  }

  async update(kind: ResourceRef, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    if ((object.metadata.resourceVersion ?? '') === '') {
      throw new Fault('VALUE_INVALID', 'an update must carry the resourceVersion that the object was read with', {
        where: objectText(kind, object),
      });
    }
    return this.#write(kind, options, {
      method: 'PUT',
      path: objectPath(kind, idOf(kind, object), options.subresource),
      body: object,
      isRepeatable: true,
    });
  }

  patch(kind: ResourceRef, id: ObjectId, patch: Patch, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write(kind, options, {
      method: 'PATCH',
      path: objectPath(kind, id, options.subresource),
      body: patch.body,
      contentType: PATCH_TYPES[patch.type],
      isRepeatable: isConditional(patch),
    });
  }

  apply(kind: ResourceRef, object: KubeObject, options: ApplyOptions = {}): Promise<KubeObject> {
    const body: KubeObject =
      options.uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid: options.uid } };
    return this.#write(
      kind,
      options,
      {
        method: 'PATCH',
        path: objectPath(kind, idOf(kind, object), options.subresource),
        body,
        contentType: 'application/apply-patch+yaml',
        isRepeatable: true,
      },
      { force: options.force === true },
    );
  }

  async remove(kind: ResourceRef, id: ObjectId, options: RemoveOptions): Promise<'gone' | 'deleting'> {
    const { uid, resourceVersion, propagation, gracePeriodSeconds, dryRun } = options;
    const body: JsonObject = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
    };
    this.#mayWrite('DELETE', dryRun === true);
    try {
      const answer = await this.requester.json({
        ...requestOptions(options),
        method: 'DELETE',
        path: objectPath(kind, id),
        body: writeJson(body),
        isRepeatable: true,
      });
      if (dryRun !== true)
        this.#record({
          verb: 'delete',
          object: {
            apiVersion: apiVersionOf(kind),
            kind: kind.kind,
            metadata: { name: id.name, uid, ...(id.namespace === undefined ? {} : { namespace: id.namespace }) },
          },
        });
      return answer.kind === 'Status' ? 'gone' : 'deleting';
    } catch (error) {
      if (error instanceof ClusterError && error.isNotFound && error.reason === 'NotFound') return 'gone';
      throw error;
    }
  }

  watch(
    kind: ResourceRef,
    options: WatchOptions,
    handlers: WatchHandlers,
    signal: AbortSignal,
  ): ReturnType<Cluster['watch']> {
    const path = withQuery(collectionPath(kind, options.namespace), {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: options.resourceVersion,
      timeoutSeconds: options.seconds ?? MAX_WATCH_SECONDS,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    });
    return followWatch(this.requester, path, handlers, signal, options.limits);
  }

  document(path: string, options: CallOptions = {}): Promise<Json> {
    return this.requester.json({ ...requestOptions(options), method: 'GET', path, isRepeatable: true });
  }

  text(path: string, options: CallOptions = {}): Promise<string> {
    return this.requester.text({ ...requestOptions(options), method: 'GET', path, accept: '*/*', isRepeatable: true });
  }

  post(path: string, body: string, options: CallOptions = {}): Promise<string> {
    this.#mayWrite('POST', false);
    return this.requester.text({
      ...requestOptions(options),
      method: 'POST',
      path,
      body,
      accept: '*/*',
      isRepeatable: false,
    });
  }

  lines(path: string, take: (line: string) => void, signal: AbortSignal): Promise<void> {
    return followLines(this.requester, path, take, signal);
  }

  async exec(target: ExecTarget, take: (bytes: Buffer) => void): Promise<ExecSession> {
    this.#mayWrite('exec', false);
    return execSession(await this.requester.socket(execPath(target), EXEC_PROTOCOLS), take);
  }

  as(user: Impersonation): Cluster {
    return new HttpCluster(this, this.requester.as(user), this.readOnly, this.onChange);
  }

  async close(): Promise<void> {
    await Promise.all(this.#recording);
    await this.requester.close();
  }

  #record(change: WrittenChange): void {
    const recorded = this.onChange?.(change).finally(() => this.#recording.delete(recorded as Promise<void>));
    if (recorded !== undefined) this.#recording.add(recorded);
  }

  async #write(
    kind: ResourceRef,
    options: WriteOptions,
    call: { method: 'POST' | 'PUT' | 'PATCH'; path: string; body: Json; contentType?: string; isRepeatable: boolean },
    query: { force?: boolean } = {},
  ): Promise<KubeObject> {
    this.#mayWrite(call.method, options.dryRun === true);
    const path = withQuery(call.path, {
      fieldManager: FIELD_MANAGER,
      dryRun: options.dryRun === true ? 'All' : undefined,
      fieldValidation: options.fieldValidation,
      ...query,
    });
    try {
      const object = asObject(
        await this.requester.json({ ...requestOptions(options), ...call, path, body: writeJson(call.body) }),
        kind,
      );
      if (options.dryRun !== true) this.#record({ verb: VERBS[call.method], object, body: call.body });
      return object;
    } catch (error) {
      throw error instanceof ClusterError ? redactSecretValues(error, kind) : error;
    }
  }

  #mayWrite(method: string, isDryRun: boolean): void {
    if (this.readOnly && !isDryRun)
      throw new Fault('CLUSTER_REFUSED', `this connection is read-only: ${method} was not sent`, {
        where: this.server,
      });
  }
}

const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch' } as const;

const AS_TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} as const;

function requestOptions({ signal, limits }: CallOptions): Pick<ApiRequest, 'signal' | 'limits'> {
  return { signal, ...(limits === undefined ? {} : { limits }) };
}

/** A patch that names the version or the object it is for cannot do harm when it is sent twice. */
function isConditional(patch: Patch): boolean {
  return (
    patch.type !== 'json' &&
    isObject(patch.body.metadata) &&
    typeof own(patch.body.metadata, 'resourceVersion') === 'string'
  );
}

function idOf(kind: ResourceRef, object: KubeObject): ObjectId {
  const { namespace, name } = object.metadata;
  if (name === undefined || name === '')
    throw new Fault('VALUE_INVALID', 'the object has no name', { where: kindText(kind) });
  return { namespace, name };
}

function objectText(kind: ResourceRef, object: KubeObject): string {
  return [kindText(kind), object.metadata.namespace, object.metadata.name]
    .filter((part) => part !== undefined)
    .join('/');
}

/** List items of built-in kinds come without apiVersion and kind; objects always have them here. */
function asObject(value: JsonObject, kind: ResourceRef): KubeObject {
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const object =
    typeof value.kind === 'string' && typeof value.apiVersion === 'string'
      ? value
      : { apiVersion: apiVersionOf(kind), kind: kind.kind, ...value };
  return (isObject(value.metadata) ? object : { ...object, metadata }) as KubeObject;
}

function readPage(answer: JsonObject, kind: ResourceRef, host: string): Page {
  const metadata = isObject(answer.metadata) ? answer.metadata : undefined;
  // Go writes an empty list as null.
  const items = answer.items === null ? [] : answer.items;
  if (metadata === undefined || !isArray(items))
    throw unreachable(host, `the response is not a list of ${kindText(kind)}`);
  return {
    items: items.filter(isObject).map((item) => asObject(item, kind)),
    // Extension servers without storage, such as metrics, have no versions.
    resourceVersion: typeof metadata.resourceVersion === 'string' ? metadata.resourceVersion : '',
    continue: typeof metadata.continue === 'string' ? metadata.continue : '',
  };
}

function readTable(answer: JsonObject, kind: ResourceRef, host: string): Table {
  if (answer.kind !== 'Table' || !isArray(answer.columnDefinitions))
    throw unreachable(host, `the response is not a table of ${kindText(kind)}`);
  const rows = isArray(answer.rows) ? answer.rows.filter(isObject) : [];
  return {
    columns: answer.columnDefinitions.map((column) =>
      isObject(column) && typeof column.name === 'string' ? column.name : '',
    ),
    rows: rows.map(({ object, cells }) => {
      const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {};
      const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
      return { namespace: text(metadata.namespace), name: text(metadata.name), cells: isArray(cells) ? cells : [] };
    }),
  };
}
