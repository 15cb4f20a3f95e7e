import { writeJson, type JsonObject } from '../../src/model/json/index.js';
import { MANAGED_BY, OUTCOME } from './hook-player.js';

/** Where an object stands in a sync: phases in order, waves in order. */
export interface Place {
  readonly phase: 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail';
  readonly wave: number;
}

export interface Planned extends Place {
  readonly resource: 'configmaps' | 'jobs' | 'pods' | 'services' | 'deployments';
  /** A name, or the beginning of one that the controller completes. */
  readonly name: string;
  readonly isGenerated: boolean;
  readonly isHook: boolean;
  /** Whether the sync gets that far. */
  readonly isReached: boolean;
  readonly manifest: JsonObject;
}

export interface HookScenario {
  readonly name: string;
  /** Synced once before, so that hooks of before are still there. */
  readonly isSecond: boolean;
  /** And then in part, as a dry run: nothing of that operation may be left in the next. */
  readonly isAfterPart: boolean;
  readonly phase: 'Succeeded' | 'Failed';
  readonly objects: readonly Planned[];
}

const PHASES = ['PreSync', 'Sync', 'PostSync', 'SyncFail'] as const;
const HOOK = 'argocd.argoproj.io/hook';
const POLICY = 'argocd.argoproj.io/hook-delete-policy';
const WAVE = 'argocd.argoproj.io/sync-wave';
const RESOURCES = {
  ConfigMap: 'configmaps',
  Job: 'jobs',
  Pod: 'pods',
  Service: 'services',
  Deployment: 'deployments',
} as const;

interface Draft extends Place {
  readonly kind: keyof typeof RESOURCES;
  readonly name: string;
  readonly isGenerated?: boolean;
  readonly isHook?: boolean;
  readonly policy?: string;
  readonly fails?: boolean;
}

/** All kinds of hooks, named and generated, around objects in three waves. */
const DRAFTS: readonly Draft[] = [
  { kind: 'ConfigMap', name: 'settings-before', phase: 'PreSync', wave: -1, isHook: true },
  { kind: 'Job', name: 'migrate', phase: 'PreSync', wave: 0, isHook: true },
  { kind: 'Job', name: 'backup-', phase: 'PreSync', wave: 0, isHook: true, isGenerated: true, policy: 'HookSucceeded' },
  { kind: 'Job', name: 'check-', phase: 'PreSync', wave: 1, isHook: true, isGenerated: true },
  { kind: 'ConfigMap', name: 'first', phase: 'Sync', wave: 0 },
  { kind: 'Service', name: 'web', phase: 'Sync', wave: 0 },
  { kind: 'Deployment', name: 'web', phase: 'Sync', wave: 1 },
  { kind: 'Pod', name: 'warm-up', phase: 'Sync', wave: 1, isHook: true, policy: 'BeforeHookCreation' },
  { kind: 'ConfigMap', name: 'last', phase: 'Sync', wave: 2 },
  { kind: 'Job', name: 'announce', phase: 'PostSync', wave: 0, isHook: true, policy: 'HookSucceeded' },
  {
    kind: 'Job',
    name: 'smoke-',
    phase: 'PostSync',
    wave: 1,
    isHook: true,
    isGenerated: true,
    policy: 'BeforeHookCreation',
  },
  { kind: 'Job', name: 'sorry', phase: 'SyncFail', wave: 0, isHook: true },
  { kind: 'Job', name: 'page-', phase: 'SyncFail', wave: 0, isHook: true, isGenerated: true, policy: 'HookFailed' },
];

export const HOOK_SCENARIOS: readonly HookScenario[] = [
  scenario('first-sync', {}),
  scenario('second-sync', { isSecond: true }),
  scenario('after-a-part', { isSecond: true, isAfterPart: true }),
  scenario('presync-fails', { failing: 'migrate' }),
  scenario('postsync-fails', { failing: 'smoke-' }),
];

function scenario(
  name: string,
  {
    failing,
    isSecond = false,
    isAfterPart = false,
  }: { readonly failing?: string; readonly isSecond?: boolean; readonly isAfterPart?: boolean },
): HookScenario {
  const broken = DRAFTS.find((draft) => draft.name === failing);
  const objects = DRAFTS.map(
    (draft): Planned => ({
      phase: draft.phase,
      wave: draft.wave,
      name: draft.name,
      resource: RESOURCES[draft.kind],
      isGenerated: draft.isGenerated ?? false,
      isHook: draft.isHook ?? false,
      isReached:
        draft.phase === 'SyncFail' ? broken !== undefined : broken === undefined || comparePlaces(draft, broken) <= 0,
      manifest: manifestOf(draft, draft === broken),
    }),
  );
  return { name, isSecond, isAfterPart, phase: broken === undefined ? 'Succeeded' : 'Failed', objects };
}

export function comparePlaces(a: Place, b: Place): number {
  return PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || a.wave - b.wave;
}

function manifestOf(draft: Draft, fails: boolean): JsonObject {
  const annotations: Record<string, string> = {
    [WAVE]: String(draft.wave),
    ...(draft.isHook === true ? { [HOOK]: draft.phase } : {}),
    ...(draft.policy === undefined ? {} : { [POLICY]: draft.policy }),
    ...(fails ? { [OUTCOME]: 'fail' } : {}),
  };
  const metadata = {
    ...(draft.isGenerated === true ? { generateName: draft.name } : { name: draft.name }),
    annotations,
  };
  const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
  const labels = { app: 'web' };
  switch (draft.kind) {
    case 'ConfigMap':
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: draft.name } };
    case 'Job':
      return {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata,
        spec: { managedBy: MANAGED_BY, backoffLimit: 0, template: { spec: pod } },
      };
    case 'Pod':
      return { apiVersion: 'v1', kind: 'Pod', metadata, spec: pod };
    case 'Service':
      return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 80 }] } };
    case 'Deployment':
      return {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: pod.containers } },
        },
      };
  }
}

/** The scenario as files of a repository, one object a file. */
export function scenarioFiles({ name, objects }: HookScenario): Record<string, string> {
  return Object.fromEntries(
    objects.map((planned, index) => [`${name}/${index}-${planned.resource}.yaml`, `${writeJson(planned.manifest)}\n`]),
  );
}
