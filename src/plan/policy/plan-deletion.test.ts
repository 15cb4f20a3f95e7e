import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { parseApplication, type Application, type HealthStatus } from '../../model/argo/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { JsonObject } from '../../model/json/index.js';
import {
  isDeletionHook,
  needsTargets,
  planDeletion,
  wantedFinalizers,
  type DeletionPlan,
  type DeletionStep,
} from './plan-deletion.js';

interface Written {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
  readonly deletionTimestamp?: string;
  readonly health?: HealthStatus;
}

interface Case {
  readonly name: string;
  readonly finalizers: string[];
  readonly syncOptions?: string[];
  readonly approved?: string;
  readonly status?: JsonObject;
  readonly isClusterKnown?: boolean;
  readonly live?: readonly Written[];
  readonly targets?: readonly Written[];
  readonly expect: {
    readonly isOver?: boolean;
    readonly steps?: string[];
    readonly waitsFor?: string[];
    readonly condition?: string;
  };
}

function applicationOf(
  finalizers: string[],
  { syncOptions = [], approved, status = {} }: Partial<Case> = {},
): Application {
  return parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: 'cart',
      namespace: 'argocd',
      uid: '0a1b2c3d-4e5f',
      finalizers,
      deletionTimestamp: '2026-03-02T10:00:00Z',
      annotations: approved === undefined ? {} : { 'argocd.argoproj.io/deletion-approved': approved },
    },
    spec: {
      project: 'p',
      destination: { server: 'https://prod.example', namespace: 'shop' },
      syncPolicy: { syncOptions },
    },
    status,
  });
}

function objectOf({ apiVersion = 'v1', kind, namespace = 'shop', health: _, ...metadata }: Written): KubeObject {
  return { apiVersion, kind, metadata: { namespace, ...metadata } };
}

function stepText(step: DeletionStep): string {
  switch (step.kind) {
    case 'drop-finalizers':
      return `drop ${step.finalizers.join(',')}`;
    case 'apply':
      return `create ${step.object.kind} ${step.object.metadata.name ?? ''}`;
    default:
      return `${step.kind} ${step.live.kind} ${step.live.metadata.name ?? ''} ${step.propagation}`;
  }
}

function shown(move: DeletionPlan): Case['expect'] {
  return {
    ...(move.isOver ? { isOver: true } : {}),
    ...(move.steps.length === 0 ? {} : { steps: move.steps.map(stepText) }),
    ...(move.waitsFor.length === 0
      ? {}
      : { waitsFor: move.waitsFor.map(({ why, key, message }) => `${why} ${key.kind} ${key.name} ${message}`.trim()) }),
    ...(move.condition === undefined ? {} : { condition: move.condition.message }),
  };
}

const FILE = join(import.meta.dirname, 'cases/deletion.yaml');

describe('the deletion of an application', () => {
  it.each(readOneYaml(readFileSync(FILE, 'utf8'), { dialect: 'kubernetes', file: FILE }) as unknown as Case[])(
    '$name',
    (given) => {
      const healths = new Map((given.live ?? []).map((each) => [keyText(keyOf(objectOf(each))), each.health]));
      const move = planDeletion({
        application: applicationOf(given.finalizers, given),
        isClusterKnown: given.isClusterKnown ?? true,
        live: (given.live ?? []).map(objectOf),
        targets: (given.targets ?? []).map(objectOf),
        findViolation: (object) => object.metadata.annotations?.forbidden,
        assess: (live) => {
          const status = healths.get(keyText(keyOf(live)));
          return status === undefined ? undefined : { status };
        },
      });
      expect(shown(move)).toEqual(given.expect);
    },
  );

  it('ends, whatever its finalizers and objects are, with each object deleted once', () => {
    const live = [3, 0, 0, -2, 7].map((wave, index) =>
      objectOf({ kind: 'ConfigMap', name: `c${index}`, annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } }),
    );
    const hook = (name: string, type: string): KubeObject =>
      objectOf({
        apiVersion: 'batch/v1',
        kind: 'Job',
        name,
        annotations: { 'argocd.argoproj.io/hook': type, 'argocd.argoproj.io/hook-delete-policy': 'HookSucceeded' },
      });
    const targets = [hook('before', 'PreDelete'), hook('after', 'PostDelete')];
    let finalizers = wantedFinalizers(['resources-finalizer.argocd.argoproj.io', 'other.example/keep'], targets);
    const cluster = new Map(live.map((object) => [keyText(keyOf(object)), object]));
    const log: string[] = [];
    for (let round = 0; round < 40; round++) {
      const move = planDeletion({
        application: applicationOf(finalizers),
        isClusterKnown: true,
        live: [...cluster.values()],
        targets,
        findViolation: () => undefined,
        assess: () => undefined,
      });
      if (move.isOver) break;
      for (const step of move.steps) {
        log.push(stepText(step));
        if (step.kind === 'drop-finalizers') finalizers = finalizers.filter((name) => !step.finalizers.includes(name));
        else if (step.kind === 'apply') cluster.set(keyText(step.task.key), step.object);
        else cluster.delete(keyText(step.task.key));
      }
    }
    expect(finalizers).toEqual(['other.example/keep']);
    expect(log).toEqual([
      'create Job before',
      'drop pre-delete-finalizer.argocd.argoproj.io',
      'prune ConfigMap c4 Foreground',
      'prune ConfigMap c0 Foreground',
      'prune ConfigMap c1 Foreground',
      'prune ConfigMap c2 Foreground',
      'prune Job before Foreground',
      'prune ConfigMap c3 Foreground',
      'drop resources-finalizer.argocd.argoproj.io',
      'create Job after',
      'drop post-delete-finalizer.argocd.argoproj.io',
      'drop pre-delete-finalizer.argocd.argoproj.io/cleanup',
      'delete-hook Job after Background',
      'drop post-delete-finalizer.argocd.argoproj.io/cleanup',
    ]);
  });

  it('needs git only to run hooks', () => {
    const pre = 'pre-delete-finalizer.argocd.argoproj.io';
    const post = 'post-delete-finalizer.argocd.argoproj.io';
    const cascade = 'resources-finalizer.argocd.argoproj.io';
    expect(
      [[pre, cascade], [cascade, post], [post], [`${pre}/cleanup`, `${post}/cleanup`]].map((each) =>
        needsTargets(applicationOf(each)),
      ),
    ).toEqual([true, false, true, false]);
  });

  it('takes back finalizers when git has no such hooks any more', () => {
    const both = ['x', 'pre-delete-finalizer.argocd.argoproj.io', 'pre-delete-finalizer.argocd.argoproj.io/cleanup'];
    const hook = objectOf({ kind: 'ConfigMap', name: 'a', annotations: { 'helm.sh/hook': 'pre-delete' } });
    expect(isDeletionHook(hook, 'PreDelete')).toBe(true);
    expect(wantedFinalizers(['x'], [hook])).toEqual(both);
    expect(wantedFinalizers(both, [hook])).toEqual(both);
    expect(wantedFinalizers(both, [])).toEqual(['x']);
  });
});
