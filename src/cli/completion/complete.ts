import type { Command, Option } from 'commander';
import { type CliHost, controlNamespaceOf, openCluster } from '../host/index.js';
import { APPLICATIONS, APP_PROJECTS } from '../../model/resources/index.js';

/** A shell that waits longer feels broken. */
const TIMEOUT = 2_000;
const MAX_NAMES = 5_000;

/** What may come next; the last word is what was typed of it so far. */
export async function complete(program: Command, words: readonly string[], host: CliHost): Promise<string[]> {
  const last = words.at(-1) ?? '';
  const { command, values, pending } = walk(program, words.slice(0, -1));
  const fitting = (all: readonly string[]): string[] =>
    [...new Set(all)].filter((each) => each.startsWith(last)).sort();
  if (pending !== undefined) return fitting(pending.argChoices ?? (await flagValues(pending, words, host)));
  if (last.startsWith('-'))
    return fitting(
      command.options
        .filter(({ hidden, negate }) => !hidden && !negate)
        .flatMap(({ long }) => (long === undefined ? [] : [long]))
        .concat('--help'),
    );
  const below = command.commands
    .filter((each) => !each.name().startsWith('__') && each.name() !== 'help')
    .map((each) => each.name());
  if (below.length > 0) return fitting(below);
  const argument =
    command.registeredArguments[values] ?? command.registeredArguments.findLast(({ variadic }) => variadic);
  if (argument === undefined) return [];
  return fitting(argument.argChoices ?? (await names(path(command), argument.name(), words, host)));
}

interface CompletionPoint {
  readonly command: Command;
  /** How many arguments were given. */
  readonly values: number;
  /** A flag that waits for its value. */
  readonly pending: Option | undefined;
}

function walk(program: Command, words: readonly string[]): CompletionPoint {
  let [command, values, pending]: [Command, number, Option | undefined] = [program, 0, undefined];
  for (const word of words) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      pending = option !== undefined && (option.required || option.optional) ? option : undefined;
    } else {
      const inner: Command | undefined =
        values === 0
          ? command.commands.find((each) => each.name() === word || each.aliases().includes(word))
          : undefined;
      if (inner === undefined) values++;
      else command = inner;
    }
  }
  return { command, values, pending };
}

function path(command: Command): string {
  return command.parent === null ? '' : `${path(command.parent)} ${command.name()}`.trim();
}

/** Names of the cluster; none where it does not answer in time. */
async function names(
  of: string,
  argument: string,
  words: readonly string[],
  host: CliHost,
): Promise<readonly string[]> {
  if (/^demo (break|heal)$/.test(of)) return (await host.openStories()).stories.map(({ name }) => name);
  if (of.startsWith('app ') && /^names?$/.test(argument)) return listNames(APPLICATIONS, words, host);
  if (of === 'drift' || of === 'check') return listNames(APPLICATIONS, words, host);
  if (of.startsWith('proj ') && /^projects?$/.test(argument)) return listNames(APP_PROJECTS, words, host);
  return [];
}

async function flagValues({ long }: Option, words: readonly string[], host: CliHost): Promise<readonly string[]> {
  return long === '--project' ? listNames(APP_PROJECTS, words, host) : [];
}

async function listNames(
  kind: typeof APPLICATIONS,
  words: readonly string[],
  host: CliHost,
): Promise<readonly string[]> {
  const flag = (name: string): string | undefined => {
    const at = words.indexOf(name);
    return at < 0 ? undefined : words[at + 1];
  };
  const [kubeconfig, context, given] = [
    flag('--kubeconfig'),
    flag('--context'),
    flag('-N') ?? flag('--app-namespace') ?? flag('--control-namespace'),
  ];
  try {
    const cluster = await openCluster(
      { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) },
      { ...host, stderr: { write: () => undefined } },
      true,
    );
    try {
      const { rows } = await cluster.table(kind, {
        namespace: controlNamespaceOf(cluster.server, host, { given, kubeconfig }),
        signal: AbortSignal.timeout(TIMEOUT),
        limits: { tries: 1 },
      });
      return rows.slice(0, MAX_NAMES).map(({ name }) => name);
    } finally {
      await cluster.close();
    }
  } catch {
    // Nobody wants an error in the middle of a line that is being typed.
    return [];
  }
}
