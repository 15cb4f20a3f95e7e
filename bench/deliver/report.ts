import { ARGO_CD, barOf, type Figure } from './figures.js';

/** One line of the table. */
export interface Row {
  /** Which of the figures it stands beside. */
  readonly row: string;
  readonly what: string;
  readonly ours: Figure;
  readonly note?: string;
  /** Judged by itself, where no figure of Argo CD stands beside it. */
  readonly holds?: boolean;
}

const HEADER = [
  'work',
  'ours',
  'Argo CD',
  'bar',
  '',
  'CPU ours',
  'Argo CD',
  'bar',
  '',
  'memory ours',
  'Argo CD',
  'bar',
  '',
];

export function table(rows: readonly Row[]): string {
  const lines = [
    HEADER,
    ...rows.map((row) => {
      const [argo, bar] = [ARGO_CD[row.row] ?? {}, barOf(row.row)];
      return [
        row.what,
        ...cells(row.ours.seconds, argo.seconds, bar.seconds, seconds),
        ...cells(row.ours.cpu, argo.cpu, bar.cpu, seconds),
        ...cells(row.ours.bytes, argo.bytes, bar.bytes, bytes),
      ];
    }),
  ];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Bars that are missed, in words. */
export function missed(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const bar = barOf(row.row);
    return [
      ...over(row.what, 'time', row.ours.seconds, bar.seconds, seconds),
      ...over(row.what, 'CPU', row.ours.cpu, bar.cpu, seconds),
      ...over(row.what, 'memory', row.ours.bytes, bar.bytes, bytes),
      ...(row.holds === false ? [`${row.what}: ${row.note ?? 'does not hold'}`] : []),
    ];
  });
}

/** How time, processor time and memory grow with the number of applications. */
export function growth(rows: readonly Row[]): string[] {
  return ['create', 'commit'].flatMap((work) => {
    const sizes = rows.flatMap((row) =>
      row.row.startsWith(`${work} `) ? [{ count: Number(row.row.split(' ')[1]), ours: row.ours }] : [],
    );
    return sizes.slice(1).flatMap(({ count, ours }, index) => {
      const before = sizes[index];
      if (before === undefined) return [];
      const factor = (now: number | undefined, then: number | undefined): string =>
        now === undefined || then === undefined || then === 0 ? '-' : `x${(now / then).toFixed(1)}`;
      return [
        `${work}: ${before.count} -> ${count} applications (x${(count / before.count).toFixed(1)}` +
          `): time ${factor(ours.seconds, before.ours.seconds)}, CPU ` +
          `${factor(ours.cpu, before.ours.cpu)}, memory ${factor(ours.bytes, before.ours.bytes)}`,
      ];
    });
  });
}

function over(
  what: string,
  of: string,
  ours: number | undefined,
  bar: number | undefined,
  text: (value: number) => string,
): string[] {
  return ours === undefined || bar === undefined || ours <= bar
    ? []
    : [`${what}: ${of} ${text(ours)}, at most ${text(bar)}`];
}

function cells(
  ours: number | undefined,
  argo: number | undefined,
  bar: number | undefined,
  text: (value: number) => string,
): string[] {
  const show = (value: number | undefined): string => (value === undefined ? '' : text(value));
  return [show(ours), show(argo), show(bar), outcome(ours, bar)];
}

function outcome(ours: number | undefined, bar: number | undefined): string {
  if (ours === undefined || bar === undefined) return '';
  return ours <= bar ? 'holds' : 'MISSED';
}

function seconds(value: number): string {
  return value < 10 ? `${value.toFixed(2)} s` : `${value.toFixed(1)} s`;
}

function bytes(value: number): string {
  return `${(value / 1e6).toFixed(0)} MB`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}
