/** One line of the comparison: the medians of both servers and what ours must reach. */
export interface Measure {
  readonly name: string;
  readonly unit: 'ms' | 'per second' | 'MB';
  readonly ours: number;
  readonly real: number;
  /** Ours must be at most this much (at least, for `per second`) of the real one. */
  readonly share: number;
  /** Ours must also stay under this, whatever the real one does. */
  readonly under?: number;
  /** Every round, to see how far they lie apart. */
  readonly rounds: { readonly ours: readonly number[]; readonly real: readonly number[] };
  /** Processor time of the server in the median, where it was taken. */
  readonly cpuMs?: { readonly ours: number; readonly real: number };
}

export function holds({ unit, ours, real, share, under }: Measure): boolean {
  if (under !== undefined && ours >= under) return false;
  return unit === 'per second' ? ours >= real * share : ours <= real * share;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

const HEADER = ['measure', 'ours', 'kube-apiserver + etcd', 'ours/real', 'bar', 'verdict', 'cpu ours', 'cpu real'];

function outcome(measure: Measure, isMeasured: boolean): string {
  if (!isMeasured) return '(smoke)';
  return holds(measure) ? 'holds' : 'MISSED';
}

export function table(measures: readonly Measure[], isMeasured: boolean): string {
  const rows = [
    HEADER,
    ...measures.map((measure) => [
      measure.name,
      amount(measure.ours, measure.unit),
      amount(measure.real, measure.unit),
      (measure.ours / measure.real).toFixed(2),
      bar(measure),
      outcome(measure, isMeasured),
      ...(measure.cpuMs ? [amount(measure.cpuMs.ours, 'ms'), amount(measure.cpuMs.real, 'ms')] : ['', '']),
    ]),
  ];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function bar({ unit, share, under }: Measure): string {
  const shared = `${unit === 'per second' ? '>=' : '<='} ${share.toFixed(1)}x`;
  return under === undefined ? shared : `${shared}, < ${amount(under, unit)}`;
}

function amount(value: number, unit: Measure['unit']): string {
  if (unit === 'ms') return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(0)} ms`;
  return unit === 'MB' ? `${value.toFixed(0)} MB` : `${value.toFixed(0)} /s`;
}
