import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_IMPROVEMENTS } from '../../model/settings/index.js';
import { parseApplication, type Application, type SyncStatus } from '../../model/argo/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { JsonObject } from '../../model/json/index.js';
import {
  AUTO_SYNC_SETTINGS,
  decideAutoSync,
  type AutoSyncDecision,
  type AutoSyncSettings,
  type ComparedResource,
  type FieldConflict,
} from './auto-sync.js';

interface Given {
  readonly syncPolicy: JsonObject;
  readonly source?: JsonObject;
  readonly sources?: JsonObject[];
  readonly operation?: JsonObject;
  readonly operationState?: JsonObject;
  readonly deletionTimestamp?: string;
  readonly syncStatus?: SyncStatus;
  readonly revisions?: readonly string[];
  readonly resources?: readonly Partial<ComparedResource>[];
  readonly mayHaveChanges?: boolean;
  readonly isWindowOpen?: boolean;
  readonly windowChange?: string;
  readonly isCauseChanged?: boolean;
  readonly retryFailedRevision?: boolean;
  readonly contests?: readonly FieldConflict[];
  readonly settings?: AutoSyncSettings;
}

interface Case {
  readonly name: string;
  readonly given: Given;
  readonly expect: JsonObject;
}

const NOW = new Date('2026-03-02T10:00:00Z');
const SOURCE = { repoURL: 'https://git.example/shop', path: 'cart' };

function applicationOf({
  syncPolicy,
  source = SOURCE,
  sources,
  operation,
  operationState,
  deletionTimestamp,
}: Given): Application {
  return parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'cart', namespace: 'argocd', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: {
      project: 'default',
      destination: { server: 'https://prod.example', namespace: 'shop' },
      syncPolicy,
      ...(sources === undefined ? { source } : { sources }),
    },
    ...(operation === undefined ? {} : { operation }),
    ...(operationState === undefined ? {} : { status: { operationState } }),
  });
}

function decide(given: Given): AutoSyncDecision {
  const {
    syncStatus = 'OutOfSync',
    revisions = ['bbb'],
    resources = [{ kind: 'ConfigMap', name: 'a', status: 'OutOfSync' }],
    mayHaveChanges = true,
    isWindowOpen = true,
  } = given;
  return decideAutoSync({
    application: applicationOf(given),
    syncStatus,
    revisions,
    mayHaveChanges,
    isWindowOpen,
    resources: resources.map((each) => ({
      group: '',
      kind: '',
      namespace: '',
      name: '',
      requiresPruning: false,
      ...each,
    })),
    ...(given.windowChange === undefined ? {} : { windowChange: new Date(given.windowChange) }),
    ...(given.isCauseChanged === undefined ? {} : { isCauseChanged: given.isCauseChanged }),
    ...(given.contests === undefined ? {} : { contests: given.contests }),
    settings: given.settings ?? AUTO_SYNC_SETTINGS,
    improvements: { ...NO_IMPROVEMENTS, retryFailedRevision: given.retryFailedRevision ?? false },
    now: NOW,
  });
}

const FILE = join(import.meta.dirname, 'cases/auto-sync.yaml');

describe('automatic sync', () => {
  it.each(readOneYaml(readFileSync(FILE, 'utf8'), { dialect: 'kubernetes', file: FILE }) as unknown as Case[])(
    '$name',
    ({ given, expect: wanted }) => {
      const { operation, condition, ...decision } = JSON.parse(JSON.stringify(decide(given))) as JsonObject;
      const { operation: wantedOperation, condition: wantedCondition, ...rest } = wanted;
      expect(decision).toEqual(rest);
      expect(condition ?? null).toEqual(wantedCondition ?? null);
      if (wantedOperation !== undefined) expect(operation).toEqual(wantedOperation);
    },
  );

  it('heals later and later: 0, 2, 6, 18, 54, 162, 300 seconds', () => {
    const waits = Array.from({ length: 8 }, (_, autoHealAttemptsCount) => {
      const decision = decide({
        syncPolicy: { automated: { selfHeal: true } },
        operationState: {
          phase: 'Succeeded',
          finishedAt: NOW.toISOString(),
          operation: { sync: { autoHealAttemptsCount } },
          syncResult: { revision: 'bbb', source: SOURCE },
        },
      });
      return decision.kind === 'sync' ? 0 : ((decision.askAgainAt?.getTime() ?? NaN) - NOW.getTime()) / 1000;
    });
    expect(waits).toEqual([0, 2, 6, 18, 54, 162, 300, 300]);
  });

  it('writes operations that can be read back', () => {
    const decision = decide({ syncPolicy: { automated: { prune: true } } });
    if (decision.kind !== 'sync') throw new Error(decision.why);
    const read = applicationOf({ syncPolicy: {}, operation: decision.operation }).operation;
    expect(read).toMatchObject({
      isAutomated: true,
      sync: { revision: 'bbb', prune: true, strategy: 'hook', sources: [SOURCE] },
      retry: { limit: 5, duration: 5000 },
    });
  });
});
