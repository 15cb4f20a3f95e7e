import { InvalidArgumentError, Option, type Command } from 'commander';
import type { ExitStatus } from '../command/index.js';
import type { CliHost } from '../host/index.js';

interface Group {
  readonly notebook: Command;
  readonly host: CliHost;
  exit(code: number): void;
}

/** `argosy notebook ...`: notebooks that a cluster runs, cell by cell. */
export function addNotebook(program: Command, host: CliHost, { exit }: ExitStatus): void {
  const notebook = program
    .command('notebook')
    .description('show notebook validation jobs of a cluster, and run notebooks on this machine');
  const group: Group = { notebook, host, exit };
  addList(group);
  addGet(group);
  addRun(group);
}

function command({ notebook }: Group, words: string, description: string, examples: readonly string[]): Command {
  return notebook
    .command(words)
    .description(description)
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option('-n, --namespace <namespace>', 'namespace of the notebook; all by default')
    .addHelpText(
      'after',
      `\nExample${examples.length > 1 ? 's' : ''}:\n` +
        examples.map((example) => `  argosy notebook ${example}`).join('\n'),
    );
}

function output(...choices: string[]): Option {
  return new Option('-o, --output <format>', 'output format').choices(choices).default('table');
}

const seconds = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number`);
  return Number(text);
};

function addList(group: Group): void {
  command(group, 'list', 'list notebooks with phase, cells and duration', [
    'list',
    'list -n ml-platform -o wide',
    'list -l app.kubernetes.io/part-of=ml-platform',
  ])
    .option('-l, --selector <selector>', 'filter by label')
    .addOption(output('table', 'wide', 'name', 'json', 'yaml'))
    .action(async (flags: Parameters<typeof import('./list.js')['list']>[1]) => {
      const [{ withSession }, { list }] = await Promise.all([import('../session/app-session.js'), import('./list.js')]);
      group.host.stdout.write(await withSession(flags, group.host, 'read', (session) => list(session, flags)));
    });
}

function addGet(group: Group): void {
  command(group, 'get <name>', 'show a notebook with its cells', [
    'get train',
    'get ml-platform/train -w',
    'get train -o json',
  ])
    .option(
      '-w, --watch',
      'print each cell as it ends, until the notebook is finished; exit code 1 if it failed or is only simulated',
    )
    .option('--timeout <seconds>', 'timeout in seconds, 0 for none', seconds, 0)
    .addOption(output('table', 'json', 'yaml'))
    .action(async (name: string, flags: Parameters<typeof import('./get.js')['get']>[2]) => {
      const [{ withSession }, { get }] = await Promise.all([import('../session/app-session.js'), import('./get.js')]);
      group.host.stdout.write(
        await withSession(flags, group.host, 'read', (session) =>
          get(session, name, flags, (code) => {
            group.exit(code);
          }),
        ),
      );
    });
}

/** No cluster is needed: the same program runs the notebook on this machine. */
function addRun({ notebook, host, exit }: Group): void {
  notebook
    .command('run <file>')
    .description('run a notebook on this machine and print its cells; exit code 1 if it fails')
    .option('--golden <file>', 'a reference notebook to compare the outputs with')
    .addOption(
      new Option('--level <level>', 'how strictly outputs are compared').choices([
        'learning',
        'development',
        'staging',
        'production',
      ]),
    )
    .option('--strict', 'print all details')
    .option('--cell-timeout <seconds>', 'timeout of a cell', seconds)
    .option('--save <file>', 'write the executed notebook to this file')
    .option('--plain', 'use only the Python standard library, even if Jupyter is installed')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      '\nExamples:\n  argosy notebook run train.ipynb\n  argosy notebook run train.ipynb --golden ' +
        'golden.ipynb --level production',
    )
    .action(async (file: string, flags: Parameters<typeof import('./run.js')['run']>[1]) => {
      const { run } = await import('./run.js');
      exit(await run(file, flags, host));
    });
}
