import { expect, it } from 'vitest';
import { parseApplication, readOperationState } from '../../model/argo/index.js';
import { resumeRunning } from './running-operation.js';

const application = parseApplication({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { namespace: 'argocd', name: 'shop', uid: 'u' },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example/shop', path: '.' },
    destination: { server: 'x' },
  },
});
const state = readOperationState({ phase: 'Running', startedAt: '2026-03-02T10:00:00Z', operation: { sync: {} } });
const NOW = new Date('2026-03-02T10:05:00Z');

it.each([
  ['as they are', '2026-03-02T10:04:00Z', '2026-03-02T10:04:00Z'],
  ['again from now where the clock was a day ahead', '2026-03-03T10:04:00Z', '2026-03-02T10:05:00Z'],
])('deadlines of a sync count %s', (_, stored, expected) => {
  const known = resumeRunning(undefined, application, state, () => NOW);
  known.waveAppliedAt = new Date(stored);
  known.imageGate = { place: 'Sync/0', since: new Date(stored) };
  const { waveAppliedAt, imageGate } = resumeRunning(known, application, state, () => NOW);
  expect([waveAppliedAt, imageGate?.since]).toEqual([new Date(expected), new Date(expected)]);
});
