import { describe, expect, it } from 'vitest';
import { readOperationState } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { SyncPlan, SyncStep, Wait } from '../sync/sync-plan.js';
import { maySupersede } from './supersede.js';

const KEY = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'a' };
const STEP: SyncStep = {
  kind: 'prune',
  task: { key: KEY, version: 'v1', phase: 'Sync' },
  live: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  propagation: 'Foreground',
};

const running = (fields: JsonObject = {}, automated = true): ReturnType<typeof readOperationState> =>
  readOperationState({
    phase: 'Running',
    startedAt: '2026-03-02T10:00:00Z',
    syncResult: { revision: 'aaa' },
    operation: { sync: {}, initiatedBy: { automated } },
    ...fields,
  });
const waiting = (...reasons: Wait['why'][]): Pick<SyncPlan, 'phase' | 'groups' | 'waitsFor'> => ({
  phase: 'Running',
  groups: [],
  waitsFor: reasons.map((why) => ({ why, key: KEY, message: '' })),
});

describe('a newer commit', () => {
  it('ends an automatic sync that only waits', () => {
    expect(maySupersede(running(), ['bbb'], waiting('health', 'wave-delay'))).toBe(true);
    expect(maySupersede(running(), ['bbb'], waiting('prune-confirmation'))).toBe(true);
  });

  it('ends one that waits for its next attempt', () => {
    expect(maySupersede(running({ finishedAt: '2026-03-02T10:01:00Z' }), ['bbb'])).toBe(true);
    expect(maySupersede(running(), ['bbb'])).toBe(false);
  });

  const mayEnd = (): boolean => true;

  it('ends one whose hooks may be cut off, also one that a person began where the head follows anyway', () => {
    expect(maySupersede(running(), ['bbb'], waiting('health', 'hook'), { followsHead: true, mayEnd })).toBe(true);
    expect(maySupersede(running({}, false), ['bbb'], waiting('hook'), { followsHead: true, mayEnd })).toBe(true);
    expect(maySupersede(running({}, false), ['bbb'], waiting('hook'), { followsHead: false, mayEnd })).toBe(false);
    expect(maySupersede(running({}, false), ['bbb'], waiting('health'), { followsHead: true, mayEnd })).toBe(false);
    expect(maySupersede(running(), ['bbb'], waiting('hook', 'hook-deletion'), { followsHead: true, mayEnd })).toBe(
      false,
    );
  });

  it.each([
    ['one that a person began', running({}, false), ['bbb'], waiting('health')],
    ['one of the same commit', running(), ['aaa'], waiting('health')],
    ['one that has not resolved its commit', running({ syncResult: {} }), ['bbb'], waiting('health')],
    ['one whose hook runs', running(), ['bbb'], waiting('health', 'hook')],
    ['one whose old hook goes', running(), ['bbb'], waiting('hook-deletion')],
    ['one with something to do', running(), ['bbb'], { ...waiting('health'), groups: [[STEP]] }],
    ['one that has just ended', running(), ['bbb'], { ...waiting(), phase: 'Succeeded' as const }],
    ['one that is being terminated', running({ phase: 'Terminating' }), ['bbb'], waiting('health')],
  ] as const)('leaves %s', (_, state, revisions, move) => {
    expect(maySupersede(state, revisions, move)).toBe(false);
  });
});
