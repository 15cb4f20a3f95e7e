import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { findAnnotationErrors, staleness, wasReadyOnce } from './gate.js';

const object = (annotations: Record<string, string>, status: JsonObject = {}, generation = 3): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', annotations, generation },
  status,
});

describe('annotations of a sync', () => {
  it('are named where they say nothing', () => {
    expect(
      findAnnotationErrors(
        object({
          'argocd.argoproj.io/sync-wave': 'late',
          'mlops.dev/block-wave': '0',
          'argosy.dev/gate': 'no',
          'argosy.dev/wait-timeout': 'soon',
        }),
      ),
    ).toEqual([
      'apps/Deployment web: annotation argocd.argoproj.io/sync-wave is "late", it must be a whole number; ' +
        'it counts as absent',
      'apps/Deployment web: annotation mlops.dev/block-wave is "0", it must be a whole number greater than ' +
        'the wave of the object (0); it counts as absent',
      'apps/Deployment web: annotation argosy.dev/gate is "no", it must be "true" or "false"; it counts as absent',
      'apps/Deployment web: annotation argosy.dev/wait-timeout is "soon", it must be a duration such as 5m, ' +
        'or seconds; it counts as absent',
    ]);
  });

  it('of a deadline are named on a hook where it is no duration, and on any other object', () => {
    const deadline = (value: string, more: Record<string, string> = {}): string[] =>
      findAnnotationErrors(object({ 'argosy.dev/hook-deadline': value, ...more }));
    const hook = { 'argocd.argoproj.io/hook': 'PreSync' };
    expect(deadline('90', hook)).toEqual([]);
    expect(deadline('10m', { 'helm.sh/hook': 'pre-install' })).toEqual([]);
    expect(deadline('soon', hook)).toEqual([
      'apps/Deployment web: annotation argosy.dev/hook-deadline is "soon", it must be a duration such as 5m, ' +
        'or seconds; it counts as absent',
    ]);
    expect(deadline('5m')).toEqual([
      'apps/Deployment web: annotation argosy.dev/hook-deadline acts on hooks only; argosy.dev/wait-timeout acts ' +
        'on others',
    ]);
  });

  it('are fine otherwise', () => {
    expect(
      findAnnotationErrors(
        object({
          'argocd.argoproj.io/sync-wave': '-2',
          'mlops.dev/block-wave': '0',
          'argosy.dev/gate': 'true',
          'argosy.dev/wait-timeout': '90',
        }),
      ),
    ).toEqual([]);
  });
});

describe('a verdict is stale', () => {
  it.each<[string, JsonObject, boolean]>([
    ['without a word about generations it is not', {}, false],
    ['by status.observedGeneration', { observedGeneration: 2 }, true],
    ['not when that is current', { observedGeneration: 3, conditions: [{ observedGeneration: 1 }] }, false],
    ['also when it is text', { observedGeneration: '2' }, true],
    ['not by a hash', { observedGeneration: '7f9d' }, false],
    [
      'when no condition is current',
      {
        conditions: [
          { type: 'A', observedGeneration: 1 },
          { type: 'B', observedGeneration: 2 },
        ],
      },
      true,
    ],
    [
      'not when one of them is',
      {
        conditions: [
          { type: 'A', observedGeneration: 3 },
          { type: 'B', observedGeneration: 2 },
        ],
      },
      false,
    ],
  ])('%s', (_, status, isStale) => expect(staleness(object({}, status)) !== undefined).toBe(isStale));

  it('not where the generation is that of another object', () => {
    expect(
      staleness({
        apiVersion: 'serving.kserve.io/v1beta1',
        kind: 'InferenceService',
        metadata: { name: 'm', generation: 3 },
        status: { observedGeneration: 1 },
      }),
    ).toBeUndefined();
  });
});

describe('an object was ready once', () => {
  it.each<[string, JsonObject, boolean]>([
    ['not before it has a status', {}, false],
    [
      'not while it waits for its first model',
      { conditions: [{ type: 'Ready', status: 'False' }], modelStatus: { states: { activeModelState: '' } } },
      false,
    ],
    ['when it is Ready', { conditions: [{ type: 'Ready', status: 'True' }] }, true],
    [
      'when a model was loaded',
      { modelStatus: { states: { activeModelState: 'Loaded', targetModelState: 'FailedToLoad' } } },
      true,
    ],
    ['when a revision was ready', { components: { predictor: { latestReadyRevision: 'model-00001' } } }, true],
  ])('%s', (_, status, wasReady) => expect(wasReadyOnce(object({}, status))).toBe(wasReady));
});
