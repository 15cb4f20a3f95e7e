import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { Fault } from '../model/index.js';
import type { CliWorld, RunningApi, RunningController, RunningServer, ServerOptions } from './cli-world.js';
import { deliveryOptions, readPort, withDeliveryFlags, type DeliveryFlags } from './controller-command.js';
import { openCluster } from './open-cluster.js';
import { apiOptions, signInText, withApiFlags, type ApiFlags } from './serve-command.js';

interface ServerFlags {
  readonly data?: string;
  readonly apiPort: number;
  readonly controllers: string;
  readonly stages?: string;
  readonly world?: string;
  readonly demo?: boolean;
  readonly runtime?: 'simulate' | 'process';
  readonly processImage: readonly string[];
}

/** `argosy apiserver`: the embedded Kubernetes API server alone. */
export function addApiserver(program: Command, world: CliWorld): void {
  withServerFlags(program.command('apiserver'), world)
    .description('run the embedded Kubernetes API server and its controllers')
    .addHelpText('after', '\nExample:\n  argosy apiserver --data ./cluster --api-port 0')
    .action(async (flags: ServerFlags) => {
      const server = await world.startApiServer(serverOptions(flags, world));
      // Before it is said: whoever reads it may ask to stop at once.
      const stopped = world.untilStopped();
      world.stdout.write(`Kubernetes API on ${server.url}\n`);
      await stopped;
      await server.close();
    });
}

/** `argosy up`: everything that one machine needs. */
export function addUp(program: Command, world: CliWorld): void {
  withApiFlags(withDeliveryFlags(withServerFlags(program.command('up'), world), world), world)
    .option('--no-demo', 'start empty, without the third-party controllers of the demo')
    .description('run Argosy on this machine: an embedded cluster, and delivery from git to it')
    .addHelpText('after', '\nExample:\n  argosy up\n  kubectl --kubeconfig ~/.argosy/kubeconfig get nodes')
    .action((flags: ServerFlags & DeliveryFlags & ApiFlags) => runUp(flags, world));
}

function withServerFlags(command: Command, world: CliWorld): Command {
  const { environment } = world;
  return command
    .option('--data <directory>', 'where everything is kept (default ~/.argosy)', environment['ARGOSY_DATA'])
    .option('--api-port <port>', 'port of the Kubernetes API, 0 for any free one', readPort, readPort(environment['ARGOSY_API_PORT'] ?? '6443'))
    .addOption(new Option('--controllers <which>', 'which controllers run').choices(['all', 'none']).default('all'))
    .option('--stages <directory>', 'play the third-party controllers that this directory describes', environment['ARGOSY_STAGES'])
    .addOption(new Option('--runtime <how>', 'what containers are: simulated, or processes where the image is allowed (default: processes in the demo)').choices(['simulate', 'process']).default(environment['ARGOSY_RUNTIME']))
    .option('--process-image <image>', 'with --runtime process: an image whose containers run here, confined; IMAGE=/path names its program; may be repeated', (image: string, all: readonly string[]) => [...all, image], [])
    .option('--world <directory>', 'play the third-party controllers of a world folder, with their kinds', environment['ARGOSY_WORLD']);
}

function dataOf({ data }: Pick<ServerFlags, 'data'>): string {
  return resolve(data ?? join(homedir(), '.argosy'));
}

function serverOptions(flags: ServerFlags, world: CliWorld): ServerOptions {
  const log = (line: string): void => void world.stderr.write(`${line}\n`);
  const folder = flags.world === undefined ? (flags.demo === true ? world.world : undefined) : resolve(flags.world);
  const isReal = (flags.runtime ?? (flags.demo === true ? 'process' : 'simulate')) === 'process';
  if (!isReal && flags.processImage.length > 0) throw new Fault('USAGE', '--process-image needs --runtime process');
  return {
    ...(isReal ? { processes: { images: flags.processImage } } : {}),
    data: dataOf(flags), port: flags.apiPort, controllers: flags.controllers !== 'none', log,
    ...(flags.stages === undefined ? {} : { stages: resolve(flags.stages) }), ...(folder === undefined ? {} : { world: folder }),
  };
}

async function runUp(flags: ServerFlags & DeliveryFlags & ApiFlags, world: CliWorld): Promise<void> {
  const log = (line: string): void => void world.stderr.write(`${line}\n`);
  const server = await world.spawnApiServer(serverOptions(flags, world));
  const cluster = await openCluster({ kubeconfig: server.kubeconfig }, world, false);
  let controller: RunningController | undefined;
  let api: RunningApi | undefined;
  try {
    controller = await world.startController({ ...deliveryOptions(flags, dataOf(flags), log), allowsFileRepositories: true, cluster });
    api = await world.startApi({ ...apiOptions(flags, log), front: controller.front });
    const stopped = world.untilStopped();
    world.stdout.write(welcome(server, api, flags.demo === true));
    await Promise.race([stopped, server.untilEnded()]);
  } finally {
    await api?.close();
    await controller?.close();
    await cluster.close();
    await server.close();
  }
}

function welcome(server: RunningServer, api: RunningApi, hasDemo: boolean): string {
  return [
    '', '  Argosy is up.', '',
    `  API             ${api.url}`, ...signInText(api),
    `  Kubernetes API  ${server.url}`,
    `  kubeconfig      ${server.kubeconfig}`, '',
    `  Try             kubectl --kubeconfig ${server.kubeconfig} get nodes`,
    '                  npx argosy app list', ...(hasDemo ? ['                  npx argosy demo list'] : []), '',
    '  Ctrl-C stops it; the data stays.', '', '',
  ].join('\n');
}
