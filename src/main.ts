#!/usr/bin/env -S node --disable-proto=delete
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import {
  commandRepositories,
  runCli,
  type ApiOptions,
  type CliTools,
  type ControllerOptions,
  type ServiceOptions,
  type OpenService,
  type RunningApi,
  type RunningController,
  profileOf,
} from './cli/index.js';
import type { Cluster } from './cluster/index.js';
import type { DeliveryOptions, Inspection, LocalFiles, InspectOptions } from './control/index.js';
import { commandName } from './command-name.js';
import { startEmbeddedServer } from './embedded-server.js';
import type { Fault } from './model/faults/index.js';
import type { KubeObject } from './model/kubernetes/index.js';
import { type Logger, plainLogger, reportTo } from './model/logging/index.js';
import { CATALOGUE, CRDS, RUNNER, WORLD } from './package-folders.js';
import type { Tools } from './tools/index.js';

// Keys such as __proto__ are ordinary data here. The flag in the first line does the same for `argosy`; this line does
// it for `node dist/main.js`.
Reflect.deleteProperty(Object.prototype, '__proto__');

const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;
const BACKGROUND_WORKER = new URL('./background-worker.js', import.meta.url);
const WEB = fileURLToPath(new URL('./web', import.meta.url));
const RENDER_WORKER = new URL('./render-worker.js', import.meta.url);

// A reader that closes the pipe early (`argosy ... | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  version: VERSION,
  commandName,
  catalogue: CATALOGUE,
  runner: RUNNER,
  crds: CRDS,
  now: Date.now,
  world: WORLD,
  startApiServer: (options) =>
    containing(options.data, 'server', options.log, () => startEmbeddedServer(options, VERSION)),
  spawnApiServer: async (options) => {
    const { spawnServer } = await import('./spawn-server.js');
    const server = spawnServer(options, VERSION);
    // While the other process starts, this one loads what it needs next. An error surfaces where the module is used.
    void Promise.all([import('./control/index.js'), import('./cluster/index.js'), import('./api/index.js')]).catch(
      () => undefined,
    );
    return server;
  },
  startController,
  openService,
  startApi,
  inspect,
  inspectMany,
  renderLocal,
  generate,
  confirm,
  openTools,
  startDemo: async ({ data, ...options }) =>
    (await import('../world/demo/index.js')).startDemo({ ...options, folder: join(data, 'demo') }),
  openStories: async () => (await import('../world/demo/index.js')).openStories(join(WORLD, 'stories')),
  untilStopped,
});

/** What delivery and the API share. */
async function serviceParts({ tools, data, log }: Pick<ServiceOptions, 'tools' | 'data' | 'log'>) {
  const [{ loadCatalogue }, { systemClock }, toolbox] = await Promise.all([
    import('./control/index.js'),
    import('./cluster/index.js'),
    openToolbox(tools, join(data, 'tools')),
  ]);
  return {
    tools: toolbox,
    log: log.child({ room: 'control' }),
    world: { clock: systemClock, random: Math.random, report: reportTo(log.child({ room: 'cluster' })) },
    environment: process.env,
    version: VERSION,
    catalogue: loadCatalogue(CATALOGUE),
    renderWorker: RENDER_WORKER,
  };
}

/** Opens what owns a directory of a data directory: nobody else may have it before `close` has ended. */
async function openLocked<T extends { close(): Promise<void> }>(
  data: string,
  directory: string,
  open: () => Promise<T>,
): Promise<{ readonly opened: T; close(): Promise<void> }> {
  const [{ lockDirectory }, { openPrivateDirectory }] = await Promise.all([
    import('./net/directory-lock/index.js'),
    import('./net/private-directory/index.js'),
  ]);
  await openPrivateDirectory(data);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    const opened = await open();
    return {
      opened,
      close: async () => {
        try {
          await opened.close();
        } finally {
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What starts in this process ends neither it nor the other parts. */
async function containing<T extends { close(): Promise<void> }>(
  data: string,
  part: string,
  log: Logger,
  start: () => Promise<T>,
): Promise<T> {
  const { contain } = await import('./contain.js');
  const contained = contain(data, part, log);
  try {
    const started = await start();
    return {
      ...started,
      close: async () => {
        await started.close();
        contained.close();
      },
    };
  } catch (error) {
    contained.close();
    throw error;
  }
}

/**
 * Mirrors belong to one process: a second one in the same data directory is refused, so a restart may take its old
 * place at once.
 */
function startController(options: ControllerOptions): Promise<RunningController> {
  return containing(options.data, 'controller', options.log, () => startLockedController(options));
}

async function startLockedController(options: ControllerOptions): Promise<RunningController> {
  const [{ startController: start }, parts] = await Promise.all([import('./control/index.js'), serviceParts(options)]);
  const git = join(options.data, 'git');
  const { opened, close } = await openLocked(options.data, git, () =>
    start({
      ...options,
      ...parts,
      crds: CRDS,
      runner: RUNNER,
      identity: `${hostname()}_${createHash('sha256').update(git).digest('hex').slice(0, 10)}`,
    }),
  );
  return { metricsUrl: opened.metricsUrl, services: opened.services, close };
}

/** Everything but delivery. It has mirrors of its own: a controller may use the same data directory. */
function openService(options: ServiceOptions): Promise<OpenService> {
  return containing(options.data, 'serve', options.log, () => openLockedService(options));
}

async function openLockedService(options: ServiceOptions): Promise<OpenService> {
  const [{ openControlServices: open }, parts] = await Promise.all([
    import('./control/index.js'),
    serviceParts(options),
  ]);
  const data = join(options.data, 'serve');
  const { opened, close } = await openLocked(options.data, data, () =>
    open({ ...options, ...parts, data, privateFolders: [options.data], isReadOnly: false }),
  );
  return { services: opened.services, close };
}

async function startApi({ services, ...options }: ApiOptions): Promise<RunningApi> {
  const [{ startApi: start }, { readCatalogueFiles }] = await Promise.all([
    import('./api/index.js'),
    import('./control/index.js'),
  ]);
  return start({
    ...options,
    log: options.log.child({ room: 'api' }),
    services,
    version: VERSION,
    webFolder: WEB,
    background: { program: BACKGROUND_WORKER, catalogue: () => readCatalogueFiles(CATALOGUE) },
  });
}

/** One reconciliation that writes nothing. */
async function inspect(
  cluster: Cluster,
  application: KubeObject,
  options: InspectOptions & { readonly namespace: string },
): Promise<Inspection> {
  return withInspectOptions(cluster, options.namespace, (control, how) => control.inspect(application, how, options));
}

async function inspectMany(
  cluster: Cluster,
  applications: readonly KubeObject[],
  { namespace }: { readonly namespace: string },
): Promise<readonly (Inspection | Fault)[]> {
  return withInspectOptions(cluster, namespace, (control, how) => control.inspectMany(applications, how));
}

async function renderLocal(
  cluster: Cluster,
  application: KubeObject,
  files: LocalFiles,
  { namespace }: { readonly namespace: string },
): Promise<string[]> {
  return withInspectOptions(cluster, namespace, (control, how) => control.renderLocal(application, files, how));
}

async function generate(
  cluster: Cluster,
  set: KubeObject,
  { namespace }: { readonly namespace: string },
): Promise<readonly KubeObject[]> {
  return withInspectOptions(cluster, namespace, (control, how) => control.generate(set, how));
}

type Control = typeof import('./control/index.js');

/** Repositories are read into a temporary folder. */
async function withInspectOptions<T>(
  cluster: Cluster,
  namespace: string,
  act: (control: Control, options: DeliveryOptions) => Promise<T>,
): Promise<T> {
  const [control, { systemClock }] = await Promise.all([import('./control/index.js'), import('./cluster/index.js')]);
  const data = mkdtempSync(join(tmpdir(), 'argosy-inspect-'));
  const log = plainLogger((line) => void process.stderr.write(`${line}\n`));
  try {
    return await act(control, {
      cluster,
      data,
      log,
      world: { clock: systemClock, random: Math.random, report: reportTo(log) },
      environment: process.env,
      version: VERSION,
      namespace,
      profile: profileOf(cluster.server, process.env),
      catalogue: control.loadCatalogue(CATALOGUE),
      renderWorker: RENDER_WORKER,
      remoteHosts: [],
      ...commandRepositories({ environment: process.env }),
      isReadOnly: true,
    });
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Prompts on a terminal; without one the answer is no. */
async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(`${question} [y/n] `)).trim());
  } finally {
    prompt.close();
  }
}

/** A command has no data directory: private folders of tools are created in the temporary directory. */
async function openTools(named: readonly string[]): Promise<CliTools> {
  const { evaluateJsonnet, runPlugin } = await import('./tools/index.js');
  const tools = await openToolbox(named, join(tmpdir(), `argosy-tools-${process.getuid?.() ?? 0}`));
  return {
    jsonnet: (tree, path, settings) => evaluateJsonnet(tools, { tree, project: '', path, settings }),
    plugin: (name, request) => runPlugin(tools, { ...request, project: '', name, plugin: {} }),
  };
}

async function openToolbox(named: readonly string[], folder: string): Promise<Tools> {
  const after = (milliseconds: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  };
  return (await import('./tools/index.js')).Tools.open({ named, directory: folder, after });
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
}
