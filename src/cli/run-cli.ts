import { Command, CommanderError } from 'commander';
import { Fault } from '../model/faults/index.js';
import { spellSwitches } from './app/index.js';
import { asSentence, remedyFor, type ExitStatus } from './command/index.js';
import { COMMANDS } from './commands.js';
import { COMPLETE, printCompletions } from './completion/index.js';
import type { CliHost } from './host/index.js';
import { forMessages, forTerminal } from './output/index.js';

/** Argo CD's exit code for every failure; 0, 1 and 2 keep their meaning in `diff` and `triage`. */
const EXIT_FAILED = 20;

/** The exit code so far, and that of a failure. */
interface Outcome {
  code: number;
  failure: number;
}

/** A bad value in the environment throws, as a bad flag does. */
export function addCommands(program: Command, host: CliHost, outcome: Outcome): void {
  const exitStatus: ExitStatus = {
    exit: (code) => {
      outcome.code = code;
    },
    failWith: (code) => {
      outcome.failure = code;
    },
  };
  for (const add of COMMANDS) add(program, host, exitStatus);
}

export async function runCli(argv: readonly string[], outside: CliHost): Promise<number> {
  const host: CliHost = {
    ...outside,
    stdout: forTerminal(outside.stdout, argv, outside.environment),
    stderr: forMessages(outside.stderr),
  };
  let help = '';
  const program = new Command('argosy')
    .description('GitOps delivery that is compatible with Argo CD and explains itself')
    .version(`argosy ${host.version}`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => {
        help = text;
      },
    });
  const outcome: Outcome = { code: 0, failure: EXIT_FAILED };
  try {
    addCommands(program, host, outcome);
    if (argv.length === 0) program.outputHelp();
    else if (argv[0] === COMPLETE) await printCompletions(program, argv.slice(1), host);
    else await program.parseAsync(spellSwitches(argv), { from: 'user' });
    return outcome.code;
  } catch (error) {
    // A group of commands without a word which one: its help is the answer.
    if (error instanceof CommanderError && error.code === 'commander.help') {
      host.stdout.write(help);
      return 0;
    }
    const remedy = (hint: string): string => remedyFor(hint, program, argv);
    return reportError(error, host, { asJson: isJsonWanted(argv), remedy }) ? outcome.failure : 0;
  }
}

/** Whether a program reads the answer: it gets its errors as JSON too. */
function isJsonWanted(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      /^(-ojson|-o=json|--output=json)$/.test(word) || (/^(-o|--output)$/.test(word) && argv[index + 1] === 'json'),
  );
}

/** One sentence: what happened, where, and what to do. Says whether anything failed at all. */
function reportError(
  error: unknown,
  host: CliHost,
  { asJson, remedy }: { readonly asJson: boolean; readonly remedy: (hint: string) => string },
): boolean {
  if (error instanceof CommanderError && error.exitCode === 0) return false;
  const { code, message, where, hint } = describeError(error, remedy);
  const place = where === '' ? '' : ` (${where})`;
  host.stderr.write(
    asJson
      ? `${JSON.stringify({ error: { code, message, where, hint } }, null, 2)}\n`
      : `argosy: ${message}${place}. ${hint}\n`,
  );
  return true;
}

/** What the system says of a file or folder that somebody named is no defect, wherever it was met. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    'syscall' in error &&
    'path' in error &&
    /^E(ACCES|PERM|NOENT|ISDIR|NOTDIR|LOOP|NAMETOOLONG|INVAL|NXIO|IO|ROFS|NOSPC|MFILE)$/.test(
      (error as NodeJS.ErrnoException).code ?? '',
    )
  );
}

function describeError(
  error: unknown,
  remedy: (hint: string) => string,
): { code: string; message: string; where: string; hint: string } {
  if (error instanceof CommanderError)
    return {
      code: 'USAGE',
      message: error.message.replace(/^error: /, '').replace(/\.$/, ''),
      where: '',
      hint: 'See argosy --help',
    };
  if (error instanceof Fault)
    return { code: error.code, message: error.message, where: error.where, hint: asSentence(remedy(error.hint)) };
  if (isSystemError(error))
    return { code: 'FILE_UNREADABLE', message: error.message, where: '', hint: 'Check the path and its permissions' };
  return {
    code: 'DEFECT',
    message: error instanceof Error ? error.message : String(error),
    where: '',
    hint: 'This is a defect of Argosy; please report it',
  };
}
