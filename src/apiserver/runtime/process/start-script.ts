/** Where a container has what it is started with, and nobody else. */
export const START = '/run/argosy/start';
/** Names that shells keep for themselves; `env` sets them. */
const KEPT_BY_SHELLS = /^(?:BASH.*|DIRSTACK|EUID|FUNCNAME|GROUPS|LINENO|OPTIND|PPID|RANDOM|SECONDS|SHELLOPTS|UID|_)$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SHELLS = /^(?:.*\/)?(?:sh|bash|dash|ash|ksh|zsh)$/;

export interface StartedProgram {
  readonly values: ReadonlyMap<string, string>;
  readonly workingDirectory: string;
  readonly command: readonly string[];
  /** Positions in the command of words in which a variable was filled in. */
  readonly filled: ReadonlySet<number>;
}

/**
 * What the first shell of a container runs: it comes as a file that only the container sees, so no command line of this
 * machine has a variable, or a word in which one was filled in. The script of a shell is such a word, and is read from
 * a file in turn.
 */
export function startScript({ values, workingDirectory, command, filled }: StartedProgram): string {
  const set = [...values].filter(([name]) => VARIABLE_NAME.test(name) && !KEPT_BY_SHELLS.test(name));
  const others = [...values].filter(([name]) => !VARIABLE_NAME.test(name) || KEPT_BY_SHELLS.test(name));
  const words = command.map(quoted);
  const files: string[] = [];
  const at = secretScript(command);
  if (at !== undefined && filled.has(at)) {
    files.push(`printf '%s\\n' ${words[at] ?? ''} > ${START}-script`);
    words[at] = quoted(`. ${START}-script`);
  }
  const prefix =
    others.length === 0 ? '' : ['/usr/bin/env --', ...others.map((each) => quoted(each.join('=')))].join(' ');
  return [
    'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-',
    'umask 022',
    ...files,
    'rm -f "$0"',
    ...(workingDirectory === ''
      ? []
      : [`mkdir -p ${quoted(workingDirectory)} 2>/dev/null`, `cd ${quoted(workingDirectory)} || exit 125`]),
    ...set.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `exec ${prefix} ${words.join(' ')}`,
    '',
  ].join('\n');
}

/** Where `sh -c` has its script. */
function secretScript([program = '', ...words]: readonly string[]): number | undefined {
  if (!SHELLS.test(program)) return undefined;
  const option = words.findIndex((word) => !/^[-+][a-z]*$/.test(word) || /^-[a-z]*c$/.test(word));
  return /^-[a-z]*c$/.test(words[option] ?? '') ? option + 2 : undefined;
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
