import { describe, expect, it } from 'vitest';
import {
  parseApplication,
  readOperation,
  readOperationState,
  type Application,
  type ResourceResult,
} from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import {
  addToHistory,
  hasNewNamespaceMetadata,
  operationId,
  readPruneWaves,
  readWaveApplied,
  type StateChange,
  writeOperationState,
} from './operation-state.js';

const START = '2026-01-01T00:00:00Z';
const SOURCE = { repoURL: 'https://example.com/shop.git', path: 'app' };

function application(spec: JsonObject = {}, status: JsonObject = {}, uid = 'uid-1'): Application {
  return parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd', uid },
    spec: { project: 'default', source: SOURCE, destination: { name: 'in-cluster', namespace: 'prod' }, ...spec },
    status,
  });
}

const change = (part: Partial<StateChange> = {}): StateChange => ({
  phase: 'Running',
  message: 'waiting',
  startedAt: START,
  retryCount: 0,
  revisions: ['abc'],
  sources: [SOURCE],
  results: [],
  ...part,
});
const operation = (raw: JsonObject = { sync: {} }): ReturnType<typeof readOperation> => readOperation(raw, 'operation');
const result = (index: number, part: Partial<ResourceResult> = {}): ResourceResult => ({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  namespace: 'prod',
  name: `item-${index}`,
  syncPhase: 'Sync',
  status: 'Synced',
  message: `configmap/item-${index} created`,
  hookPhase: 'Succeeded',
  ...part,
});

describe('the identity of an attempt', () => {
  const id = operationId(application(), START, 0, ['abc']);

  it('is the same after a restart', () => {
    expect(operationId(application(), START, 0, ['abc'])).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{10}$/);
  });

  it.each([
    ['another application', operationId(application({}, {}, 'uid-2'), START, 0, ['abc'])],
    ['another start', operationId(application(), '2026-01-01T00:00:01Z', 0, ['abc'])],
    ['another attempt', operationId(application(), START, 1, ['abc'])],
    ['another commit', operationId(application(), START, 0, ['abd'])],
    ['two commits', operationId(application(), START, 0, ['a', 'bc'])],
  ])('is another for %s', (_, other) => {
    expect(other).not.toBe(id);
  });

  it('is written once, beside the info of the request', () => {
    const first = writeOperationState(
      application(),
      operation({ sync: {}, info: [{ name: 'why', value: 'because' }] }),
      change(),
    );
    const again = writeOperationState(application(), readOperationState(first).operation, change({ retryCount: 1 }));
    expect(readOperationState(again).operation.info).toEqual([
      { name: 'why', value: 'because' },
      { name: 'argosy.dev/operation', value: operationId(application(), START, 1, ['abc']) },
    ]);
  });
});

describe('prune waves', () => {
  it.each([[[0]], [[-5, 0, 3]], [[]]])('%j are read as they were written', (waves) => {
    expect(
      readPruneWaves(
        readOperationState(writeOperationState(application(), operation(), change({ pruneWaves: waves }))).operation,
      ),
    ).toEqual(waves);
  });

  it('are unknown if not written, and only integers are read', () => {
    expect(readPruneWaves(operation())).toBeUndefined();
    expect(readPruneWaves(operation({ info: [{ name: 'argosy.dev/prune-waves', value: 'first,2,1.5,' }] }))).toEqual([
      2,
    ]);
  });
});

describe('a state that is written', () => {
  it('is read as it was', () => {
    const written = change({
      phase: 'Failed',
      message: 'no',
      finishedAt: '2026-01-01T00:00:09Z',
      retryCount: 2,
      results: [result(1), result(2, { hookType: 'PreSync', syncPhase: 'PreSync', images: ['a:1'] })],
    });
    const {
      raw: _raw,
      operation: _operation,
      ...read
    } = readOperationState(writeOperationState(application(), operation(), written));
    expect(read).toEqual({ ...written, results: written.results });
  });

  it('has revisions and sources for several sources', () => {
    const many = application({ source: undefined as never, sources: [SOURCE, { ...SOURCE, path: 'b' }] });
    const { syncResult } = writeOperationState(
      many,
      operation(),
      change({ revisions: ['a', 'b'], sources: many.sources }),
    );
    expect(syncResult).toMatchObject({ revisions: ['a', 'b'], sources: many.sources, revision: '' });
  });

  it('lists a thousand results, and of ten thousand those that a restart needs', () => {
    const thousand = Array.from({ length: 1000 }, (_, index) => result(index));
    expect(
      readOperationState(writeOperationState(application(), operation(), change({ results: thousand }))).results,
    ).toHaveLength(1000);
    const odd = [
      result(1, { name: 'hook', hookType: 'PostSync' }),
      result(2, { status: 'SyncFailed' }),
      result(3, { status: 'Pruned' }),
      result(4, { hookPhase: 'Failed' }),
    ];
    const many = [...Array.from({ length: 10_000 }, (_, index) => result(index)), ...odd];
    const state = writeOperationState(
      application(),
      operation(),
      change({ message: 'successfully synced', results: many }),
    );
    expect(readOperationState(state).results).toEqual(odd);
    expect(state.message).toBe('successfully synced (4 of 10004 results are listed)');
  });

  it('has the time since which it waits, so that timeouts survive a restart', () => {
    const first = readOperationState(
      writeOperationState(application(), operation(), change({ waveAppliedAt: new Date('2026-01-01T00:00:10Z') })),
    );
    expect(readWaveApplied(first.operation)).toEqual(new Date('2026-01-01T00:00:10Z'));
    const second = readOperationState(
      writeOperationState(application(), first.operation, change({ waveAppliedAt: new Date('2026-01-01T00:00:20Z') })),
    );
    expect(second.operation.info.filter(({ name }) => name.includes('wave-applied'))).toHaveLength(1);
    expect(
      readWaveApplied(readOperationState(writeOperationState(application(), second.operation, change())).operation),
    ).toBeUndefined();
  });

  it('never exceeds what the server accepts', () => {
    const failed = Array.from({ length: 20_000 }, (_, index) =>
      result(index, { status: 'SyncFailed', message: 'é'.repeat(200) }),
    );
    const state = writeOperationState(
      application(),
      operation(),
      change({ message: 'x'.repeat(5_000_000), results: failed }),
    );
    expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThan(500_000);
  });
});

describe('the history', () => {
  const over = (
    raw: JsonObject = { sync: {}, initiatedBy: { username: 'ann' } },
  ): ReturnType<typeof readOperationState> =>
    readOperationState(writeOperationState(application(), operation(raw), change({ phase: 'Succeeded' })));
  const past = (count: number, from = 0): JsonObject[] =>
    Array.from({ length: count }, (_, index) => ({
      id: from + index,
      revision: `r${from + index}`,
      deployedAt: START,
    }));
  const ids = (list: readonly JsonObject[]): unknown[] => list.map(({ id }) => id);

  it.each([
    ['the last ten by default', undefined, 12, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['all while there are fewer', undefined, 3, [0, 1, 2, 3]],
    ['one', 1, 12, [12]],
    ['none', 0, 12, []],
    ['none of a negative number', -3, 12, []],
    ['ten', 10, 10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ])('keeps %s', (_, limit, before, expected) => {
    const spec: JsonObject = limit === undefined ? {} : { revisionHistoryLimit: limit };
    expect(ids(addToHistory(application(spec, { history: past(before) }), over(), START))).toEqual(expected);
  });

  it('continues after the highest id, even with gaps or out of order', () => {
    expect(ids(addToHistory(application({}, { history: [...past(2, 40), ...past(1, 7)] }), over(), START))).toEqual([
      40, 41, 7, 42,
    ]);
    expect(ids(addToHistory(application({}, { history: [{ revision: 'nameless' }, 'text'] }), over(), START))).toEqual([
      undefined,
      1,
    ]);
  });

  it('has revision, source, times and initiator', () => {
    expect(addToHistory(application(), over(), '2026-01-01T00:01:00Z')).toEqual([
      {
        id: 0,
        revision: 'abc',
        source: SOURCE,
        deployStartedAt: START,
        deployedAt: '2026-01-01T00:01:00Z',
        initiatedBy: { username: 'ann' },
      },
    ]);
  });

  it('leaves out dry runs and syncs of selected resources', () => {
    for (const sync of [{ dryRun: true }, { resources: [{ kind: 'ConfigMap', name: 'a' }] }])
      expect(ids(addToHistory(application({}, { history: past(1) }), over({ sync }), START))).toEqual([0]);
  });
});

describe('metadata of the namespace', () => {
  const wanted = { labels: { team: 'shop' } };
  const synced = (metadata: JsonObject): Application =>
    application(
      { syncPolicy: { managedNamespaceMetadata: wanted } },
      {
        operationState: writeOperationState(
          application({ syncPolicy: { managedNamespaceMetadata: metadata } }),
          operation(),
          change(),
        ),
      },
    );

  it('is new if it differs from the last sync', () => {
    expect(hasNewNamespaceMetadata(synced(wanted))).toBe(false);
    expect(hasNewNamespaceMetadata(synced({ labels: { team: 'other' } }))).toBe(true);
    expect(hasNewNamespaceMetadata(application({ syncPolicy: { managedNamespaceMetadata: wanted } }))).toBe(false);
    expect(hasNewNamespaceMetadata(application())).toBe(false);
  });
});
