/** One line of the comparison, in the medians of all rounds; times are microseconds a check. */
export interface Measure {
  readonly name: string;
  readonly gopherLua: number;
  readonly warm: number;
  readonly cold: number;
}

/** How many times faster than gopher-lua ours must be. */
const BARS = { warm: 20, cold: 2 };

/** Milliseconds for the whole run of mixed objects, its slowest round. */
export interface Mixed {
  readonly name: string;
  readonly slowest: number;
  readonly middle: number;
  readonly under: number;
}

export function holds({ gopherLua, warm, cold }: Measure): boolean {
  return gopherLua / warm >= BARS.warm && gopherLua / cold >= BARS.cold;
}

export function mixedHolds({ slowest, under }: Mixed): boolean {
  return slowest < under;
}

export function table(measures: readonly Measure[], mixed: readonly Mixed[], isMeasured: boolean): string {
  const outcome = (isHeld: boolean): string => {
    if (!isMeasured) return '(smoke)';
    return isHeld ? 'holds' : 'MISSED';
  };
  const checks = [
    ['us per check', 'gopher-lua', 'ours warm', 'ours cold', 'warm', 'cold', 'bar', 'verdict'],
    ...measures.map((measure) => [
      measure.name,
      measure.gopherLua.toFixed(1),
      measure.warm.toFixed(2),
      measure.cold.toFixed(1),
      `${(measure.gopherLua / measure.warm).toFixed(1)}x`,
      `${(measure.gopherLua / measure.cold).toFixed(1)}x`,
      `>= ${BARS.warm}x, >= ${BARS.cold}x`,
      outcome(holds(measure)),
    ]),
  ];
  const assessed = [
    ['objects assessed', 'slowest round', 'median', 'bar', 'verdict'],
    ...mixed.map((line) => [
      line.name,
      `${line.slowest.toFixed(0)} ms`,
      `${line.middle.toFixed(0)} ms`,
      `< ${line.under} ms`,
      outcome(mixedHolds(line)),
    ]),
  ];
  return `${aligned(checks)}\n\n${aligned(assessed)}`;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
