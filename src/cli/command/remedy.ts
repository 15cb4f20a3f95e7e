import type { Command } from 'commander';
import { FILE_REPOS_VARIABLE } from './file-repositories.js';

/** What works where a command has no such flag, because servers and commands read the variable alike. */
const VARIABLES: Readonly<Record<string, string>> = {
  '--allow-file-repos': FILE_REPOS_VARIABLE,
  '--data': 'ARGOSY_DATA',
  '--namespace': 'ARGOSY_NAMESPACE',
  '--profile': 'ARGOSY_PROFILE',
  '--security-profile': 'ARGOSY_SECURITY_PROFILE',
};

/** A flag with its value. */
const FLAG = /(--[a-z][\w-]*)(?: ([A-Z]{2,}))?/g;
/** A program and the words after it. */
const COMMAND = /\b(argosy|kubectl|git)((?: [a-z][\w-]*)+)/g;

/**
 * A remedy that this command can carry out. Faults are met by servers and commands alike; a flag that the command lacks
 * is replaced by the variable that it reads, or it is said which commands have the flag.
 */
export function remedyFor(hint: string, program: Command, argv: readonly string[]): string {
  const own = flagsOf(running(program, argv));
  return hint.replace(FLAG, (text: string, flag: string, value: string | undefined, offset: number) => {
    if (own.has(flag) || commandLineBefore(hint, offset) !== undefined) return text;
    const variable = VARIABLES[flag];
    if (variable !== undefined) return value === undefined ? variable : `${variable}=${value}`;
    const holders = commandsWith(program, flag);
    return holders.length === 0 ? text : `${text} of argosy ${holders.slice(0, 3).join(', ')}`;
  });
}

/** The command line that goes on to this place of a hint. */
function commandLineBefore(hint: string, offset: number): { name: string; words: string } | undefined {
  const before = hint.slice(0, offset);
  const last = [...before.matchAll(COMMAND)].at(-1);
  if (last === undefined || /[;,]/.test(before.slice(last.index))) return undefined;
  const [, name = '', words = ''] = last;
  return { name, words };
}

/** A hint after a message that ended. */
export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Flags that a hint names and no command has, or not the one whose command line they are part of. */
export function unknownFlags(hint: string, program: Command): string[] {
  return [...hint.matchAll(FLAG)].flatMap((match) => {
    const [, flag = ''] = match;
    const { name, words = '' } = commandLineBefore(hint, match.index) ?? {};
    if (flag === '--help' || (name !== undefined && name !== 'argosy')) return [];
    const isKnown =
      name === undefined
        ? commandsWith(program, flag).length > 0
        : flagsOf(running(program, words.trim().split(' '))).has(flag);
    return isKnown ? [] : flag;
  });
}

/** The command that these words start. */
function running(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words)
    command = command.commands.find((each) => each.name() === word || each.aliases().includes(word)) ?? command;
  return command;
}

function flagsOf(command: Command): ReadonlySet<string> {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  return new Set([...flags, '--help', ...(command.parent === null ? [] : flagsOf(command.parent))]);
}

function commandsWith(program: Command, flag: string, words = ''): string[] {
  return program.commands.flatMap((command) => {
    const name = `${words}${command.name()}`;
    const has = command.options.some(({ long }) => long === flag);
    return [...(has ? [name] : []), ...commandsWith(command, flag, `${name} `)];
  });
}
