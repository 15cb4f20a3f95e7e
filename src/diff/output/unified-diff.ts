import { lineEdits, type Edit } from './line-edits.js';

export interface UnifiedOptions {
  /** Lines around a change. */
  readonly context?: number;
  /** Names for the `---` and `+++` lines, which are left out without them. */
  readonly names?: { readonly live: string; readonly target: string };
}

/** What has to change in live to become the target, as `diff -u live target` prints it; empty where nothing has to. */
export function unifiedDiff(targetText: string, liveText: string, options: UnifiedOptions = {}): string {
  const edits = lineEdits(linesOf(liveText), linesOf(targetText));
  const hunks = hunksOf(edits, options.context ?? 3);
  if (hunks.length === 0) return '';
  const head = options.names === undefined ? '' : `--- ${options.names.live}\n+++ ${options.names.target}\n`;
  return head + hunks.map(hunkText).join('');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

interface Hunk {
  readonly before: number;
  readonly after: number;
  readonly lines: string[];
}

const MARKS: Readonly<Record<Edit['kind'], string>> = { same: ' ', old: '-', new: '+' };

function hunksOf(edits: readonly Edit[], context: number): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let [before, after] = [0, 0];
  for (const [at, { kind, lines }] of edits.entries()) {
    if (kind !== 'same') {
      hunk ??= open(hunks, before, after, []);
      hunk.lines.push(...lines.map((line) => MARKS[kind] + line));
    } else {
      const isLast = at === edits.length - 1;
      if (hunk !== undefined && !isLast && lines.length <= 2 * context)
        hunk.lines.push(...lines.map((line) => ` ${line}`));
      else {
        hunk?.lines.push(...lines.slice(0, context).map((line) => ` ${line}`));
        const lead = isLast || context === 0 ? [] : lines.slice(-context);
        hunk = isLast
          ? undefined
          : open(
              hunks,
              before + lines.length - lead.length,
              after + lines.length - lead.length,
              lead.map((line) => ` ${line}`),
            );
      }
    }
    if (kind !== 'new') before += lines.length;
    if (kind !== 'old') after += lines.length;
  }
  return hunks;
}

function open(hunks: Hunk[], before: number, after: number, lines: string[]): Hunk {
  const hunk = { before, after, lines };
  hunks.push(hunk);
  return hunk;
}

function hunkText({ before, after, lines }: Hunk): string {
  const old = lines.filter((line) => !line.startsWith('+')).length;
  const fresh = lines.filter((line) => !line.startsWith('-')).length;
  return `@@ -${range(before, old)} +${range(after, fresh)} @@\n${lines.join('\n')}\n`;
}

function range(start: number, count: number): string {
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}
