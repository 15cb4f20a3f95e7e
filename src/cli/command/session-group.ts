import { Option, type Command } from 'commander';
import type { AppFlags, AppSession } from '../session/index.js';
import type { CliHost } from '../host/index.js';

/** A group of commands that talk to a cluster. */
export interface SessionGroup {
  readonly host: CliHost;
  readonly command: Command;
  /**
   * A command of the group with the flags that say which cluster and namespace; examples go without the name of the
   * group.
   */
  verb(words: string, description: string, examples: readonly string[]): Command;
  /** Opens the cluster, runs, prints what comes back. */
  run(flags: AppFlags, access: 'read' | 'write', act: (session: AppSession) => Promise<string | void>): Promise<void>;
  /** A group inside this one. */
  inner(name: string, description: string): SessionGroup;
}

export function openGroup(
  parent: Command,
  host: CliHost,
  name: string,
  description: string,
  path = `argosy ${name}`,
): SessionGroup {
  const command = parent.command(name).description(description);
  return {
    host: host,
    command,
    verb: (words, about, examples) =>
      withClusterFlags(command.command(words).description(about)).addHelpText(
        'after',
        `\nExample${examples.length > 1 ? 's' : ''}:\n${examples.map((example) => `  ${path} ${example}`).join('\n')}`,
      ),
    async run(flags, access, act) {
      const { withSession } = await import('../session/app-session.js');
      const text = await withSession(flags, host, access, act);
      if (typeof text === 'string') host.stdout.write(text);
    },
    inner: (word, about) => openGroup(command, host, word, about, `${path} ${word}`),
  };
}

function withClusterFlags(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option(
      '-n, --control-namespace <namespace>',
      'the namespace of the control plane (default: ARGOSY_NAMESPACE, that of the running instance, argocd)',
    );
}

export const outputOption = (choices: readonly string[], chosen = 'wide'): Option =>
  new Option('-o, --output <format>', 'output format').choices(choices).default(chosen);
