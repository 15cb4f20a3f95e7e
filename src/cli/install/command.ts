import { InvalidArgumentError, Option, type Command } from 'commander';
import { collectList, type ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { DoctorFlags } from './doctor.js';
import type { InstallFlags, UninstallFlags } from './flags.js';

/** `argosy install`: everything that Argosy needs in a cluster, as YAML or applied. */
export function addInstall(program: Command, host: CliHost): void {
  withValueFlags(withClusterFlags(program.command('install')))
    .requiredOption(
      '-o, --output <what>',
      'yaml prints the manifests; apply applies them and waits until everything is available',
      whatToDo,
    )
    .description('install Argosy in a cluster, or print its manifests')
    .addHelpText(
      'after',
      '\nExamples:\n  argosy install --image registry.example.com/argosy:1.0.0 --ha 2 -o apply\n' +
        '  argosy install --rights narrow --deliver-to shop,web -o yaml > argosy.yaml',
    )
    .action(async (flags: InstallFlags) => (await import('./install.js')).install(flags, host));
}

/** `argosy upgrade`: the same installation with this version, and with what the flags change. */
export function addUpgrade(program: Command, host: CliHost): void {
  withValueFlags(withClusterFlags(program.command('upgrade')))
    .option('--dry-run', 'ask the server whether it would take everything, change nothing')
    .description('upgrade an installation to this version, with the values that it was made with')
    .addHelpText('after', '\nExample:\n  argosy upgrade --image registry.example.com/argosy:1.1.0')
    .action(async (flags: InstallFlags) => (await import('./install.js')).upgrade(flags, host));
}

/** `argosy uninstall`: Applications, settings and what was delivered stay. */
export function addUninstall(program: Command, host: CliHost): void {
  withClusterFlags(program.command('uninstall'))
    .option('--dry-run', 'print what would be deleted')
    .option('-y, --yes', 'do not ask')
    .description('remove Argosy from a cluster; Applications, settings and what they delivered stay')
    .addHelpText('after', '\nExample:\n  argosy uninstall --namespace argocd --dry-run')
    .action(async (flags: UninstallFlags) => (await import('./uninstall.js')).uninstall(flags, host));
}

/** `argosy doctor`: what an installation lacks. */
export function addDoctor(program: Command, host: CliHost, { exit }: ExitStatus): void {
  withClusterFlags(program.command('doctor'))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['table', 'json', 'yaml']).default('table'))
    .description(
      'check an installation: definitions, rights, pods, ports, certificates and clocks; exit code 1 if one is wrong',
    )
    .addHelpText('after', '\nExamples:\n  argosy doctor\n  argosy doctor -o yaml | kubectl apply --server-side -f -')
    .action(async (flags: DoctorFlags) => {
      if (await (await import('./doctor.js')).doctor(flags, host)) exit(1);
    });
}

function withClusterFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option('-n, --namespace <name>', 'namespace of the installation (default ARGOSY_NAMESPACE, argocd)');
}

function withValueFlags(command: Command): Command {
  return command
    .option('--image <reference>', 'image of controller and server')
    .option('--ha <number>', 'replicas of the server and of the controller, of which one leads', whole)
    .option('--shards <number>', 'controllers that divide the clusters among them', whole)
    .option('--read-only', 'compare and report, change nothing')
    .addOption(
      new Option(
        '--rights <which>',
        'wide: everything in the cluster, as Argo CD; narrow: only the namespaces of --deliver-to',
      ).choices(['wide', 'narrow']),
    )
    .option('--deliver-to <namespaces>', 'namespaces of narrow rights; may be repeated', collectList)
    .option('--notebooks', 'with narrow rights: those to run notebooks too')
    .addOption(
      new Option('--profile <name>', 'defaults of plain Argo CD or of OpenShift GitOps').choices([
        'kubernetes',
        'openshift',
      ]),
    )
    .option('-f, --values <file>', 'values, as the chart has them; later files win; may be repeated', collectList)
    .option('--timeout <seconds>', 'how long to wait until everything is available', whole, 300)
    .option('--force-conflicts', 'take over fields that another manager set');
}

function whatToDo(text: string): string {
  if (text === 'yaml' || text === 'apply') return text;
  throw new InvalidArgumentError('Write yaml or apply.');
}

function whole(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number.`);
  return Number(text);
}
