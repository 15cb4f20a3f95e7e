import { expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import { createRuleSet } from '../rules/rule-set.js';
import { SnapshotBuilder } from '../read/snapshot-builder.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { triage } from './triage.js';
import { compareReports } from './compare-reports.js';
import { toMarkdown } from './markdown.js';
import { readReport } from './read-report.js';
import type { Report } from './report.js';
import { toTerminal } from './terminal.js';
import { watchedChanges } from './watched-changes.js';

const pod = (name: string, waiting: JsonObject | undefined, created = '2026-11-16T08:00:00Z'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', creationTimestamp: created },
  spec: { nodeName: 'n', containers: [{ name: 'app', image: `registry.example/app:${name}` }] },
  status: {
    phase: waiting === undefined ? 'Running' : 'Pending',
    conditions: [
      { type: 'Ready', status: waiting === undefined ? 'True' : 'False' },
      { type: 'PodScheduled', status: 'True' },
    ],
    containerStatuses: [
      {
        name: 'app',
        ready: waiting === undefined,
        restartCount: 0,
        state: waiting === undefined ? { running: {} } : { waiting },
      },
    ],
  },
});
const noImage = { reason: 'ImagePullBackOff', message: 'manifest unknown' };
const noName = { reason: 'InvalidImageName', message: "couldn't parse image name" };

function snapshot(hour: number, pods: readonly JsonObject[]): Snapshot {
  const builder = new SnapshotBuilder();
  for (const each of pods) builder.add(structuredClone(each), 'test');
  return builder.build(Date.parse(`2026-11-16T${hour}:00:00Z`));
}
const triageOf = (of: Snapshot): Report => triage(of, { rules: createRuleSet, assess: () => undefined });
const again = (report: Report): Report => readReport(JSON.stringify(report), 'report.json');

it('strikes through resolved causes with what changed, keeps remaining ones, marks new ones', () => {
  const first = triageOf(snapshot(10, [pod('cart', noImage), pod('web', noName)]));
  expect(first.status).toBe('Open');
  const now = snapshot(12, [pod('cart', undefined, '2026-11-16T11:00:00Z'), pod('web', noName), pod('news', noImage)]);
  const second = compareReports(again(first), triageOf(now), now);
  expect(second.status).toBe('Partially Resolved');
  expect(second.history?.resolved.map(({ rule, resolved, changed }) => [rule, resolved, changed[0]])).toEqual([
    ['E01', '2026-11-16T12:00:00Z', 'Pod shop/cart was recreated'],
  ]);
  expect(
    second.causes.filter(({ id }) => second.history?.fresh.includes(id)).map(({ objects }) => objects[0]?.name),
  ).toEqual(['news']);
  const page = toMarkdown(second);
  expect(page).toContain('**Status**: Partially Resolved');
  expect(page).toMatch(
    /### ~~P1-\d .*~~ ✅ RESOLVED\n\n\*\*Status\*\*: ✅ RESOLVED \(2026-11-16\) - Pod shop\/cart was recreated/,
  );
  expect(page).toContain('### Remaining issues (2026-11-16)');
  expect(toTerminal(second)).toContain('NEW P1-');

  const end = snapshot(14, [pod('cart', undefined), pod('web', undefined), pod('news', undefined)]);
  const third = compareReports(again(second), triageOf(end), end);
  expect([third.status, third.causes.length, third.history?.resolved.length]).toEqual(['Resolved', 0, 3]);
});

it('does not call a cause resolved if it could not be checked', () => {
  const first = triageOf(snapshot(10, [pod('cart', noImage)]));
  const blind = snapshot(12, []);
  const second = compareReports(again(first), triageOf(blind), blind);
  expect([second.status, second.history?.resolved, second.history?.unverified.length]).toEqual(['Open', [], 1]);
});

it('does not tell that something was deleted which the earlier report called absent', () => {
  const config = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop' },
  });
  const unready = pod('cart', { reason: 'CreateContainerConfigError', message: 'configmap "settings" not found' });
  const first = triageOf(
    snapshot(10, [
      {
        ...unready,
        spec: { nodeName: 'n', containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'settings' } }] }] },
      },
      config('other'),
    ]),
  );
  expect(first.causes.map(({ objects }) => objects[0]?.name)).toEqual(['settings']);
  const now = snapshot(12, [pod('cart', undefined), config('other')]);
  expect(compareReports(again(first), triageOf(now), now).history?.resolved.map(({ changed }) => changed)).toEqual([
    [],
  ]);
});

it('watching prints only changes', () => {
  const first = triageOf(snapshot(10, [pod('cart', noImage)]));
  const same = snapshot(11, [pod('cart', noImage)]);
  expect(watchedChanges(first, compareReports(first, triageOf(same), same))).toEqual([]);
  const healthy = snapshot(12, [pod('cart', undefined)]);
  const lines = watchedChanges(first, compareReports(first, triageOf(healthy), healthy));
  expect(lines[0]).toMatch(/^2026-11-16T12:00:00Z RESOLVED P1-1 \[E01\]/);
  expect(lines.at(-1)).toBe('2026-11-16T12:00:00Z everything is healthy again');
});

it('rejects a file that is not a report', () => {
  expect(() => readReport('{"kind":"List"}', 'x.json')).toThrow('not a report');
});
