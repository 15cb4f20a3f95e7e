import { randomInt, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Fault } from '../model/faults/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import { handleUpgrades } from '../net/web-socket/index.js';
import { reportTo, type Logger } from '../model/logging/index.js';
import {
  AccessControl,
  adminKubeconfig,
  openPki,
  SERVER_HOSTS,
  type Pki,
  RbacIndex,
  ServiceAccountTokens,
} from './access/index.js';
import {
  reviewHandlers,
  Documents,
  requestHandler,
  Metrics,
  type SpecialHandlers,
  namespaceHandlers,
} from './http/index.js';
import { admissionPlugins } from './admission/index.js';
import { bootstrap } from './bootstrap.js';
import { startCrdController } from './controllers/index.js';
import { DataDirectory } from './data-directory.js';
import { inProcessClient } from './controller-runtime/index.js';
import { type Clock, fromStored, keyFor, type RestContext } from './rest/index.js';
import { builtinResourceTypes } from './kinds/index.js';
import { TypeCatalog } from './resources/index.js';
import {
  ContainerLogs,
  podHandlers,
  RunningContainers,
  PodNetworks,
  processSetup,
  requireWalls,
  type ContainerdVersion,
  type ProcessOptions,
  proxyHandlers,
} from './runtime/index.js';
import { openStore, type Store } from './store/index.js';
import type { Probes, Stage, StageHost } from './stages/index.js';

export interface ApiServerOptions {
  /** The data directory; made where it is missing. */
  readonly data: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly controllers: boolean;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Third-party controllers as data: a directory of stage files, or stages that have been read. */
  readonly stages?: string | readonly Stage[];
  /** A folder whose `controllers/NAME/` bring kinds and stages, all or some of them. */
  readonly world?: string | { readonly directory: string; readonly only: readonly string[] };
  /** What stages may ask of the world outside, by the name that their refs give. */
  readonly probes?: Probes;
  /** Images whose containers run as processes of this machine, confined; pods of all others are simulated. */
  readonly processes?: ProcessOptions;
  /** Whose words nodes speak that do not say which version of containerd they have. */
  readonly containerd?: ContainerdVersion;
}

export interface ApiServer {
  readonly url: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** The time of this machine. Timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Starts the server on loopback; resolves when it answers requests. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { clock = systemClock } = options;
  const log = options.log.child({ room: 'apiserver' });
  if (options.processes !== undefined) requireWalls(options.processes);
  const startPlayers = await loadStages(options);
  const data = new DataDirectory(options.data);
  await data.create();
  const store = await openStore({
    directory: data.store,
    onFault: (fault) => {
      log.error(`the store at ${fault.where} fails (${fault.hint})`, { error: fault });
    },
    onListenerError: (error, key) => {
      log.error('a watch failed at an event; the others go on', { object: key.replace(/^\/registry\//, ''), error });
    },
  });
  const running: { close(): void }[] = [];
  try {
    const pki = await openPki(data.pki, clock.now());
    const world = buildServerParts(store, pki, clock, log, options);
    running.push(...world.parts);
    await bootstrap(inProcessClient(world.context, 'kube-apiserver'));
    // Before the first request, so that the kinds of a world are served like those of Kubernetes.
    running.unshift(await startPlayers({ context: world.context, log, probes: options.probes ?? {} }));
    const { server, upgrades } = listener(world, pki, log);
    const port = await listen(server, options.port);
    const url = `https://127.0.0.1:${port}`;
    await data.writeKubeconfig(adminKubeconfig(pki, url));
    await data.writeRun({ pid: process.pid, api: url, started: clock.now().toISOString() });
    running.push(upgrades);
    if (options.controllers) running.unshift(await loadControllers(world, server, pki, log, options, url));
    return { url, kubeconfig: data.kubeconfig, close: () => stop(server, store, data, running) };
  } catch (error) {
    for (const part of running) part.close();
    await store.close();
    throw error;
  }
}

/** Loaded only now, because the server can answer without them. */
async function loadControllers(
  { context, logs, running, tokens, read, networks }: ServerParts,
  server: Server,
  pki: Pki,
  log: Logger,
  { processes, data, containerd }: ApiServerOptions,
  url: string,
): Promise<{ close(): void }> {
  const { startControllers } = await import('./controllers/start-controllers.js');
  const setup =
    processes &&
    processSetup(
      processes,
      { data, url, tokens, networks, accept: (connection) => server.emit('connection', connection) },
      (namespace, name) => read('', 'serviceaccounts', namespace, name),
    );
  return startControllers(context, log, {
    logs,
    running,
    tokens,
    authority: pki.authority,
    ...(setup === undefined ? {} : { processes: setup }),
    ...(containerd === undefined ? {} : { containerd }),
  });
}

/** Read before anything starts, so that a mistake in a stage fails the start. */
async function loadStages({
  stages = [],
  world,
}: ApiServerOptions): Promise<(host: StageHost) => Promise<{ close(): void }>> {
  if (stages.length === 0 && world === undefined) return () => Promise.resolve({ close: () => undefined });
  const { loadStagesAndWorld } = await import('./stages/load-stages-and-world.js');
  return loadStagesAndWorld(stages, world);
}

interface ServerParts {
  readonly context: RestContext;
  readonly access: AccessControl;
  /** What the containers of pods wrote. */
  readonly logs: ContainerLogs;
  readonly running: RunningContainers;
  readonly tokens: ServiceAccountTokens;
  /** The newest form of one object. */
  read(group: string, plural: string, namespace: string, name: string): KubeObject | undefined;
  readonly networks: PodNetworks;
  /** What must be closed with the server. */
  readonly parts: readonly { close(): void }[];
}

function buildServerParts(
  store: Store,
  pki: Pki,
  clock: Clock,
  log: Logger,
  { processes, data }: ApiServerOptions,
): ServerParts {
  const types = new TypeCatalog(builtinResourceTypes());
  const rbac = new RbacIndex(store);
  const admission: RestContext['admission'] = [];
  const context: RestContext = {
    ...{ store, types, clock, admission, subresources: new Map() },
    ...{ newUid: randomUUID, newSuffix, report: reportTo(log) },
  };
  const read = (group: string, plural: string, namespace: string, name: string) => {
    const type = types.preferred(group, plural);
    const stored = type && store.head(keyFor(type, namespace, name));
    return stored && fromStored(type, stored);
  };
  const tokens = new ServiceAccountTokens(
    pki.serviceAccountKey,
    () => clock.now(),
    (plural, namespace, name) => read('', plural, namespace, name),
  );
  const gate = new AccessControl(rbac, tokens);
  admission.push(...admissionPlugins(context, gate));
  const logs = new ContainerLogs(processes && join(data, 'pods'));
  return {
    context,
    access: gate,
    tokens,
    read,
    running: new RunningContainers(),
    networks: new PodNetworks(),
    logs,
    parts: [rbac, startCrdController(context)],
  };
}

// No vowels and no look-alikes, so that a generated name is never a word.
const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

function newSuffix(): string {
  return Array.from({ length: 5 }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join('');
}

function listener(
  { context, access, logs, running, networks }: ServerParts,
  pki: Pki,
  log: Logger,
): { readonly server: Server; readonly upgrades: { close(): void } } {
  const documents = new Documents(context.types, context.store);
  const special: SpecialHandlers = new Map([
    ...reviewHandlers(access),
    ...podHandlers(logs, running),
    ...proxyHandlers(networks.dial),
    ...namespaceHandlers(),
  ]);
  const handler = requestHandler({
    context,
    access,
    special,
    metrics: new Metrics(context.store, context.types),
    hosts: new Set<string>([...SERVER_HOSTS, '[::1]']),
    documents: (request, response, path, query) => documents.answer(request, response, path, query),
    onUnexpectedError: (error, request) => {
      log.error(`unexpected failure at ${request.method ?? ''} ${request.url ?? ''}`, { error });
    },
  });
  const server = createServer(
    {
      cert: pki.server.certificate,
      key: pki.server.key,
      ca: pki.authority,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 90_000,
    },
    handler,
  );
  return { server, upgrades: handleUpgrades(server, handler) };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Fault('PORT_BUSY', `port ${port} is in use`, { where: `127.0.0.1:${port}`, cause: error })
          : error,
      );
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function stop(
  server: Server,
  store: Store,
  data: DataDirectory,
  parts: readonly { close(): void }[],
): Promise<void> {
  for (const part of parts) part.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Watches never end by themselves.
  server.closeAllConnections();
  await closed;
  await store.close();
  await data.removeRun();
}
