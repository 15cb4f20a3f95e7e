import { put, type JsonObject } from '../../model/json/index.js';
import { MAX_TEXT_LENGTH } from '../json/index.js';

/** A line of `kubectl describe` with what is indented below it. */
export interface Entry {
  readonly name: string;
  readonly value: string;
  readonly below: Entry[];
  readonly raw: string;
}

export function entriesOf(lines: readonly string[]): Entry[] {
  const root: Entry = { name: '', value: '', below: [], raw: '' };
  const open: { indent: number; entry: Entry }[] = [{ indent: -1, entry: root }];
  for (const whole of lines) {
    const line = whole.slice(0, MAX_TEXT_LENGTH);
    if (line.trim() === '') continue;
    const indent = line.length - line.trimStart().length;
    const match = /^([^:]+?):(?:\s+(.*))?$/.exec(line.trim());
    const entry: Entry = {
      name: match?.[1] ?? '',
      value: (match?.[2] ?? (match === null ? line.trim() : '')).trim(),
      below: [],
      raw: line.trim(),
    };
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    open.at(-1)?.entry.below.push(entry);
    open.push({ indent, entry });
  }
  return root.below;
}

export const find = (entries: readonly Entry[], name: string): Entry | undefined =>
  entries.find((entry) => entry.name.toLowerCase() === name.toLowerCase());

export const plainValue = (value: string): string =>
  value === '<none>' || value === '<unset>' || value === '<unknown>' ? '' : value;

export const valueOf = (entries: readonly Entry[], name: string): string =>
  plainValue(find(entries, name)?.value ?? '');

/** The value and the lines below it: labels, selectors, taints and tolerations go on there. */
export function linesOf(entry: Entry | undefined): string[] {
  return entry === undefined
    ? []
    : [entry.value, ...entry.below.map(({ raw }) => raw)].map(plainValue).filter((line) => line !== '');
}

/** `a=b,c=d`, or a line for each. */
export function pairsOf(entry: Entry | undefined): Record<string, string> {
  const pairs: JsonObject = {};
  for (const pair of linesOf(entry).flatMap((line) => line.split(',')))
    if (pair.indexOf('=') > 0)
      put(pairs, pair.slice(0, pair.indexOf('=')).trim(), pair.slice(pair.indexOf('=') + 1).trim());
  return pairs as Record<string, string>;
}

/** A time as describe prints it, in API format; empty if invalid. */
export function timeOf(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? '' : new Date(time).toISOString().replace('.000Z', 'Z');
}

/**
 * The cells of a table below a heading. Columns start below their titles; if spaces were lost, two spaces separate
 * cells.
 */
export function cellsOf(table: readonly Entry[]): Record<string, string>[] {
  const [heading, ...rest] = table;
  if (heading === undefined) return [];
  const columns = [...heading.raw.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, start: index }));
  return rest
    .filter(({ raw }) => !/^[-=\s]+$/.test(raw))
    .map(({ raw }) => {
      const isAligned = columns.every(({ start }) => start === 0 || start >= raw.length || raw[start - 1] === ' ');
      const cells = isAligned
        ? columns.map(({ start }, index) => raw.slice(start, columns[index + 1]?.start).trim())
        : raw.split(/\s{2,}/);
      return Object.fromEntries(columns.map(({ name }, index) => [name, plainValue(cells[index] ?? '')]));
    });
}

/** Conditions are a table of type, status and for some kinds reason, message and times. */
export function conditionsOf(entries: readonly Entry[]): JsonObject[] {
  return cellsOf(find(entries, 'Conditions')?.below ?? [])
    .filter((row) => (row['Status'] ?? '') !== '')
    .map((row) => {
      const since = timeOf(row['LastTransitionTime'] ?? '');
      return {
        type: row['Type'] ?? '',
        status: (row['Status'] ?? '').split(/\s/)[0] ?? '',
        ...(row['Reason'] === undefined ? {} : { reason: row['Reason'] }),
        ...(row['Message'] === undefined ? {} : { message: row['Message'] }),
        ...(since === '' ? {} : { lastTransitionTime: since }),
      };
    });
}

/** `1 current / 3 desired`, `3 desired | 1 updated | ...`, `0 Active (0 Ready) / 2 Failed` */
export function countIn(text: string, word: string): number {
  const part = text
    .split(/[|/]/)
    .map((each) =>
      each
        .replace(/\([^()]*\)/, '')
        .trim()
        .toLowerCase(),
    )
    .find((each) => each.endsWith(` ${word.toLowerCase()}`));
  return Number.parseInt(part ?? '0', 10) || 0;
}
