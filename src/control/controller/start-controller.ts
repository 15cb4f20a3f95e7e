import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type ClientDependencies,
  type Cluster,
  ClusterError,
  clusterSecretConfig,
  connect,
} from '../../cluster/index.js';
import { NO_AUDIT, type Audit } from '../../audit/index.js';
import type { Catalogue } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { reportTo, type Logger } from '../../model/logging/index.js';
import { RenderCache, renderSource, type RenderRequest, type RenderResult } from '../../render/index.js';
import { openSources } from '../../source/index.js';
import type { Tools } from '../../tools/index.js';
import { generateSet } from '../generators/index.js';
import { startApplicationSets } from './start-application-sets.js';
import { ApplicationController } from './application-controller.js';
import {
  type ReconcileContext,
  openReconcileContext,
  type ChangeHandler,
  type ReconcileContextOptions,
} from '../delivery/index.js';
import { UnchangedCache } from '../cache/index.js';
import { SINGLE_SHARD, type Shard } from './shards.js';
import { registerApplicationMetrics, registerAuditMetrics } from '../telemetry/index.js';
import { ControlServices, ChangeFeed } from '../services/index.js';
import {
  inspectApplication,
  type InspectOptions,
  type Inspection,
  renderLocalManifests,
  type LocalFiles,
} from '../inspect/index.js';
import { installCrds, readCrds, servesOurKinds } from './install-crds.js';
import type { CredentialsOperator } from '../credentials/index.js';
import { startCredentials } from './start-credentials.js';
import { startMetricsServer } from './metrics-server.js';
import { startNotebooks } from './start-notebooks.js';
import type { NotebookOperator } from '../notebook/index.js';
import { DeliveryLog } from '../notify/index.js';
import { isPlainDirectory, RenderPool } from '../manifests/index.js';
import { startSettings } from './start-settings.js';
import { LeaderGate } from './leader-gate.js';
import { NAMESPACES } from '../../model/resources/index.js';

/** Options of a controller and of one-off reads. */
export interface DeliveryOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** For mirrors and caches; no other process uses it. */
  readonly data: string;
  readonly catalogue: Catalogue;
  /** The program of a render process. */
  readonly renderWorker: URL;
  readonly tools?: Tools;
  readonly remoteHosts: readonly string[];
  /** Folders of this machine whose repositories may be read; the data directory never is. */
  readonly fileRepositories: readonly string[];
  /** Beside `data`: folders with secrets, whose repositories are not read. */
  readonly privateFolders?: readonly string[];
  readonly isReadOnly: boolean;
  readonly log: Logger;
  /** What is changed and refused; nothing is recorded without it. */
  readonly audit?: Audit;
}

export interface StartOptions extends DeliveryOptions {
  /** The folder of the CustomResourceDefinitions. */
  readonly crds: string;
  /** The folder of the program that runs notebooks in their pods. */
  readonly runner: string;
  /** Of this process in the leader election; the same after a restart in the same data directory. */
  readonly identity: string;
  readonly takesOver: boolean;
  /** The part of the applications that this process reconciles; all of them by default. */
  readonly shard?: Shard;
  readonly metricsPort: number;
  /** The address that metrics are served on; loopback by default. */
  readonly metricsHost?: string;
}

export interface RunningController {
  readonly metricsUrl: string;
  /** For the API and the CLI. */
  readonly services: ControlServices;
  close(): Promise<void>;
}

const RENDER_LIMITS = { workers: 1, milliseconds: 60_000, megabytes: 512 };

/** Installs what is missing, then delivers until it is closed. */
export async function startController(options: StartOptions): Promise<RunningController> {
  const { cluster, namespace, log, isReadOnly, shard = SINGLE_SHARD } = options;
  if (!isReadOnly) {
    await ensureNamespace(cluster, namespace);
    await ensureDefinitions(options);
  }
  const renderer = openRenderPool(options);
  const [notebooks, settings, credentials, sets] = [
    new LeaderGate(),
    new LeaderGate(),
    new LeaderGate(),
    new LeaderGate(),
  ];
  const gates = [notebooks, settings, credentials, sets];
  let filler: CredentialsOperator | undefined;
  let notebookOperator: NotebookOperator | undefined;
  try {
    const openUnchanged = (): Promise<UnchangedCache> =>
      UnchangedCache.open({
        path: join(options.data, 'settled.json'),
        clock: options.world.clock,
        report: reportTo(log),
      });
    const openDeliveryLog = (): Promise<DeliveryLog> => DeliveryLog.open(join(options.data, 'notified'), reportTo(log));
    const controller = await ApplicationController.start({
      ...reconcileContextOptions(options, renderer),
      openUnchanged,
      openDeliveryLog,
      identity: options.identity,
      shard,
      isReadOnly,
      takesOver: options.takesOver,
      onLeadership: (leads) => {
        for (const gate of gates) gate.setLeading(leads);
      },
      onSettings: () => {
        filler?.updateWatches();
        notebookOperator?.settingsChanged();
      },
    });
    const stop = (): Promise<void> => closeAll(controller, gates, renderer.pool);
    try {
      // Operators are not sharded: they run beside the first shard.
      if (!isReadOnly && shard.index === 0)
        await Promise.all([
          notebooks.start(async () => (notebookOperator = await startNotebooks(options, controller))),
          settings.start(() => startSettings(options, controller)),
          credentials.start(() => Promise.resolve((filler = startCredentials(options, controller)))),
          sets.start(() => startApplicationSets(options, controller)),
        ]);
      controller.metrics.read('argosy_renders_total', 'counter', 'Renders since the start, without cache hits.', () => [
        [{}, renderer.count] as const,
      ]);
      controller.metrics.read(
        'argosy_delivering',
        'gauge',
        'Whether this process delivers: it leads, and may write.',
        () => [[{}, controller.state.isDelivering ? 1 : 0] as const],
      );
      registerAuditMetrics(controller.metrics, options.audit ?? NO_AUDIT);
      const metrics = await startMetricsServer(options, controller);
      return { metricsUrl: metrics.url, services: controller.services, close: () => thenClose(metrics.close(), stop) };
    } catch (error) {
      // For example a port that is in use: nothing that was started may keep running.
      await stop();
      throw error;
    }
  } catch (error) {
    await renderer.pool.close();
    throw error;
  }
}

async function closeAll(
  controller: ApplicationController,
  gates: readonly LeaderGate[],
  pool: RenderPool,
): Promise<void> {
  // A render may take a minute, and others wait for its turn: who stops waits for none of them. What a reconcile wanted
  // to do with it is begun again by the next process.
  await controller.close(() => Promise.all([pool.close(), ...gates.map((gate) => gate.close())]));
}

/** Inspects one application as the controller would. */
export async function inspect(
  object: KubeObject,
  options: DeliveryOptions,
  how: InspectOptions = {},
): Promise<Inspection> {
  return withReconcileContext(options, (context) => inspectApplication(object, context, how));
}

/** Renders local files as the manifests of an application, as texts for a sync. */
export async function renderLocal(object: KubeObject, files: LocalFiles, options: DeliveryOptions): Promise<string[]> {
  return withReconcileContext(options, (context) => renderLocalManifests(object, files, context));
}

/** Inspects many applications; a Fault takes the place of one that cannot be inspected. */
export async function inspectMany(
  objects: readonly KubeObject[],
  options: DeliveryOptions,
): Promise<(Inspection | Fault)[]> {
  return withReconcileContext(options, async (context) => {
    const inspections: (Inspection | Fault)[] = [];
    for (const object of objects) {
      inspections.push(
        await inspectApplication(object, context).catch((error: unknown) => {
          if (error instanceof Fault) return error;
          throw error;
        }),
      );
    }
    return inspections;
  });
}

/** The Applications that an ApplicationSet generates now; nothing is written. */
export async function generate(set: KubeObject, options: DeliveryOptions): Promise<KubeObject[]> {
  return withReconcileContext(options, (context) => generateSet(set, context));
}

export interface OpenControlServices {
  readonly services: ControlServices;
  close(): Promise<void>;
}

/** Services without a controller: they read and change objects on request, and deliver nothing. */
export async function openControlServices(options: DeliveryOptions): Promise<OpenControlServices> {
  const renderer = openRenderPool(options);
  const changes = new ChangeFeed();
  const { audit = NO_AUDIT } = options;
  try {
    const { context, close: closeContext } = await openReconcileContext(reconcileContextOptions(options, renderer), {
      ...NO_HANDLER,
      onApplication: (change) => {
        changes.applications.publish(change);
      },
      onSettings: () => {
        changes.settings.publish(undefined);
      },
      onObject: (change) => {
        changes.objects.publish(change);
      },
    });
    registerApplicationMetrics(context.metrics, () => context.controlPlane.applications(), context.clusters);
    registerAuditMetrics(context.metrics, audit);
    return {
      services: new ControlServices(context, changes, options.world, { catalogue: options.catalogue, audit }),
      close: () => thenClose(closeContext(), () => renderer.pool.close()),
    };
  } catch (error) {
    await renderer.pool.close();
    throw error;
  }
}

async function withReconcileContext<T>(
  options: DeliveryOptions,
  act: (context: ReconcileContext) => Promise<T>,
): Promise<T> {
  const renderer = openRenderPool(options);
  try {
    const { context, close: closeContext } = await openReconcileContext(
      reconcileContextOptions(options, renderer),
      NO_HANDLER,
    );
    try {
      return await act(context);
    } finally {
      await closeContext();
    }
  } finally {
    await renderer.pool.close();
  }
}

const NO_HANDLER: ChangeHandler = {
  onApplication: () => undefined,
  onSettings: () => undefined,
  onObject: () => undefined,
  onKinds: () => undefined,
  onRepositories: () => undefined,
  isReadOnly: () => true,
};

interface CountedRenderPool {
  readonly pool: RenderPool;
  /** Renders so far. */
  count: number;
}

function openRenderPool({ renderWorker, world }: DeliveryOptions): CountedRenderPool {
  return {
    pool: new RenderPool({
      ...RENDER_LIMITS,
      worker: renderWorker,
      after: (milliseconds, act) => world.clock.deadline?.(milliseconds, act) ?? world.clock.after(milliseconds, act),
    }),
    count: 0,
  };
}

function reconcileContextOptions(options: DeliveryOptions, renderer: CountedRenderPool): ReconcileContextOptions {
  const { cluster, world, namespace, profile, environment, catalogue, log, audit = NO_AUDIT } = options;
  return {
    audit,
    cluster,
    world,
    namespace,
    profile,
    environment,
    catalogue,
    log,
    connect: (secret) =>
      connect(clusterSecretConfig(secret, environment), world, {
        version: options.version,
        environment,
        readOnly: options.isReadOnly,
      }),
    openRenderer: async (repositories) => ({
      sources: await openSources({
        data: options.data,
        clock: world.clock,
        random: world.random,
        environment,
        report: reportTo(log.child({ room: 'source' })),
        ...repositories,
        fileRepositories: options.fileRepositories,
        privateFolders: options.privateFolders ?? [],
      }),
      cache: new RenderCache(),
      render: (request) => {
        renderer.count++;
        return render(request, renderer.pool);
      },
      host: {
        now: () => BigInt(world.clock.now().getTime()) * 1_000_000n,
        random: (count) => randomBytes(count),
        zone: 'UTC',
      },
      remoteHosts: options.remoteHosts,
      ...(options.tools === undefined ? {} : { tools: options.tools }),
    }),
  };
}

/**
 * Plain files cost what their size says, and that has a limit; templates may cost anything, so they run where they can
 * be ended.
 */
function render(request: RenderRequest, pool: RenderPool): RenderResult | Promise<RenderResult> {
  return isPlainDirectory(request) ? renderSource(request) : pool.render(request);
}

/** Whoever may not write definitions has them from `argosy install`, or cannot do without. */
async function ensureDefinitions({ cluster, crds, log }: StartOptions): Promise<void> {
  if (await servesOurKinds(cluster)) return;
  try {
    for (const name of await installCrds(cluster, await readCrds(crds)))
      log.info(`installed CustomResourceDefinition ${name}`);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new Fault('CLUSTER_REFUSED', `definitions are missing and may not be installed: ${error.message}`, {
      where: cluster.server,
      hint: 'install them with argosy install, or grant the account of the controller what argosy doctor prints',
      cause: error,
    });
  }
}

function isForbidden(error: unknown): error is ClusterError {
  return error instanceof ClusterError && error.status === 403;
}

async function ensureNamespace(cluster: Cluster, name: string): Promise<void> {
  try {
    if ((await cluster.get(NAMESPACES, { name })) !== undefined) return;
  } catch (error) {
    // Whoever may not look has it from somebody else; if it is missing, the next request says so.
    if (isForbidden(error)) return;
    throw error;
  }
  try {
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
  }
}

/** The second part is closed whether or not the first one could be. */
async function thenClose(first: Promise<void>, next: () => Promise<void>): Promise<void> {
  try {
    await first;
  } finally {
    await next();
  }
}
