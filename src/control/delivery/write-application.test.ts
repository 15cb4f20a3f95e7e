import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { applicationPatch } from './write-application.js';

const REFRESH = 'argocd.argoproj.io/refresh';
const NUMBER = 'argocd.argoproj.io/refresh-timestamp';
const DONE = { annotations: { [REFRESH]: null, [NUMBER]: null } };

function asked(annotations: Record<string, string>): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'a', resourceVersion: '7', annotations },
  };
}

describe('a finished refresh', () => {
  it('removes its annotation and timestamp', () => {
    const read = asked({ [REFRESH]: 'normal', [NUMBER]: '1' });
    expect(applicationPatch(DONE, read, read)).toEqual({
      metadata: { resourceVersion: '7', annotations: { [REFRESH]: null, [NUMBER]: null } },
    });
  });

  it.each([
    ['another number', { [REFRESH]: 'normal', [NUMBER]: '1' }, { [REFRESH]: 'normal', [NUMBER]: '2' }],
    ['a number where there was none', { [REFRESH]: 'normal' }, { [REFRESH]: 'normal', [NUMBER]: '2' }],
    ['another kind', { [REFRESH]: 'normal' }, { [REFRESH]: 'hard' }],
  ])('keeps an annotation that was changed meanwhile: %s', (_, read, now) => {
    expect(applicationPatch(DONE, asked(now), asked(read))).toEqual({ metadata: { resourceVersion: '7' } });
  });
});
