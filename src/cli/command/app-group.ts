import { InvalidArgumentError, Option, type Command } from 'commander';
import type { AppFlags, AppSession } from '../session/index.js';
import type { CliHost } from '../host/index.js';
import type { ExitStatus } from './add-command.js';
import { collect } from './flag-values.js';

/** `argosy app`, or a group inside it. */
export interface AppGroup {
  readonly app: Command;
  readonly host: CliHost;
  readonly exitStatus: ExitStatus;
  /** Opens the cluster, runs, prints what comes back. */
  run(flags: AppFlags, access: 'read' | 'write', act: (session: AppSession) => Promise<string | void>): Promise<void>;
}

export const count = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`${JSON.stringify(text)} is not a whole number`);
  return Number(text);
};
export const counts = (text: string, before: readonly number[] = []): number[] => [
  ...before,
  ...text.split(',').map(count),
];
export const output = (choices: readonly string[], chosen?: string): Option => {
  const option = new Option('-o, --output <format>', 'output format').choices(choices);
  return chosen === undefined ? option : option.default(chosen);
};
export const OUTPUT_FORMATS = ['json', 'yaml', 'wide', 'tree', 'tree=detailed'];

/**
 * A command with the flags that say which cluster and namespace. `namespace` means the resource's own where a command
 * has such a flag.
 */
export function command({ app }: AppGroup, words: string, description: string, examples: readonly string[]): Command {
  return app
    .command(words)
    .description(description)
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option('-N, --app-namespace <namespace>', 'the namespace of the application')
    .option(
      '--control-namespace <namespace>',
      'the namespace of the control plane (default: ARGOSY_NAMESPACE, that of the running instance, argocd)',
    )
    .addHelpText(
      'after',
      `\nExample${examples.length > 1 ? 's' : ''}:\n${examples.map((example) => `  argosy app ${example}`).join('\n')}`,
    );
}

/** `--namespace`, where no resource is spoken of, is the control plane's. */
export function ownNamespace(made: Command): Command {
  return made.option('--namespace <namespace>', 'the same as --control-namespace').hook('preAction', (_, action) => {
    const { namespace } = action.opts<{ namespace?: string }>();
    if (namespace !== undefined) action.setOptionValue('controlNamespace', namespace);
  });
}

/** A switch that may also be written `--name=false`. */
export function toggle(made: Command, flags: string, about: string): Command {
  const name = /--([a-zA-Z-]+)/.exec(flags)?.[1] ?? '';
  return made.option(flags, about).addOption(new Option(`--no-${name}`).hideHelp());
}

/** Flags of commands that look at an application: at other revisions, or with files of this machine. */
export function withInspectFlags(made: Command): Command {
  return made
    .option('--revision <revision>', 'use this revision')
    .option('--revisions <revision>', 'revision of one of several sources; may be repeated', collect)
    .option('--source-positions <positions>', 'the sources of --revisions, from 1; may be repeated', counts)
    .option('--source-names <name>', 'the sources of --revisions; may be repeated', collect)
    .option('--local <path>', 'render this local folder instead of the repository')
    .option(
      '--local-repo-root <path>',
      'root of the repository that contains the folder (default: the enclosing git repository)',
    );
}
