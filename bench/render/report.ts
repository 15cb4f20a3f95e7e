import type { Time } from './real.js';

/** Everything once, in the medians of all rounds. */
export interface Passes {
  readonly name: string;
  readonly count: number;
  readonly real: Time;
  /** A new process, from its start. */
  readonly cold: Time;
  readonly warm: Time;
  /** Which of the two the bar is for. */
  readonly judged: 'cold' | 'warm';
}

/** What a commit to the monorepo made us do. */
export interface Change {
  readonly name: string;
  /** Applications rendered: those that had to be, and those that were. */
  readonly expected: number;
  readonly rendered: number;
  readonly isExact: boolean;
  /** From the fetch to the manifests of all applications. */
  readonly wall: number;
  readonly slowest: number;
  readonly under?: number;
}

export interface Memory {
  readonly name: string;
  /** Bytes in use after each round. */
  readonly rounds: readonly number[];
}

export interface Report {
  readonly passes: readonly Passes[];
  readonly changes: readonly Change[];
  readonly memory: Memory;
}

/** How many times less processor time than the real tools ours must take. */
const LESS_CPU = 5;
const MAX_GROWTH = 1.02;

function passesHold(passes: Passes): boolean {
  return passes.real.cpu / passes[passes.judged].cpu >= LESS_CPU;
}

function changeHolds({ isExact, wall, under = Infinity }: Change): boolean {
  return isExact && wall < under;
}

/** The end against the first rounds after caches are filled. */
function growth({ rounds }: Memory): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const quarter = Math.max(1, rounds.length >> 2);
  return mean(rounds.slice(-quarter)) / mean(rounds.slice(quarter, 2 * quarter));
}

export function holds({ passes, changes, memory }: Report): boolean {
  return passes.every(passesHold) && changes.every(changeHolds) && growth(memory) <= MAX_GROWTH;
}

export function table(report: Report, isMeasured: boolean): string {
  const outcome = (isHeld: boolean): string => {
    if (!isMeasured) return '(smoke)';
    return isHeld ? 'holds' : 'MISSED';
  };
  const time = ({ wall, cpu }: Time): string => `${seconds(wall)} (${seconds(cpu)} cpu)`;
  const passes = [
    ['everything once', 'real tools', 'ours, cold', 'ours, warm', 'less cpu, cold', 'warm', 'bar', 'verdict'],
    ...report.passes.map((line) => [
      `${line.count} ${line.name}`,
      time(line.real),
      time(line.cold),
      time(line.warm),
      times(line.real.cpu / line.cold.cpu),
      times(line.real.cpu / line.warm.cpu),
      `${line.judged} >= ${LESS_CPU}x`,
      outcome(passesHold(line)),
    ]),
  ];
  const changes = [
    ['a commit to the monorepo', 'rendered', 'expected', 'fetch to manifests', 'slowest', 'bar', 'verdict'],
    ...report.changes.map((line) => [
      line.name,
      String(line.rendered),
      String(line.expected),
      milliseconds(line.wall),
      milliseconds(line.slowest),
      line.under === undefined ? 'exactly those' : `exactly those, < ${line.under} ms`,
      outcome(changeHolds(line)),
    ]),
  ];
  const { rounds } = report.memory;
  const memory = [
    ['memory', 'first', 'middle', 'last', 'growth', 'bar', 'verdict'],
    [
      report.memory.name,
      megabytes(rounds[0]),
      megabytes(rounds[rounds.length >> 1]),
      megabytes(rounds.at(-1)),
      growth(report.memory).toFixed(2),
      `<= ${MAX_GROWTH}`,
      outcome(growth(report.memory) <= MAX_GROWTH),
    ],
  ];
  return [passes, changes, memory].map(aligned).join('\n\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}

function megabytes(bytes = 0): string {
  return `${(bytes / (1 << 20)).toFixed(1)} MB`;
}

function times(ratio: number): string {
  return `${ratio.toFixed(1)}x`;
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
