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

/** The same as `diff live target` prints it without options. */
export function plainDiff(targetText: string, liveText: string): string {
  let text = '';
  let [before, after] = [0, 0];
  const edits = lineEdits(linesOf(liveText), linesOf(targetText));
  for (let at = 0; at < edits.length; at++) {
    const edit = edits[at];
    if (edit === undefined) break;
    if (edit.kind === 'same') {
      before += edit.lines.length;
      after += edit.lines.length;
      continue;
    }
    const next = edits[at + 1];
    const old = edit.kind === 'old' ? edit.lines : [];
    const fresh = edit.kind === 'new' ? edit.lines : next?.kind === 'new' ? next.lines : [];
    if (edit.kind === 'old' && next?.kind === 'new') at++;
    const verb = old.length === 0 ? 'a' : fresh.length === 0 ? 'd' : 'c';
    text += `${span(before, old.length)}${verb}${span(after, fresh.length)}\n${old.map((line) => `< ${line}\n`).join('')}${verb === 'c' ? '---\n' : ''}${fresh.map((line) => `> ${line}\n`).join('')}`;
    before += old.length;
    after += fresh.length;
  }
  return text;
}

function span(start: number, count: number): string {
  if (count === 0) return String(start);
  return count === 1 ? String(start + 1) : `${start + 1},${start + count}`;
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
