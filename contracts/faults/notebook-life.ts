import { writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Files } from './repository.js';

/**
 * What a node makes of one attempt: it ends well, a cell fails, the repository cannot be fetched, or the node goes
 * while it runs.
 */
export type Attempt = 'well' | 'bad' | 'unfetched' | 'evicted';

export type LifePhase = 'Succeeded' | 'Failed';

/** A notebook from its creation to the last thing that follows from it. */
export interface NotebookLife {
  /** After `a notebook that`. */
  readonly name: string;
  /** One for each pod that should be, in order. */
  readonly attempts: readonly Attempt[];
  /** Each but the first is a change of the job after its end. */
  readonly runs: number;
  /** How the last run ends. */
  readonly phase: LifePhase;
  /** How those before it end, where that is not the same. */
  readonly before?: LifePhase;
  /** How the build of its image ends, where it has one. */
  readonly build?: 'Complete' | 'Failed';
  readonly triggers: 'none' | 'restart' | 'sync';
  /** Whether an Application brings it, with waves around it. */
  readonly isDelivered: boolean;
}

const PLAIN = { runs: 1, phase: 'Succeeded', triggers: 'none', isDelivered: false } as const;

export const LIVES: readonly NotebookLife[] = [
  { ...PLAIN, name: 'succeeds', attempts: ['well'], triggers: 'restart' },
  { ...PLAIN, name: 'is built', attempts: ['well'], build: 'Complete' },
  { ...PLAIN, name: 'is tried again', attempts: ['unfetched', 'evicted', 'well'], triggers: 'restart' },
  { ...PLAIN, name: 'syncs and refreshes', attempts: ['well'], triggers: 'sync' },
  { ...PLAIN, name: 'holds a wave', attempts: ['well'], isDelivered: true },
  {
    ...PLAIN,
    name: 'fails, holds a wave and is repaired',
    attempts: ['bad', 'well'],
    runs: 2,
    before: 'Failed',
    isDelivered: true,
  },
  { ...PLAIN, name: 'runs again', attempts: ['well', 'well'], runs: 2, triggers: 'restart' },
  { ...PLAIN, name: 'fails', attempts: ['bad'], phase: 'Failed', triggers: 'restart' },
  { ...PLAIN, name: 'fails and holds a wave', attempts: ['bad'], phase: 'Failed', isDelivered: true },
  { ...PLAIN, name: 'is not built', attempts: [], phase: 'Failed', build: 'Failed' },
];

export function phaseOf({ runs, phase, before = phase }: NotebookLife, run: number): LifePhase {
  return run < runs ? before : phase;
}

/** How often a life comes to such an end. */
export function endsIn(life: NotebookLife, phase: LifePhase): number {
  return Array.from({ length: life.runs }, (_, index) => phaseOf(life, index + 1)).filter((each) => each === phase)
    .length;
}

/** Who asks for the sync of a run. */
export function initiatorOf(run: number): string {
  return `person-${run}`;
}

/** Whether an Application has to do with it. */
export function hasApplication({ isDelivered, triggers }: NotebookLife): boolean {
  return isDelivered || triggers === 'sync';
}

/** Triggers that are done, where the run succeeds; all of them are done once. */
export function triggersOf({ triggers }: NotebookLife, namespace: string): JsonObject[] {
  switch (triggers) {
    case 'none':
      return [];
    case 'restart':
      return [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', action: 'restart' },
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'served', action: 'restart' },
      ];
    case 'sync': {
      const application = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', name: namespace };
      return [
        { ...application, action: 'sync' },
        { ...application, action: 'refresh' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'told', action: 'refresh' },
      ];
    }
  }
}

/** Another one in each run: that is the change. */
export function refOf(run: number): string {
  return run === 1 ? 'main' : `v${run}`;
}

const WAVE = 'argocd.argoproj.io/sync-wave';

/** The job of the first run; in a repository it has no namespace of its own. */
export function jobOf(life: NotebookLife, namespace: string, run = 1): KubeObject {
  const triggers = triggersOf(life, namespace);
  return {
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: {
      name: 'train',
      ...(life.isDelivered ? {} : { namespace }),
      ...(life.triggers === 'sync' ? { labels: { 'app.kubernetes.io/instance': namespace } } : {}),
      annotations: {
        [WAVE]: '1',
        ...(life.isDelivered ? { 'mlops.dev/block-wave': '4' } : {}),
        ...(triggers.length === 0 ? {} : { 'mlops.dev/on-success-trigger': JSON.stringify(triggers) }),
      },
    },
    spec: {
      notebook: { git: { url: 'https://git.example.com/ml.git', ref: refOf(run) }, path: 'train.ipynb' },
      podConfig: life.build === undefined ? {} : { buildConfig: { enabled: true } },
    },
  };
}

/** What Applications deliver: waves around a notebook, or something that a trigger syncs. */
export function lifeFiles(run = 1): Files {
  const map = (name: string, wave: number): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, annotations: { [WAVE]: String(wave) } },
  });
  const delivered = LIVES.find(({ isDelivered }) => isDelivered);
  if (delivered === undefined) throw new Error('no notebook is delivered');
  const files = {
    'waves/train.json': jobOf(delivered, '', run),
    'waves/w2.json': map('w2', 2),
    'waves/w4.json': map('w4', 4),
    'served/map.json': map('synced', 0),
  };
  return Object.fromEntries(Object.entries(files).map(([path, object]) => [path, `${writeJson(object)}\n`]));
}
