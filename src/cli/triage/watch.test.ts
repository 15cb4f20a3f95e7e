import { expect, it } from 'vitest';
import { createRuleSet, SnapshotBuilder, triage } from '../../triage/index.js';
import { watch, type TriageRun } from './watch.js';

/** A look at a cluster whose node is ready or not. */
function lookAt(ready: boolean, time: number): TriageRun {
  const builder = new SnapshotBuilder();
  builder.add(
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown', reason: 'x' }] },
    },
    'test',
  );
  const snapshot = builder.build(time);
  return { snapshot, report: triage(snapshot, { rules: createRuleSet, assess: () => undefined }) };
}

it('prints the first report in full, then only changes', async () => {
  const looks = [lookAt(false, 1_000), lookAt(false, 2_000), lookAt(true, 3_000)];
  const told: string[] = [];
  let count = 0;
  const last = await watch({
    run: () => Promise.resolve(looks[count++] ?? lookAt(true, 4_000)),
    onFirst: ({ causes }) => void told.push(`first ${causes.length}`),
    onChange: (lines) => void told.push(...lines),
    waitForNext: () => Promise.resolve(count < looks.length),
  });
  expect(told[0]).toBe('first 1');
  expect(told.slice(1).map((line) => line.slice(0, 41))).toEqual([
    '1970-01-01T00:00:03Z RESOLVED P0-1 [C11] ',
    '1970-01-01T00:00:03Z everything is health',
  ]);
  expect(last.causes).toEqual([]);
});
