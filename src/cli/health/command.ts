import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';
import type { ApplyFlags } from './apply.js';
import type { EvalFlags } from './eval.js';
import type { LintFlags } from './lint.js';
import type { VerifyFlags } from './verify.js';

/** `argosy health ...`: judge objects, and check the checks before they ship. */
export function addHealth(program: Command, host: CliHost, { exit: setExitCode }: ExitStatus): void {
  const health = program
    .command('health')
    .description('judge the health of objects, and check health checks before they ship');
  addEval(health, host);
  addList(health, host);
  addTest(health, host, setExitCode);
  addLint(health, host, setExitCode);
  addApply(health, host, setExitCode);
  addVerify(health, host, setExitCode);
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
const output = (...choices: string[]): Option => new Option('-o, --output <format>', 'how to print').choices(choices);

function addEval(health: Command, host: CliHost): void {
  health
    .command('eval')
    .description('print the verdict on each object of a file')
    .requiredOption('-f, --filename <file>', 'objects as YAML or JSON, - for standard input; may be repeated', collect)
    .option('--lua <file>', 'judge with this script instead of the catalogue')
    .option('--open-libs', 'let the script use all libraries (useOpenLibs)')
    .option('--settings <file>', 'use the overrides of this argocd-cm; may be repeated', collect)
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
    .description('print the kinds that the catalogue knows')
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
    .option('--sandbox', 'run checks with the libraries that a cluster gives them, not with all')
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
    .description('find mistakes in health checks: Lua files, argocd-cm, ArgoCD objects, with CRDs to compare with')
    .option('--cluster', 'read settings and CRDs from the cluster')
    .option('--kubeconfig <file>', 'the cluster to read')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('--namespace <name>', 'where Argo CD runs', host.environment['ARGOSY_NAMESPACE'] ?? 'argocd')
    .option('--kind <group/kind>', 'what a Lua file is for, where its path does not say it')
    .option('--open-libs', 'the script may use all libraries (useOpenLibs)')
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
      'where the control plane is; that of the only ArgoCD resource unless told',
      namespace,
    )
    .option('--name <name>', 'the ArgoCD resource; the one that owns argocd-cm unless told')
    .option('--kubeconfig <file>', 'the cluster')
    .option('--context <name>', 'the context of the kubeconfig');
}

function addApply(health: Command, host: CliHost, setExitCode: (code: number) => void): void {
  ofControlPlane(health.command('apply'), host)
    .description(
      'install health checks for model serving, volumes and notebooks, in the ArgoCD resource or in ' +
        'argocd-cm, and look at all applications again',
    )
    .option('-f, --force', 'replace checks that are there already without asking')
    .option('--dir <folder>', 'also install these: GROUP/KIND/health.lua or GROUP_KIND.lua')
    .option('--timeout <seconds>', 'for the operator and for the applications', seconds, 60)
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
    .description(
      'follow the health checks from the ArgoCD resource to the applications, and say what is wrong on the way',
    )
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
