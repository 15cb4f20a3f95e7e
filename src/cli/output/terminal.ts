import type { OutputStream } from '../host/index.js';
import { ERASE_LINE, printable, printableOutput } from './printable.js';

const COLOURS: readonly (readonly [number, readonly string[]])[] = [
  [32, ['Healthy', 'Synced', 'Succeeded', 'Successful', 'Active']],
  [34, ['Progressing', 'Running', 'Pending']],
  [33, ['OutOfSync', 'Missing', 'Unknown', 'Suspended']],
  [31, ['Degraded', 'Failed', 'Error', 'SyncFailed', 'ComparisonError', 'SyncError', 'InvalidSpecError']],
];
const COLOUR_OF = new Map(COLOURS.flatMap(([colour, words]) => words.map((word) => [word, colour] as const)));
/** A cell of a table, or what follows a label. */
const STATE = new RegExp(
  `(^|  |Status: {2,}|Phase: {2,})(${[...COLOUR_OF.keys()].join('|')})(?=  |$| (?:to|from) )`,
  'g',
);
/** What stands between the cells of a row. */
const GAP = / {2,}(?! )/;
const PLAIN_COMMANDS = new Set(['render', 'values', 'completion', '__complete', 'secrets']);
const PLAIN_VERBS = new Set(['manifests', 'logs', 'diff']);

/**
 * What a person sees: rows end where the window ends, and states have a colour (never without NO_COLOR unset). What
 * strangers wrote cannot steer the terminal: only what programs printed keeps its colours. Programs, files and pipes
 * get what is meant for them as it is; what is meant for people is printable there, too.
 */
export function forTerminal(
  output: OutputStream,
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): OutputStream {
  const isForPrograms = isPlain(argv);
  if (output.isTTY !== true || isForPrograms) return safely(output, isForPrograms);
  const isColoured = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  return {
    isTTY: true,
    ...(output.columns === undefined ? {} : { columns: output.columns }),
    write: (text) =>
      output.write(
        text
          .split('\n')
          .map((line) => paint(fit(printable(line), output.columns ?? Infinity), isColoured))
          .join('\n'),
      ),
  };
}

function safely(output: OutputStream, isForPrograms: boolean): OutputStream {
  if (isForPrograms && output.isTTY !== true) return output;
  return {
    ...(output.isTTY === undefined ? {} : { isTTY: output.isTTY }),
    ...(output.columns === undefined ? {} : { columns: output.columns }),
    write: (text) => output.write(isForPrograms ? printableOutput(text) : printable(text)),
  };
}

/** Messages for people: as printable as their text, but for the line of progress. */
export function forMessages(output: OutputStream): OutputStream {
  return {
    ...(output.isTTY === undefined ? {} : { isTTY: output.isTTY }),
    ...(output.columns === undefined ? {} : { columns: output.columns }),
    write: (text) =>
      output.write(
        text.startsWith(ERASE_LINE) ? ERASE_LINE + printable(text.slice(ERASE_LINE.length)) : printable(text),
      ),
  };
}

/** Text that is meant to be used as it is. */
function isPlain(argv: readonly string[]): boolean {
  return (
    PLAIN_COMMANDS.has(argv[0] ?? '') ||
    PLAIN_VERBS.has(argv[1] ?? '') ||
    argv.some(
      (word, at) =>
        /^(-o|--output)=?(json|yaml|name|id|md|html|sarif|url|server)$/.test(word) ||
        (/^(-o|--output)$/.test(word) && /^(json|yaml|name|id|md|html|sarif|url|server)$/.test(argv[at + 1] ?? '')),
    )
  );
}

/**
 * Rows are cut where the window ends; sentences go on below, between words. What else is long, as a command to copy,
 * stays one line.
 */
function fit(line: string, columns: number): string {
  if (line.length <= columns) return line;
  return line.trim().split(GAP).length > 2 ? `${line.slice(0, Math.max(1, columns - 1))}…` : wrap(line, columns);
}

/** What stands before a sentence: a dash, or a label and its blanks. */
const BEFORE = /^ *(?:- |(?:\S+ )*\S*: {2,})/;
const MAX_LABEL_LENGTH = 30;

function wrap(line: string, columns: number): string {
  const before = BEFORE.exec(line.slice(0, MAX_LABEL_LENGTH))?.[0].length ?? 0;
  if (before === 0 || before > columns / 2) return line;
  const indent = ' '.repeat(before);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const at = rest.lastIndexOf(' ', columns);
    if (at <= indent.length) break;
    lines.push(rest.slice(0, at));
    rest = `${indent}${rest.slice(at + 1)}`;
  }
  return [...lines, rest].join('\n');
}

function paint(line: string, isColoured: boolean): string {
  return isColoured
    ? line.replace(
        STATE,
        (_, before: string, word: string) => `${before}\u001b[${COLOUR_OF.get(word) ?? 0}m${word}\u001b[0m`,
      )
    : line;
}
