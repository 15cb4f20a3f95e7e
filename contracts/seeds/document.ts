import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../shared/seeds');

export type UnitKind =
  | 'heading'
  | 'table-row'
  | 'code'
  | 'command'
  | 'checklist'
  | 'recommendation'
  | 'decision'
  | 'item';

/** One thing of a document that must have a row; lines as an editor counts them. */
export interface Unit {
  readonly kind: UnitKind;
  readonly from: number;
  readonly to: number;
}

const FENCE = /^\s*```(\w*)\s*$/;
const SHELL = new Set(['bash', 'sh', 'shell', 'console', 'makefile']);
const SEPARATOR = /^\|[\s:|-]+$/;
const ITEM = /^\s*(?:[-*+]|\d+\.) /;
/** Two words, such as `oc edit`, only name a verb. */
const INLINE_COMMAND = /`(?:kubectl|oc|argocd|helm|git|vault) [^\s`]+ [^`]+`/;
const FIRST_WORD = /^(?:kubectl|oc|argocd|helm|git|vault) /;
const ADVICE_HEADS = [
  ...['Recommendation', 'Fix', 'Solution', 'Resolution', 'Best Practice', 'Anti-Pattern', 'Rationale', 'Next'],
  ...['Current Workaround', 'Workaround', 'The correct approach'],
];
const ADVICE = new RegExp(`^\\*\\*(?:${ADVICE_HEADS.join('|')})[^*]*\\*\\*:?\\s*(?!\\d{4}-\\d\\d-\\d\\d\\s*$)\\S`);

/** The lines of a document; undefined where it is not on this machine. */
export function readDocument(seed: string): readonly string[] | undefined {
  const file = existsSync(FOLDER) ? readdirSync(FOLDER).find((name) => name.startsWith(seed)) : undefined;
  return file === undefined ? undefined : readFileSync(join(FOLDER, file), 'utf8').split('\n');
}

/** Everything of a document that must have a row, from its first line to its last. */
export function unitsOf(lines: readonly string[]): Unit[] {
  const units: Unit[] = [];
  let section = '';
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const fence = FENCE.exec(line);
    if (fence) {
      const end = lines.findIndex((each, at) => at > index && FENCE.test(each));
      if (end < 0) throw new Error(`line ${index + 1}: the block has no end`);
      units.push(...unitsOfBlock(lines, { language: fence[1] ?? '', from: index + 1, to: end + 1 }));
      index = end;
      continue;
    }
    if (/^#{1,6} /.test(line)) section = line.replace(/^#+ /, '');
    const kind = kindOf(line, lines[index + 1] ?? '', section);
    if (kind !== undefined) units.push({ kind, from: index + 1, to: index + 1 });
  }
  return units;
}

function kindOf(line: string, next: string, section: string): UnitKind | undefined {
  if (/^#{1,6} /.test(line)) return 'heading';
  if (line.startsWith('|')) return SEPARATOR.test(line) || SEPARATOR.test(next) ? undefined : 'table-row';
  if (/^\s*[-*] \[[ xX]\] /.test(line)) return 'checklist';
  if (INLINE_COMMAND.test(line)) return 'command';
  if (ITEM.test(line)) return section.startsWith('Decision') ? 'decision' : 'item';
  return ADVICE.test(line) ? 'recommendation' : undefined;
}

interface Block {
  readonly language: string;
  /** Its fences. */
  readonly from: number;
  readonly to: number;
}

function unitsOfBlock(lines: readonly string[], { language, from, to }: Block): Unit[] {
  if (SHELL.has(language)) return commandsBetween(lines, from + 1, to - 1);
  const whole: Unit = { kind: 'code', from, to };
  const isSession = language === '' && FIRST_WORD.test(lines[from]?.trim() ?? '');
  return isSession ? [whole, { kind: 'command', from: from + 1, to: from + 1 }] : [whole];
}

/** The commands of a shell block: a loop is one, a line that goes on is one, a comment is none. */
function commandsBetween(lines: readonly string[], first: number, last: number): Unit[] {
  const units: Unit[] = [];
  let from = 0;
  let depth = 0;
  for (let number = first; number <= last; number++) {
    const line = (lines[number - 1] ?? '').trim();
    if (from === 0 && (line === '' || line.startsWith('#'))) continue;
    if (from === 0) from = number;
    depth +=
      (line.match(/\b(?:for|while|until) .*;? ?do\b|^if /g)?.length ?? 0) -
      (line.match(/^(?:done|fi)\b/g)?.length ?? 0);
    if (depth > 0 || line.endsWith('\\')) continue;
    units.push({ kind: 'command', from, to: number });
    from = 0;
  }
  return units;
}

/** The text of a command, after what its block does before to the shell itself: variables and the folder. */
export function commandAt(lines: readonly string[], { from, to }: Unit): string {
  const inline = /`([^`]+)`/.exec(INLINE_COMMAND.exec(lines[from - 1] ?? '')?.[0] ?? '')?.[1];
  const fences = lines
    .slice(0, from)
    .reduce<number[]>((found, line, index) => (FENCE.test(line) ? [...found, index + 1] : found), []);
  if (fences.length % 2 === 0) {
    if (inline === undefined) throw new Error(`line ${from} has no command`);
    return inline;
  }
  const start = fences.at(-1) ?? from;
  const before = commandsBetween(lines, start + 1, from - 1).filter((unit) =>
    /^\s*(?:[A-Z_]+=|cd )/.test(lines[unit.from - 1] ?? ''),
  );
  return [...before, { from, to }].map((unit) => lines.slice(unit.from - 1, unit.to).join('\n')).join('\n');
}
