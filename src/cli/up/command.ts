import type { Logger } from '../../model/logging/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { Audit } from '../../audit/index.js';
import type { Cluster } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  type CliHost,
  type ControllerOptions,
  type OpenService,
  type RunningApi,
  type RunningController,
  type RunningServer,
  type ServerOptions,
  type ServerProcess,
  openCluster,
} from '../host/index.js';
import {
  deliveryOptions,
  readPort,
  withAudit,
  withAuditFlags,
  withDeliveryFlags,
  type AuditFlags,
  type DeliveryFlags,
} from '../controller/index.js';
import {
  demoRepositories,
  logSettings,
  oneOf,
  openLog,
  variable,
  withLogFlags,
  type LogFlags,
} from '../command/index.js';
import { openProgress } from '../output/index.js';
import { readSecurity } from '../security/index.js';
import { apiOptions, withApiFlags, type ApiFlags } from '../serve/index.js';
import { writeRunFile } from './write-run-file.js';

const RUNTIMES = ['simulate', 'process'] as const;
const CONTAINERDS = ['1.7', '2.1'] as const;

interface ServerFlags extends LogFlags {
  readonly data?: string;
  readonly apiPort: number;
  readonly controllers: string;
  readonly stages?: string;
  readonly world?: string;
  readonly demo?: boolean;
  readonly fleet?: boolean;
  readonly runtime?: (typeof RUNTIMES)[number];
  readonly processImage: readonly string[];
  readonly safeMode?: boolean;
  readonly processNetwork: readonly string[];
  readonly containerd?: (typeof CONTAINERDS)[number];
}

/** `argosy apiserver`: the embedded Kubernetes API server alone. */
export function addApiserver(program: Command, host: CliHost): void {
  withLogFlags(withServerFlags(program.command('apiserver'), host), host)
    .description('run the embedded Kubernetes API server and its controllers')
    .addHelpText('after', '\nExample:\n  argosy apiserver --data ./cluster --api-port 0')
    .action(async (flags: ServerFlags) => {
      const server = await host.startApiServer(serverOptions(flags, host));
      // Before it is said: whoever reads it may ask to stop at once.
      const stopped = host.untilStopped();
      host.stdout.write(`Kubernetes API on ${server.url}\n`);
      await stopped;
      await server.close();
    });
}

/** `argosy up`: everything that one machine needs. */
export function addUp(program: Command, host: CliHost): void {
  const command = withServerFlags(program.command('up'), host);
  // A person starts it and sees everything on the page: on their terminal only what needs them.
  withLogFlags(withAuditFlags(withApiFlags(withDeliveryFlags(command, host), host), host), host, 'error')
    .option('--no-demo', 'start an empty cluster, without the third-party controllers of the demo')
    .option('--no-fleet', 'start with the third-party controllers of the demo, but without its applications')
    .option(
      '--safe-mode',
      'start without running anything: no controllers, pods or syncs; to delete what breaks a start',
    )
    .description('run Argosy on this machine: an embedded cluster, and delivery from git to it')
    .addHelpText('after', '\nExample:\n  argosy up\n  kubectl --kubeconfig ~/.argosy/kubeconfig get nodes')
    .action((flags: UpFlags) => runUp(flags, host));
}

function withServerFlags(command: Command, host: CliHost): Command {
  const { environment } = host;
  return command
    .option('--data <directory>', 'data directory (default ~/.argosy)', environment['ARGOSY_DATA'])
    .option(
      '--api-port <port>',
      'port of the Kubernetes API, 0 for any free port',
      readPort,
      variable(environment, 'ARGOSY_API_PORT', readPort) ?? 6443,
    )
    .addOption(new Option('--controllers <which>', 'controllers to run').choices(['all', 'none']).default('all'))
    .option(
      '--stages <directory>',
      'simulate the third-party controllers that this directory describes',
      environment['ARGOSY_STAGES'],
    )
    .addOption(
      new Option(
        '--runtime <how>',
        'container runtime: simulate, or process for allowed images (default: process in the demo)',
      )
        .choices(RUNTIMES)
        .default(oneOf(RUNTIMES, environment, 'ARGOSY_RUNTIME')),
    )
    .option(
      '--process-image <image>',
      'with --runtime process: an image to run as a confined process; IMAGE=/path sets its program; may be repeated',
      (image: string, all: readonly string[]) => [...all, image],
      [],
    )
    .option(
      '--process-network <address>',
      'with --runtime process: an address (HOST:PORT) that processes of pods may connect to; may be repeated',
      (address: string, all: readonly string[]) => [...all, address],
      [],
    )
    .addOption(
      new Option('--containerd <version>', 'version of containerd whose messages simulated nodes report')
        .choices(CONTAINERDS)
        .default(oneOf(CONTAINERDS, environment, 'ARGOSY_CONTAINERD')),
    )
    .option(
      '--world <directory>',
      'simulate the third-party controllers of a world folder, with their CRDs',
      environment['ARGOSY_WORLD'],
    );
}

function dataDirectory({ data }: Pick<ServerFlags, 'data'>): string {
  return resolve(data ?? join(homedir(), '.argosy'));
}

function worldFolder({ world, demo }: ServerFlags, host: CliHost): string | undefined {
  if (world !== undefined) return resolve(world);
  return demo === true ? host.world : undefined;
}

function checkProcessFlags({ processImage, processNetwork, demo }: ServerFlags, isReal: boolean): void {
  if (!isReal && processImage.length > 0) throw new Fault('USAGE', '--process-image needs --runtime process');
  if (!isReal && processNetwork.length > 0) throw new Fault('USAGE', '--process-network needs --runtime process');
  if (isReal && demo !== true && processImage.length === 0)
    throw new Fault('USAGE', '--runtime process needs --process-image: which images may run');
}

function serverOptions(flags: ServerFlags, host: CliHost): ServerOptions {
  const folder = worldFolder(flags, host);
  if (flags.safeMode === true) return safeServerOptions(flags, host);
  const isReal = (flags.runtime ?? (flags.demo === true ? 'process' : 'simulate')) === 'process';
  checkProcessFlags(flags, isReal);
  return {
    ...(isReal ? { processes: { images: flags.processImage, reachable: flags.processNetwork } } : {}),
    data: dataDirectory(flags),
    port: flags.apiPort,
    controllers: flags.controllers !== 'none',
    log: openLog(flags, host),
    logSettings: logSettings(flags, host),
    ...(flags.containerd === undefined ? {} : { containerd: flags.containerd }),
    ...(flags.stages === undefined ? {} : { stages: resolve(flags.stages) }),
    ...(folder === undefined ? {} : { world: folder }),
  };
}

/** What is stored is served, and nothing works on it. */
function safeServerOptions(flags: ServerFlags, host: CliHost): ServerOptions {
  return {
    data: dataDirectory(flags),
    port: flags.apiPort,
    controllers: false,
    log: openLog(flags, host),
    logSettings: logSettings(flags, host),
  };
}

/** Delivery with what the API needs; in safe mode the latter alone. */
async function startServices(
  options: ControllerOptions,
  { safeMode = false }: ServerFlags,
  host: CliHost,
): Promise<OpenService & Partial<Pick<RunningController, 'metricsUrl'>>> {
  return safeMode ? await host.openService(options) : await host.startController(options);
}

type UpFlags = ServerFlags & DeliveryFlags & ApiFlags & AuditFlags;

async function runUp(flags: UpFlags, host: CliHost): Promise<void> {
  const log = openLog(flags, host);
  await withAudit(flags, { host, data: dataDirectory(flags), log }, (audit) => runServers(flags, host, log, audit));
}

async function runServers(flags: UpFlags, host: CliHost, log: Logger, audit: Audit): Promise<void> {
  const server = await host.spawnApiServer(serverOptions(flags, host));
  const cluster = await openCluster({ kubeconfig: server.kubeconfig }, host, false, log);
  let controller: Awaited<ReturnType<typeof startServices>> | undefined;
  let api: RunningApi | undefined;
  try {
    const delivery = deliveryOptions(flags, dataDirectory(flags), log);
    const security = await readSecurity(flags, host, { cluster, namespace: delivery.namespace });
    const isShared = security.profile === 'shared';
    if (isShared && flags.demo === true && flags.safeMode !== true) throw demoRefused();
    controller = await startServices(
      {
        ...delivery,
        fileRepositories: [
          ...delivery.fileRepositories,
          ...(flags.demo === true && !isShared ? [demoRepositories(dataDirectory(flags))] : []),
        ],
        metricsHost: security.metricsHost,
        cluster,
        audit,
      },
      flags,
      host,
    );
    api = await host.startApi({ ...apiOptions(flags, security, log), services: controller.services });
    const { metricsUrl } = controller;
    const { namespace, profile } = delivery;
    await keepRunFile(
      server,
      dataDirectory(flags),
      { web: api.url, namespace, profile, ...(metricsUrl === undefined ? {} : { metrics: metricsUrl }) },
      log,
    );
    // Before anything takes long: whoever asks to stop is heard.
    const stopped = Promise.race([host.untilStopped(), server.untilEnded()]);
    const isUp = printWelcome(host, { flags, server, api, cluster, namespace: delivery.namespace });
    await Promise.race([stopped, isUp.then(() => stopped)]);
  } finally {
    await api?.close();
    await controller?.close();
    await cluster.close();
    await server.close();
  }
}

/** Also after the embedded cluster was started again, which writes the file anew. */
async function keepRunFile(
  server: ServerProcess,
  data: string,
  instance: Parameters<typeof writeRunFile>[1],
  log: Logger,
): Promise<void> {
  const write = (): Promise<void> => writeRunFile(data, instance);
  await write();
  server.onRestart(() => {
    write().catch((error: unknown) => {
      log.error('run.json was not written', { error });
    });
  });
}

function demoRefused(): Fault {
  return new Fault(
    'PROFILE_FORBIDS',
    'the demo delivers from a local folder, which the security profile shared forbids',
    {
      where: '--security-profile',
      hint: 'add --no-demo, or use the profile laptop',
    },
  );
}

interface StartedServers {
  readonly flags: ServerFlags;
  readonly server: RunningServer;
  readonly api: RunningApi;
  readonly cluster: Cluster;
  readonly namespace: string;
}

/** Sets up the demo where it is wanted, and says what runs and how it is. */
async function printWelcome(host: CliHost, { flags, server, api, cluster, namespace }: StartedServers): Promise<void> {
  const hasFleet =
    flags.safeMode !== true &&
    flags.demo === true &&
    flags.fleet === true &&
    flags.controllers !== 'none' &&
    namespace === 'argocd';
  const progress = openProgress(host);
  const demo = hasFleet
    ? await host.startDemo({
        cluster,
        data: dataDirectory(flags),
        progress: (delivered, all) => {
          progress.update(`delivering the demo: ${delivered} of ${all} applications`);
        },
      })
    : undefined;
  progress.end();
  const { formatWelcome } = await import('./welcome.js');
  const { items } = await cluster.list(APPLICATIONS, { namespace });
  host.stdout.write(
    formatWelcome({
      command: host.commandName?.() ?? 'argosy',
      isSafeMode: flags.safeMode === true,
      kubernetes: server.url,
      kubeconfig: server.kubeconfig,
      web: {
        url: api.url,
        hasSignIn: api.hasSignIn,
        ...(api.newPassword === undefined ? {} : { password: api.newPassword }),
      },
      applications: items,
      ...(demo === undefined ? {} : { demo }),
    }),
  );
}
