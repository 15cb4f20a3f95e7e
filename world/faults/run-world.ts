import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startApiServer, type ApiServerOptions } from '../../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Clock, type Cluster } from '../../src/cluster/index.js';
import { startController } from '../../src/control/index.js';
import { readCatalogue, type Catalogue } from '../../src/health/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import { plainLogger } from '../../src/model/logging/index.js';
import { LeapClock } from './leap-clock.js';
import { OUTSIDE } from './injection/names.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** What the fault worlds need of the world; the others only cost time. */
const CONTROLLERS = [
  'cert-manager',
  'cnpg',
  'external-secrets',
  'kserve',
  'metrics-server',
  'openshift-build',
  'openshift-image',
  'openshift-router',
  'programs',
  'sealed-secrets',
  'service-mesh',
  'vault',
];

/** A cluster with all that works in it, delivery too, whose time leaps. */
export interface RunningWorld {
  readonly clock: LeapClock;
  readonly cluster: Cluster;
  close(): Promise<void>;
}

let catalogue: Catalogue | undefined;

function theCatalogue(): Catalogue {
  const folder = join(ROOT, 'catalogue');
  const paths = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path));
  return (catalogue ??= readCatalogue(
    paths().map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })),
  ));
}

/** Which third-party controllers play in a world, and whom they ask. */
export interface WorldParts {
  readonly controllers: readonly string[];
  /** Stages beside those of the controllers. */
  readonly stages?: string;
  readonly probes: NonNullable<ApiServerOptions['probes']>;
}

/** The parts of fault worlds; controllers that rest do nothing. */
export function faultParts(resting: readonly string[] = []): WorldParts {
  return {
    controllers: CONTROLLERS.filter((name) => !resting.includes(name)),
    stages: join(import.meta.dirname, 'stages'),
    probes: { git: gitProbe },
  };
}

/** Starts or goes on with the cluster in a folder, at this time. */
export async function runWorld(
  folder: string,
  begin: Date,
  log: (line: string) => void,
  { controllers, stages, probes }: WorldParts = faultParts(),
): Promise<RunningWorld> {
  const clock = new LeapClock(begin);
  const server = await clock.playUntil(
    startApiServer({
      data: join(folder, 'api'),
      port: 0,
      controllers: true,
      log: plainLogger(log),
      clock,
      world: { directory: resolve(import.meta.dirname, '..'), only: controllers },
      ...(stages === undefined ? {} : { stages }),
      probes: heldProbes(probes, clock),
    }),
  );
  const world = { clock: patient(clock), random: () => 0.5, report: log };
  const direct = connect(
    await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig }),
    { ...world, clock: systemClock },
    { version: '0.0.0', environment: {} },
  );
  const cluster = holding(direct, clock);
  const controller = await clock.playUntil(
    startController({
      cluster,
      world,
      log: plainLogger(log),
      namespace: 'argocd',
      takesOver: false,
      data: join(folder, 'control'),
      profile: 'kubernetes',
      environment: { PATH: process.env['PATH'] },
      version: '0.0.0',
      catalogue: theCatalogue(),
      crds: join(ROOT, 'crds'),
      runner: join(ROOT, 'runner'),
      renderWorker: pathToFileURL(join(ROOT, 'dist/render-worker.js')),
      remoteHosts: [],
      fileRepositories: [tmpdir()],
      isReadOnly: false,
      identity: 'argosy',
      metricsPort: 0,
    }),
  );
  return {
    clock,
    cluster,
    close: async () => {
      await clock.playUntil(controller.close());
      await cluster.close();
      await server.close();
    },
  };
}

/** Time stands still while somebody outside is asked. */
function heldProbes(probes: WorldParts['probes'], clock: LeapClock): WorldParts['probes'] {
  return Object.fromEntries(
    Object.entries(probes).map(([name, probe]) => [name, (...words) => clock.during(probe(...words))]),
  );
}

/**
 * A leader says every two seconds that it leads, which is most of what happens where nothing does; here nobody else
 * wants to.
 */
const RENEWAL = 2000;
const RENEWAL_HERE = 9000;

function patient(clock: LeapClock): Clock {
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    deadline: (...words) => clock.deadline(...words),
    after: (milliseconds, act) => clock.after(milliseconds === RENEWAL ? RENEWAL_HERE : milliseconds, act),
  };
}

const STREAMS: readonly (string | symbol)[] = ['watch', 'lines', 'close'];

/** The same cluster; time stands still while it is asked. Streams take no time. */
function holding(cluster: Cluster, clock: LeapClock): Cluster {
  return new Proxy(cluster, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...words: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(value, target, words);
        return answer instanceof Promise && !STREAMS.includes(key) ? clock.during(answer) : answer;
      };
    },
  });
}

/**
 * The git servers of the world: what the Secret `git-servers` holds opens them, and addresses with `missing` are
 * nowhere.
 */
function gitProbe(
  input: JsonObject,
  {
    namespace,
    secret,
  }: { readonly namespace: string; secret(namespace: string, name: string): JsonObject | undefined },
): Promise<JsonObject> {
  const given = typeof input.secret === 'string' && input.secret !== '' ? secret(namespace, input.secret) : undefined;
  if (String(input.uri).includes('missing'))
    return Promise.resolve({ reason: 'NotFound', message: `repository ${String(input.uri)} is not there` });
  if (String(input.ref).includes('missing'))
    return Promise.resolve({ reason: 'RefNotFound', message: `couldn't find remote ref ${String(input.ref)}` });
  if (given?.password !== secret(OUTSIDE, 'git-servers')?.password)
    return Promise.resolve({ reason: 'Authentication', message: 'the server does not take this name and password' });
  return Promise.resolve({ commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' });
}
