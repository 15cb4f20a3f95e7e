import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  ClusterError,
  connect,
  clusterSecretConfig,
  type Cluster,
  type ResourceRef,
  type World,
} from '../cluster/index.js';
import type { Catalogue } from '../health/index.js';
import { Fault, type KubeObject } from '../model/index.js';
import { RenderCache, renderSource, type RenderRequest, type RenderResult } from '../render/index.js';
import { openSources, PROTOCOLS, type Protocol } from '../source/index.js';
import type { Tools } from '../tools/index.js';
import { generateSet } from './application-set/generate-set.js';
import { startApplicationSets } from './application-set/start-application-sets.js';
import { Controller } from './delivery/controller.js';
import type { Desk } from './delivery/desk.js';
import { SettledBook } from './delivery/settled-book.js';
import { WHOLE, type Shard } from './delivery/shards.js';
import { openDesk, type DeskListener, type DeskOptions } from './delivery/open-desk.js';
import { showFleet } from './delivery/delivery-metrics.js';
import { FrontDesk } from './front/front-desk.js';
import { News } from './front/news.js';
import { inspectApplication, type LookOptions } from './inspect.js';
import type { Inspection } from './inspection.js';
import { installCrds, readCrds, servesOurKinds } from './install-crds.js';
import type { CredentialsOperator } from './credentials/credentials-operator.js';
import { startCredentials } from './credentials/start-credentials.js';
import { localManifests, type LocalFiles } from './local-manifests.js';
import { startMetricsServer } from './metrics-server.js';
import { startNotebooks } from './notebook/start-notebooks.js';
import { Receipts } from './notify/receipts.js';
import { isPlainDirectory } from './plain-directory.js';
import { RenderPool } from './render-pool.js';
import { startSettings } from './settings/start-settings.js';
import { Shift } from './shift.js';

/** What delivery and looking have in common. */
export interface DeliveryOptions {
  readonly cluster: Cluster;
  readonly world: World;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Mirrors and caches are kept here; no other process uses it. */
  readonly data: string;
  readonly catalogue: Catalogue;
  /** The program of a render process. */
  readonly renderWorker: URL;
  readonly tools?: Tools;
  readonly remoteHosts: readonly string[];
  /** Repositories may be folders of this machine. */
  readonly allowsFileRepositories: boolean;
  readonly isReadOnly: boolean;
  readonly log: (line: string) => void;
}

export interface StartOptions extends DeliveryOptions {
  /** The folder of the definitions of Application and its like. */
  readonly crds: string;
  /** The folder of the program that runs notebooks in their pods. */
  readonly runner: string;
  /** Of this process among all that may lead; the same after a restart in the same data directory. */
  readonly identity: string;
  readonly takesOver: boolean;
  /** The part of the applications that this process looks after; all of them unless told. */
  readonly shard?: Shard;
  readonly metricsPort: number;
}

export interface RunningController {
  readonly metricsUrl: string;
  /** What it knows, for people who ask. */
  readonly front: FrontDesk;
  close(): Promise<void>;
}

const NAMESPACES: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const RENDER = { workers: 1, milliseconds: 60_000, megabytes: 512 };

/** Installs what is missing, then delivers until it is closed. */
export async function startController(options: StartOptions): Promise<RunningController> {
  const { cluster, namespace, log, isReadOnly, shard = WHOLE } = options;
  if (!isReadOnly) {
    await ensureNamespace(cluster, namespace);
    if (!(await servesOurKinds(cluster)))
      for (const name of await installCrds(cluster, await readCrds(options.crds)))
        log(`installed the definition ${name}`);
  }
  const renderer = openRenderer(options);
  const [notebooks, settings, credentials, sets] = [new Shift(), new Shift(), new Shift(), new Shift()];
  const shifts = [notebooks, settings, credentials, sets];
  let filler: CredentialsOperator | undefined;
  try {
    const openSettled = (): Promise<SettledBook> =>
      SettledBook.open({ path: join(options.data, 'settled.json'), clock: options.world.clock, report: log });
    const openReceipts = (): Promise<Receipts> => Receipts.open(join(options.data, 'notified'), log);
    const controller = await Controller.start({
      ...deskOptions(options, renderer),
      openSettled,
      openReceipts,
      identity: options.identity,
      shard,
      isReadOnly,
      takesOver: options.takesOver,
      onTurn: (leads) => {
        for (const shift of shifts) shift.turn(leads);
      },
      onSettings: () => {
        filler?.follow();
      },
    });
    const stop = (): Promise<void> => close(controller, shifts, renderer.pool);
    try {
      // Operators are not divided: they work beside the first shard.
      if (!isReadOnly && shard.index === 0)
        await Promise.all([
          notebooks.begin(() => startNotebooks(options, controller)),
          settings.begin(() => startSettings(options, controller)),
          credentials.begin(() => Promise.resolve((filler = startCredentials(options, controller)))),
          sets.begin(() => startApplicationSets(options, controller)),
        ]);
      controller.metrics.read(
        'argosy_renders_total',
        'counter',
        'Renders since the start; answers of the cache do not count.',
        () => [[{}, renderer.count] as const],
      );
      const metrics = await startMetricsServer(options.metricsPort, controller);
      return { metricsUrl: metrics.url, front: controller.front, close: () => metrics.close().finally(stop) };
    } catch (error) {
      // A port that is taken, for one: what runs already would go on for ever.
      await stop();
      throw error;
    }
  } catch (error) {
    await renderer.pool.close();
    throw error;
  }
}

async function close(controller: Controller, shifts: readonly Shift[], pool: RenderPool): Promise<void> {
  await Promise.all(shifts.map((shift) => shift.close()));
  await controller.close();
  await pool.close();
}

/** A single look at one application, as the controller would see it. */
export async function inspect(
  object: KubeObject,
  options: DeliveryOptions,
  how: LookOptions = {},
): Promise<Inspection> {
  return withDesk(options, (desk) => inspectApplication(object, desk, how));
}

/** What files of this machine give for an application, as texts that a sync takes. */
export async function renderLocal(object: KubeObject, files: LocalFiles, options: DeliveryOptions): Promise<string[]> {
  return withDesk(options, (desk) => localManifests(object, files, desk));
}

/** A look at each of many applications; what cannot be looked at is told by a fault in its place. */
export async function inspectMany(
  objects: readonly KubeObject[],
  options: DeliveryOptions,
): Promise<(Inspection | Fault)[]> {
  return withDesk(options, async (desk) => {
    const seen: (Inspection | Fault)[] = [];
    for (const object of objects) {
      seen.push(
        await inspectApplication(object, desk).catch((error: unknown) => {
          if (error instanceof Fault) return error;
          throw error;
        }),
      );
    }
    return seen;
  });
}

/** The Applications that an ApplicationSet means now; nothing is written. */
export async function generate(set: KubeObject, options: DeliveryOptions): Promise<KubeObject[]> {
  return withDesk(options, (desk) => generateSet(set, desk));
}

export interface OpenFront {
  readonly front: FrontDesk;
  close(): Promise<void>;
}

/** A desk for people alone: it looks and asks, and delivers nothing. */
export async function openFront(options: DeliveryOptions): Promise<OpenFront> {
  const renderer = openRenderer(options);
  const news = new News();
  try {
    const { desk, close: closeDesk } = await openDesk(deskOptions(options, renderer), {
      ...NOBODY,
      onApplication: (change) => {
        news.applications.tell(change);
      },
      onSettings: () => {
        news.settings.tell(undefined);
      },
      onObject: (change) => {
        news.objects.tell(change);
      },
    });
    showFleet(desk.metrics, () => desk.home.applications(), desk.clusters);
    return {
      front: new FrontDesk(desk, news, options.world, options.catalogue),
      close: () => closeDesk().finally(() => renderer.pool.close()),
    };
  } catch (error) {
    await renderer.pool.close();
    throw error;
  }
}

async function withDesk<T>(options: DeliveryOptions, act: (desk: Desk) => Promise<T>): Promise<T> {
  const renderer = openRenderer(options);
  try {
    const { desk, close: closeDesk } = await openDesk(deskOptions(options, renderer), NOBODY);
    try {
      return await act(desk);
    } finally {
      await closeDesk();
    }
  } finally {
    await renderer.pool.close();
  }
}

const NOBODY: DeskListener = {
  onApplication: () => undefined,
  onSettings: () => undefined,
  onObject: () => undefined,
  onKinds: () => undefined,
  onRepositories: () => undefined,
  isReadOnly: () => true,
};

interface Renderer {
  readonly pool: RenderPool;
  /** Renders so far. */
  count: number;
}

function openRenderer({ renderWorker, world }: DeliveryOptions): Renderer {
  return {
    pool: new RenderPool({
      ...RENDER,
      worker: renderWorker,
      after: (milliseconds, act) => world.clock.deadline?.(milliseconds, act) ?? world.clock.after(milliseconds, act),
    }),
    count: 0,
  };
}

function deskOptions(options: DeliveryOptions, renderer: Renderer): DeskOptions {
  const { cluster, world, namespace, profile, environment, catalogue, log } = options;
  return {
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
    openWorkshop: async (repositories) => ({
      sources: await openSources({
        data: options.data,
        clock: world.clock,
        random: world.random,
        environment,
        report: log,
        ...repositories,
        protocols: protocols(options.allowsFileRepositories),
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

function protocols(allowsFiles: boolean): readonly Protocol[] {
  return allowsFiles ? [...PROTOCOLS, 'file'] : PROTOCOLS;
}

/**
 * Plain files cost what their size says, and that has a limit; templates may cost anything, so they run where they can
 * be ended.
 */
function render(request: RenderRequest, pool: RenderPool): RenderResult | Promise<RenderResult> {
  return isPlainDirectory(request) ? renderSource(request) : pool.render(request);
}

async function ensureNamespace(cluster: Cluster, name: string): Promise<void> {
  if ((await cluster.get(NAMESPACES, { name })) !== undefined) return;
  try {
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
  }
}
