import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { CliWorld, RunningServer } from './cli-world.js';

interface ServerFlags {
  readonly data?: string;
  readonly apiPort: number;
  readonly controllers: string;
  readonly stages?: string;
  readonly world?: string;
  readonly demo?: boolean;
}

/** `argosy apiserver`: the embedded Kubernetes API server alone. */
export function addApiserver(program: Command, world: CliWorld): void {
  withServerFlags(program.command('apiserver'), world)
    .description('run the embedded Kubernetes API server and its controllers')
    .addHelpText('after', '\nExample:\n  argosy apiserver --data ./cluster --api-port 0')
    .action((flags: ServerFlags) => serve(flags, world, (server) => `Kubernetes API on ${server.url}\n`));
}

/** `argosy up`: everything that one machine needs. */
export function addUp(program: Command, world: CliWorld): void {
  withServerFlags(program.command('up'), world)
    .option('--no-demo', 'start empty, without the third-party controllers of the demo')
    .description('run Argosy on this machine: embedded cluster and controllers')
    .addHelpText('after', '\nExample:\n  argosy up\n  kubectl --kubeconfig ~/.argosy/kubeconfig get nodes')
    .action((flags: ServerFlags) => serve(flags, world, (server) => welcome(server, flags.demo === true)));
}

function withServerFlags(command: Command, world: CliWorld): Command {
  const { environment } = world;
  return command
    .option('--data <directory>', 'where everything is kept (default ~/.argosy)', environment['ARGOSY_DATA'])
    .option('--api-port <port>', 'port of the Kubernetes API, 0 for any free one', readPort, readPort(environment['ARGOSY_API_PORT'] ?? '6443'))
    .addOption(new Option('--controllers <which>', 'which controllers run').choices(['all', 'none']).default('all'))
    .option('--stages <directory>', 'play the third-party controllers that this directory describes', environment['ARGOSY_STAGES'])
    .option('--world <directory>', 'play the third-party controllers of a world folder, with their kinds', environment['ARGOSY_WORLD']);
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port (0 to 65535)`);
  return port;
}

async function serve(flags: ServerFlags, world: CliWorld, greeting: (server: RunningServer) => string): Promise<void> {
  const data = resolve(flags.data ?? join(homedir(), '.argosy'));
  const log = (line: string): void => void world.stderr.write(`${line}\n`);
  const folder = flags.world === undefined ? (flags.demo === true ? world.world : undefined) : resolve(flags.world);
  const server = await world.startApiServer({
    data, port: flags.apiPort, controllers: flags.controllers !== 'none', log,
    ...(flags.stages === undefined ? {} : { stages: resolve(flags.stages) }), ...(folder === undefined ? {} : { world: folder }),
  });
  world.stdout.write(greeting(server));
  await world.untilStopped();
  await server.close();
}

function welcome(server: RunningServer, hasDemo: boolean): string {
  return [
    '', '  Argosy is up.', '',
    `  Kubernetes API  ${server.url}`,
    `  kubeconfig      ${server.kubeconfig}`, '',
    `  Try             kubectl --kubeconfig ${server.kubeconfig} get nodes`, ...(hasDemo ? ['                  npx argosy demo list'] : []), '',
    '  Ctrl-C stops it; the data stays.', '', '',
  ].join('\n');
}
