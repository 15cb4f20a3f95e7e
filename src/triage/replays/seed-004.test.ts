import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compareReports } from '../report/compare-reports.js';
import { toMarkdown } from '../report/markdown.js';
import type { Report } from '../report/report.js';
import { MOMENTS, snapshotOf, triageOf } from './triage-moment.js';

/** One line for each cause, in the order of repair: what it is, what to change, what it reaches. */
const linesOf = ({ causes }: Report): string[] =>
  causes
    .filter(({ rule }) => rule !== 'H04')
    .map(
      (cause) =>
        `${cause.severity === 'P3' ? 'P3' : cause.name} ${cause.rule} ${cause.confidence} | ` +
        `${[...new Set(cause.objects.map(({ kind }) => kind))].join(', ')} x${cause.objects.length} | reach ` +
        `${cause.reach.count} ${cause.reach.environments.join(',')} | ${cause.title}`,
    );

it.each(MOMENTS)(
  'the $name moment of seed 004: 200 applications, at most six causes, each chain complete',
  (moment) => {
    const report = triageOf(snapshotOf(moment));
    expect(report.summary).toMatchObject({ applications: 200, health: { Degraded: 97, Missing: 6, Progressing: 12 } });
    expect(report.summary.sync['OutOfSync']).toBeGreaterThan(7);
    const roots = report.causes.filter(({ severity }) => severity === 'P0' || severity === 'P1');
    expect(roots.length).toBeLessThanOrEqual(6);
    expect(new Set(roots.flatMap(({ reach }) => reach.names)).size).toBe(97);
    expect(roots.every(({ chain, evidence }) => chain.length > 1 && evidence.length > 0)).toBe(true);
    // Twelve are starting, which is no fault.
    expect(report.causes.filter(({ rule, severity }) => rule === 'H04' && severity === 'P3').length).toBe(12);
    // Pending claims are listed under their cause, never as causes.
    expect(report.causes.some(({ objects }) => objects.some(({ kind }) => kind === 'PersistentVolumeClaim'))).toBe(
      false,
    );
    expect(linesOf(report)).toEqual(
      readFileSync(join(import.meta.dirname, `${moment.name}.txt`), 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
  },
);

it('claims that wait for a pod are consequences of what keeps the pod', () => {
  const report = triageOf(snapshotOf(MOMENTS[0]));
  const claims = report.causes.flatMap(({ rule, consequences }) =>
    consequences
      .filter(({ object }) => object.startsWith('PersistentVolumeClaim'))
      .map(({ object }) => `${rule} ${object}`),
  );
  expect(claims.filter((line) => line.startsWith('C02')).length).toBe(3);
  expect(claims.filter((line) => line.startsWith('C07')).length).toBe(4);
});

it('each report strikes through what was resolved since the previous one', () => {
  let last: Report | undefined;
  for (const moment of MOMENTS) {
    const snapshot = snapshotOf(moment);
    const report = triageOf(snapshot);
    last = last === undefined ? report : compareReports(last, report, snapshot);
  }
  expect(last?.status).toBe('Partially Resolved');
  expect(last?.history?.resolved.map(({ rule, resolved }) => `${rule} ${resolved.slice(0, 10)}`).sort()).toEqual([
    'A15 2025-12-05',
    'A22 2025-12-05',
    'B08 2025-12-05',
    'B13 2025-12-05',
    'B14 2025-12-05',
    'C01 2025-12-05',
    'C02 2025-12-05',
    'C07 2025-12-05',
  ]);
  const page = last === undefined ? '' : toMarkdown(last);
  for (const heading of [
    '## Summary',
    '## P0 ',
    '## P2 ',
    '## P3 ',
    '## Node topology',
    '## Resolution priority',
    '### Remaining issues (2025-12-05)',
    '## Validation commands',
    '✅ RESOLVED',
  ])
    expect(page).toContain(heading);
});
