import { InvalidArgumentError, Option, type Command } from 'commander';
import { collect, type ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { ApplyFlags } from './apply.js';
import type { EvalFlags } from './eval.js';
import type { LintFlags } from './lint.js';
import type { VerifyFlags } from './verify.js';

/** `argosy health ...`: judge objects, and check the checks before they ship. */
export function addHealth(program: Command, host: CliHost, { exit: setExitCode }: ExitStatus): void {
  const health = program
    .command('health')
    .description('assess the health of objects, and test health checks before they ship');
  addEval(health, host);
  addList(health, host);
  addTest(health, host, setExitCode);
  addLint(health, host, setExitCode);
  addApply(health, host, setExitCode);
  addVerify(health, host, setExitCode);
}

const output = (...choices: string[]): Option => new Option('-o, --output <format>', 'output format').choices(choices);

function addEval(health: Command, host: CliHost): void {
  health
    .command('eval')
    .description('print the health of each object in a file')
    .requiredOption(
      '-f, --filename <file>',
      'file with objects (YAML or JSON), - for standard input; may be repeated',
      collect,
    )
    .option('--lua <file>', 'use this script instead of the catalogue')
    .option('--open-libs', 'enable the Lua standard libraries (useOpenLibs)')
    .option('--settings <file>', 'use resource customizations of this argocd-cm; may be repeated', collect)
    .addOption(output('json', 'yaml', 'wide'))
    .addHelpText(
      'after',
      '\nExamples:\n  argosy health eval -f deployment.yaml\n  kubectl get pvc -o yaml | argosy health eval ' +
        '-f -\n  argosy health eval -f job.yaml --lua health.lua',
    )
    .action(async (flags: EvalFlags) => {
      const [{ evaluate }, catalogue] = await Promise.all([import('./eval.js'), loadCatalogue(host)]);
      host.stdout.write(evaluate(flags, catalogue, host.now));
    });
}

function addList(health: Command, host: CliHost): void {
  health
    .command('list')
    .description('list the kinds that the catalogue has checks for')
    .addOption(output('json', 'wide', 'name'))
    .addHelpText('after', '\nExample:\n  argosy health list -o wide')
    .action(async (flags: { readonly output?: string }) => {
      const [{ listCatalogue }, catalogue] = await Promise.all([import('./list.js'), loadCatalogue(host)]);
      host.stdout.write(listCatalogue(catalogue, flags.output));
    });
}

function addTest(health: Command, host: CliHost, setExitCode: (code: number) => void): void {
  health
    .command('test <directory>')
    .description(
      "run a folder of checks and actions in Argo CD's layout: GROUP/KIND/{health.lua,health_test.yaml,testdata/}",
    )
    .option('--sandbox', 'run checks without the Lua standard libraries, as in a cluster')
    .addOption(output('json'))
    .addHelpText('after', '\nExample:\n  argosy health test resource_customizations')
    .action(async (directory: string, flags: { readonly sandbox?: boolean; readonly output?: string }) => {
      const { reportSuite } = await import('./report-suite.js');
      const { text, failed } = reportSuite(directory, { sandbox: flags.sandbox === true, now: host.now }, flags.output);
      host.stdout.write(text);
      if (failed) setExitCode(1);
    });
}

function addLint(health: Command, host: CliHost, setExitCode: (code: number) => void): void {
  health
    .command('lint [files...]')
    .description('find mistakes in health checks: Lua files, argocd-cm, ArgoCD objects; CRDs are used to check fields')
    .option('--cluster', 'read settings and CRDs from the cluster')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster to read')
    .option('--context <name>', 'kubeconfig context')
    .option(
      '--namespace <name>',
      'namespace of the control plane (default: ARGOSY_NAMESPACE, that of the running instance, argocd)',
    )
    .option('--kind <group/kind>', 'kind that a Lua file is for, if its path does not say')
    .option('--open-libs', 'the script uses the Lua standard libraries (useOpenLibs)')
    .addOption(output('json'))
    .addHelpText(
      'after',
      '\nExamples:\n  argosy health lint health.lua --kind mlops.mlops.dev/NotebookValidationJob crd.yaml\n ' +
        ' argosy health lint argocd-cm.yaml\n  argosy health lint --cluster',
    )
    .action(async (files: string[], flags: LintFlags) => {
      const { lint } = await import('./lint.js');
      const { text, failed } = await lint(files, flags, host);
      host.stdout.write(text);
      if (failed) setExitCode(1);
    });
}

/** Which cluster, and whose settings in it. */
function ofControlPlane(command: Command, host: CliHost): Command {
  const { ARGOSY_NAMESPACE: namespace } = host.environment;
  return command
    .option(
      '-n, --namespace <name>',
      'namespace of the control plane; by default that of the only ArgoCD resource',
      namespace,
    )
    .option('--name <name>', 'the ArgoCD resource; by default the one that owns argocd-cm')
    .option('--kubeconfig <file>', 'the cluster')
    .option('--context <name>', 'kubeconfig context');
}

function addApply(health: Command, host: CliHost, setExitCode: (code: number) => void): void {
  ofControlPlane(health.command('apply'), host)
    .description(
      'install health checks for model serving, volumes and notebooks into the ArgoCD resource or argocd-cm, ' +
        'and refresh all applications',
    )
    .option('-f, --force', 'overwrite existing checks without prompting')
    .option('--dir <folder>', 'also install the checks in this folder: GROUP/KIND/health.lua or GROUP_KIND.lua')
    .option('--timeout <seconds>', 'how long to wait for the operator and the applications', seconds, 60)
    .addHelpText(
      'after',
      '\nExamples:\n  argosy health apply\n  argosy health apply --force -n openshift-gitops --dir my-checks',
    )
    .action(async (flags: ApplyFlags) => {
      const { applyChecks } = await import('./apply.js');
      if (!(await applyChecks(flags, host))) setExitCode(1);
    });
}

function addVerify(health: Command, host: CliHost, setExitCode: (code: number) => void): void {
  ofControlPlane(health.command('verify'), host)
    .description('verify that the health checks of the ArgoCD resource reach the applications')
    .addHelpText('after', '\nExample:\n  argosy health verify -n openshift-gitops')
    .action(async (flags: VerifyFlags) => {
      const { verifyChecks } = await import('./verify.js');
      if (!(await verifyChecks(flags, host))) setExitCode(1);
    });
}

function seconds(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('write a number of seconds above 0.');
  return Number(text);
}

async function loadCatalogue(
  host: CliHost,
): Promise<Awaited<ReturnType<typeof import('../../control/index.js')['loadCatalogue']>>> {
  return (await import('../../control/index.js')).loadCatalogue(host.catalogue);
}
