import { randomBytes } from 'node:crypto';
import { ClusterError, connect, clusterSecretConfig, type Cluster, type ResourceRef, type World } from '../cluster/index.js';
import type { Catalogue } from '../health/index.js';
import { RenderCache, renderSource, type RenderRequest, type RenderResult } from '../render/index.js';
import { openSources, PROTOCOLS, type Protocol } from '../source/index.js';
import type { Tools } from '../tools/index.js';
import { Controller } from './delivery/controller.js';
import type { Desk } from './delivery/desk.js';
import { installCrds, readCrds } from './install-crds.js';
import { startMetricsServer, type MetricsServer } from './metrics-server.js';
import { RenderPool } from './render-pool.js';
import { isPlainDirectory } from './plain-directory.js';

export interface StartOptions {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Mirrors and caches are kept here; no other process uses it. */
  readonly data: string;
  readonly catalogue: Catalogue;
  /** The folder of the definitions of Application and its like. */
  readonly crds: string;
  /** The program of a render process. */
  readonly renderWorker: URL;
  readonly tools?: Tools;
  readonly remoteHosts: readonly string[];
  /** Repositories may be folders of this machine. */
  readonly allowsFileRepositories: boolean;
  /** Of this process among all that may lead; the same after a restart in the same data directory. */
  readonly identity: string;
  readonly isReadOnly: boolean;
  readonly takesOver: boolean;
  /** Undefined: nobody asks. */
  readonly metricsPort?: number;
  readonly log: (line: string) => void;
}

export interface RunningController {
  readonly controller: Controller;
  readonly metricsUrl: string;
  close(): Promise<void>;
}

const NAMESPACES: ResourceRef = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
const RENDER = { workers: 1, milliseconds: 60_000, megabytes: 512 };

/** Installs what is missing, then delivers until it is closed. */
export async function startController(options: StartOptions): Promise<RunningController> {
  const { cluster, world, namespace, log, isReadOnly } = options;
  if (!isReadOnly) {
    await ensureNamespace(cluster, namespace);
    for (const name of await installCrds(cluster, await readCrds(options.crds))) log(`installed the definition ${name}`);
  }
  const pool = new RenderPool({ ...RENDER, worker: options.renderWorker, after: (milliseconds, act) => world.clock.after(milliseconds, act) });
  let renders = 0;
  const controller = await Controller.start({
    cluster, world, namespace, profile: options.profile, environment: options.environment, catalogue: options.catalogue, identity: options.identity,
    isReadOnly, takesOver: options.takesOver, log,
    connect: (secret) => connect(clusterSecretConfig(secret, options.environment), world, { version: options.version, environment: options.environment, readOnly: isReadOnly }),
    signatureObjection: noObjection,
    openWorkshop: async (accessTo) => ({
      sources: await openSources({ data: options.data, clock: world.clock, random: world.random, environment: options.environment, report: log, accessTo, protocols: protocols(options.allowsFileRepositories) }),
      cache: new RenderCache(),
      render: (request) => {
        renders++;
        return render(request, pool);
      },
      host: { now: () => BigInt(world.clock.now().getTime()) * 1_000_000n, random: (count) => randomBytes(count), zone: 'UTC' },
      remoteHosts: options.remoteHosts, ...(options.tools === undefined ? {} : { tools: options.tools }),
    }),
  });
  controller.metrics.gauge('argosy_renders_total', 'Renders since the start; answers of the cache do not count.', () => [[{}, renders] as const]);
  const metrics = options.metricsPort === undefined ? undefined : await startMetricsServer(options.metricsPort, controller);
  return { controller, metricsUrl: metrics?.url ?? '', close: () => close(controller, pool, metrics) };
}

const noObjection: Desk['signatureObjection'] = () => Promise.resolve(undefined);

async function close(controller: Controller, pool: RenderPool, metrics: MetricsServer | undefined): Promise<void> {
  await metrics?.close();
  await controller.close();
  await pool.close();
}

function protocols(allowsFiles: boolean): readonly Protocol[] {
  return allowsFiles ? [...PROTOCOLS, 'file'] : PROTOCOLS;
}

/** Plain files cost what their size says, and that has a limit; templates may cost anything, so they run where they can be ended. */
function render(request: RenderRequest, pool: RenderPool): RenderResult | Promise<RenderResult> {
  return isPlainDirectory(request) ? renderSource(request) : pool.render(request);
}

async function ensureNamespace(cluster: Cluster, name: string): Promise<void> {
  if (await cluster.get(NAMESPACES, { name }) !== undefined) return;
  try {
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
  }
}
