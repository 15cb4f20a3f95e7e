import type { Position } from '../script/parse-script.js';

/** Where a key stands in a YAML text, and where the text of its value starts. Lines and columns count from 1. */
export interface YamlPlace {
  readonly key: Position;
  /** First character of a block scalar's content; absent when the value is written another way. */
  readonly block?: Position;
}

/**
 * Finds the value at a path in the block style that settings files are written in. Gives nothing for flow style and
 * anchors: the caller then names the key without a line. The YAML reader itself keeps no positions.
 */
export function findYamlPlace(text: string, path: readonly (string | number)[], firstLine = 1): YamlPlace | undefined {
  const lines = text.split(/\r\n?|\n/);
  let region: Region = { from: firstLine - 1, to: documentEnd(lines, firstLine - 1) };
  let found: Position | undefined;
  for (const step of path) {
    const next = typeof step === 'string' ? findKey(lines, region, step) : findItem(lines, region, step);
    if (next === undefined) return undefined;
    found = next.at;
    region = next.inside;
  }
  if (found === undefined) return undefined;
  const block = blockOf(lines, found, region);
  return block === undefined ? { key: found } : { key: found, block };
}

/** Lines from `from` to before `to`. */
interface Region {
  readonly from: number;
  readonly to: number;
}

interface Found {
  readonly at: Position;
  readonly inside: Region;
}

function documentEnd(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, index) => index > from && /^(---|\.\.\.)(\s|$)/.test(line));
  return end < 0 ? lines.length : end;
}

function isContent(line: string): boolean {
  return !/^\s*(#.*)?$/.test(line) && !/^---(\s|$)/.test(line);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The column in which a region's entries start: that of its first line of content. */
function columnOf(lines: readonly string[], { from, to }: Region): number | undefined {
  for (let index = from; index < to; index++) {
    const line = lines[index] ?? '';
    if (isContent(line)) return indentOf(line);
  }
  return undefined;
}

function findKey(lines: readonly string[], region: Region, key: string): Found | undefined {
  const column = columnOf(lines, region);
  if (column === undefined) return undefined;
  const spellings = [key, JSON.stringify(key), `'${key.replaceAll("'", "''")}'`];
  for (let index = region.from; index < region.to; index++) {
    const line = lines[index] ?? '';
    if (!isContent(line) || indentOf(line) !== column) continue;
    const rest = line.slice(column);
    if (!spellings.some((spelling) => rest.startsWith(`${spelling}:`))) continue;
    return {
      at: { line: index + 1, column: column + 1 },
      inside: { from: index + 1, to: endOf(lines, index, region.to, column, true) },
    };
  }
  return undefined;
}

/** Where the value of the entry at `index` ends. A list may stand in the column of its key. */
function endOf(lines: readonly string[], index: number, to: number, column: number, isKey: boolean): number {
  for (let next = index + 1; next < to; next++) {
    const line = lines[next] ?? '';
    if (!isContent(line)) continue;
    const indent = indentOf(line);
    if (
      indent < column ||
      (indent === column && !(isKey && line.charAt(column) === '-' && /\s|$/.test(line.charAt(column + 1))))
    )
      return next;
  }
  return to;
}

function findItem(lines: readonly string[], region: Region, wanted: number): Found | undefined {
  const column = columnOf(lines, region);
  if (column === undefined) return undefined;
  let count = -1;
  for (let index = region.from; index < region.to; index++) {
    const line = lines[index] ?? '';
    if (!isContent(line) || indentOf(line) !== column || line.charAt(column) !== '-') continue;
    if (++count < wanted) continue;
    // The dash becomes a blank, so that the item reads as a block of its own. The caller's lines are a copy.
    (lines as string[])[index] = `${' '.repeat(column + 1)}${line.slice(column + 1)}`;
    return {
      at: { line: index + 1, column: column + 1 },
      inside: { from: index, to: endOf(lines, index, region.to, column, false) },
    };
  }
  return undefined;
}

/** The first character of a literal or folded block. */
function blockOf(lines: readonly string[], { line, column }: Position, { to }: Region): Position | undefined {
  const header = /:\s+(?:&\S+\s+)?[|>]([1-9]?)[+-]?([1-9]?)\s*(#[^]*)?$/.exec(lines[line - 1] ?? '');
  if (header === null) return undefined;
  const [, before = '', after = ''] = header;
  const digit = before === '' ? after : before;
  if (digit !== '') return { line: line + 1, column: column + Number(digit) };
  for (let index = line; index < to; index++) {
    const text = lines[index] ?? '';
    if (text.trim() !== '') return { line: line + 1, column: indentOf(text) + 1 };
  }
  return undefined;
}
