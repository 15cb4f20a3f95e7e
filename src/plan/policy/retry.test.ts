import { describe, expect, it } from 'vitest';
import { readOperationState, type OperationState } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { nextRetry, resumeOperation } from './retry.js';

const NOW = new Date('2026-03-02T21:59:50Z');

function state(fields: JsonObject, retry?: JsonObject): OperationState {
  return readOperationState({
    phase: 'Running',
    startedAt: '2026-03-02T21:50:00Z',
    ...fields,
    operation: { sync: {}, ...(retry === undefined ? {} : { retry }) },
  });
}

/** Seconds from now. */
const after = (date: Date): number => (date.getTime() - NOW.getTime()) / 1000;

describe('between two attempts', () => {
  it.each([
    ['waits', '2026-03-02T21:59:45Z', 'wait'],
    ['waits a little longer where another clock is a few seconds ahead', '2026-03-02T22:00:20Z', 'wait'],
    [
      'goes on at once where the last one ended in a future that the clock came back from',
      '2026-03-03T21:00:00Z',
      'attempt',
    ],
  ])('%s', (_, finishedAt, kind) => {
    expect(resumeOperation(state({ finishedAt, retryCount: 1 }, { limit: 5 }), NOW, 0).kind).toBe(kind);
  });
});

describe('after a failed attempt', () => {
  it('shows the wait of the old count and waits for the new one', () => {
    expect(nextRetry(state({}, { limit: 5 }), 'one failed', NOW)).toEqual({
      kind: 'retry',
      at: new Date('2026-03-02T22:00:00Z'),
      retryCount: 1,
      message: 'one failed. Retrying attempt #1 at 9:59PM.',
    });
  });

  it('waits 10, 20, 40, 80, 160, 180 seconds by default', () => {
    const waits = [0, 1, 2, 3, 4, 5, 50].map((retryCount) => {
      const next = nextRetry(state({ retryCount }, { limit: -1 }), 'x', NOW);
      return next.kind === 'retry' ? after(next.at) : undefined;
    });
    expect(waits).toEqual([10, 20, 40, 80, 160, 180, 180]);
  });

  it('keeps to the backoff of the request, also without end', () => {
    const own = nextRetry(
      state({ retryCount: 1 }, { limit: 3, backoff: { duration: '3', factor: 3, maxDuration: '1h' } }),
      'x',
      NOW,
    );
    expect(own).toMatchObject({ kind: 'retry', at: new Date(NOW.getTime() + 27_000) });
    const endless = nextRetry(
      state({ retryCount: 5000 }, { limit: -1, backoff: { duration: '1h', factor: 9, maxDuration: '0' } }),
      'x',
      NOW,
    );
    expect(endless.kind === 'retry' && Number.isFinite(endless.at.getTime())).toBe(true);
  });

  it('ends when the limit is reached, and says how often it was tried', () => {
    expect(nextRetry(state({ retryCount: 5 }, { limit: 5 }), 'one failed', NOW)).toEqual({
      kind: 'over',
      message: 'one failed (retried 5 times).',
    });
    expect(nextRetry(state({}), 'one failed', NOW)).toEqual({ kind: 'over', message: 'one failed' });
  });

  it('does not try again what was terminated', () => {
    expect(
      nextRetry(
        state({ phase: 'Terminating', message: 'operation is terminating' }, { limit: 5 }),
        'Operation terminated',
        NOW,
      ),
    ).toEqual({ kind: 'over', message: 'Operation terminated' });
    expect(
      nextRetry(
        state(
          { phase: 'Terminating', retryCount: 2, message: 'operation is terminating due to timeout' },
          { limit: 5 },
        ),
        'Operation terminated',
        NOW,
      ),
    ).toEqual({
      kind: 'over',
      message: 'Operation terminated, triggered by controller sync timeout (retried 2 times).',
    });
  });
});

describe('an operation under way', () => {
  it('goes on', () => {
    expect(resumeOperation(state({}), NOW, 0)).toEqual({ kind: 'continue' });
    expect(resumeOperation(state({ phase: 'Terminating' }), NOW, 1)).toEqual({ kind: 'continue' });
  });

  it('is terminated after the timeout, counted from its first attempt', () => {
    expect(resumeOperation(state({ finishedAt: '2026-03-02T21:59:00Z' }, { limit: 5 }), NOW, 590_000 - 1)).toEqual({
      kind: 'terminate',
      message: 'operation is terminating due to timeout',
    });
    expect(resumeOperation(state({}), NOW, 590_000)).toEqual({ kind: 'continue' });
  });

  it('waits between two attempts, then begins the next one', () => {
    const paused = { retryCount: 1, finishedAt: '2026-03-02T21:59:45Z' };
    expect(resumeOperation(state(paused, { limit: 5 }), NOW, 0)).toEqual({
      kind: 'wait',
      until: new Date('2026-03-02T21:59:55Z'),
    });
    expect(resumeOperation(state(paused, { limit: 5 }), new Date('2026-03-02T21:59:55Z'), 0)).toEqual({
      kind: 'attempt',
      dropRevisions: false,
      message: 'Retrying operation. Attempt #1',
    });
    expect(resumeOperation(state(paused, { limit: 5, refresh: true }), new Date('2026-03-02T22:30:00Z'), 0)).toEqual({
      kind: 'attempt',
      dropRevisions: true,
      message: 'Retrying operation with latest revisions. Attempt #1',
    });
  });
});
