import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { MOMENTS, snapshotOf, triageOf, type Moment } from '../../src/triage/replays/triage-moment.js';
import type { Report, ReportedCause } from '../../src/triage/index.js';
import { readDocument, unitsOf } from '../seeds/document.js';

interface Row {
  readonly lines: string | number;
  readonly says: string;
  readonly moment?: Moment['name'];
  /** The rule of the cause that says it, its rank or the beginning of it, and the rule of one that comes before. */
  readonly cause?: string;
  readonly as?: string;
  readonly after?: string;
  readonly has?: readonly string[];
  readonly consequence?: string;
  readonly applications?: number;
  readonly times?: number;
  readonly summary?: object;
  readonly nodes?: { readonly count: number; readonly taint: string; readonly capacity: string };
  /** A rule that finds nothing at this moment, and a kind that is never a cause. */
  readonly without?: string;
  readonly never?: string;
  readonly explained?: string;
}

const FILE = 'inventory-004.yaml';
const { rows } = readOneYaml(readFileSync(join(import.meta.dirname, FILE), 'utf8'), {
  dialect: 'kubernetes',
  file: FILE,
}) as unknown as { readonly rows: readonly Row[] };
const document = readDocument('004');
/** What the inventory lists: headings, tables, numbered points. The title and where to read on are no findings. */
const LISTED = { from: 11, to: 350 };

const reports = new Map(MOMENTS.map((moment) => [moment.name, triageOf(snapshotOf(moment))]));

const rangeOf = ({ lines }: Row): readonly [number, number] => {
  const [from = 0, to = from] = String(lines).split('-').map(Number);
  return [from, to];
};

describe('the inventory of two hundred applications', () => {
  it.each(rows.map((row) => ({ row, name: `${row.lines}: ${row.says}` })))('lines $name', ({ row }) => {
    if (row.explained !== undefined) return;
    const report = row.moment === undefined ? undefined : reports.get(row.moment);
    if (report === undefined) throw new Error('a row wants a moment, or an explanation');
    expect(wrongOf(row, report)).toEqual([]);
  });

  it.skipIf(document === undefined)(
    `every line of it that lists something has a row${document === undefined ? ' (../shared/seeds is not there)' : ''}`,
    () => {
      const listed = unitsOf(document ?? []).filter(
        ({ kind, from }) => kind !== 'code' && kind !== 'command' && from >= LISTED.from && from <= LISTED.to,
      );
      const covers = (line: number) => (row: Row) => rangeOf(row)[0] <= line && line <= rangeOf(row)[1];
      expect(listed.filter(({ from }) => !rows.some(covers(from))).map(({ from }) => from)).toEqual([]);
    },
  );
});

function wrongOf(row: Row, report: Report): string[] {
  const { causes, summary, topology } = report;
  const wrong: string[] = [];
  if (row.summary !== undefined) expect(summary).toMatchObject(row.summary);
  if (row.without !== undefined && causes.some(({ rule }) => rule === row.without))
    wrong.push(`${row.without} is there`);
  if (row.never !== undefined && causes.some(({ objects }) => objects.some(({ kind }) => kind === row.never)))
    wrong.push(`a ${row.never} is a cause`);
  if (row.nodes !== undefined && !hasNodes(row.nodes, topology)) wrong.push(`nodes are ${JSON.stringify(topology)}`);
  if (row.cause === undefined) return wrong;
  const found = causes.filter(({ rule }) => rule === row.cause);
  if (found.length === 0) return [...wrong, `no cause is ${row.cause}`];
  return [...wrong, ...causeLacks(row, found, causes)];
}

function causeLacks(row: Row, found: readonly ReportedCause[], causes: readonly ReportedCause[]): string[] {
  const wrong: string[] = [];
  const told = JSON.stringify(found);
  for (const text of row.has ?? []) if (!told.includes(text)) wrong.push(`${row.cause} does not say ${text}`);
  if (row.as !== undefined && !found.every(({ name, severity }) => name === row.as || severity === row.as))
    wrong.push(`${row.cause} is ${found.map(({ name }) => name).join(', ')}`);
  if (row.times !== undefined && found.length !== row.times) wrong.push(`${row.cause} comes ${found.length} times`);
  if (row.applications !== undefined && !found.some(({ reach }) => reach.count === row.applications))
    wrong.push(`${row.cause} reaches ${found.map(({ reach }) => reach.count).join(', ')}`);
  if (
    row.consequence !== undefined &&
    !found.some(({ consequences }) => consequences.some(({ object }) => object === row.consequence))
  )
    wrong.push(`${row.consequence} is no consequence of ${row.cause}`);
  if (row.after !== undefined) {
    const [mine, other] = [row.cause, row.after].map((rule) => causes.findIndex((each) => each.rule === rule));
    if (other === undefined || mine === undefined || other < 0 || other > mine)
      wrong.push(`${row.cause} does not come after ${row.after}`);
  }
  return wrong;
}

function hasNodes({ count, taint, capacity }: NonNullable<Row['nodes']>, topology: Report['topology']): boolean {
  return topology.some((pool) => pool.count === count && pool.taints.includes(taint) && pool.capacity === capacity);
}
