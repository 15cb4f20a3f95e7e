import { describe, expect, it } from 'vitest';
import { parseTriggers, triggerDue } from './triggers.js';

const parse = (text: string): ReturnType<typeof parseTriggers> =>
  parseTriggers({ annotations: { 'mlops.dev/on-success-trigger': text } });
const entry = (change: object = {}): string =>
  JSON.stringify([{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', action: 'restart', ...change }]);

describe('a trigger that failed', () => {
  const now = Date.parse('2026-03-02T10:00:00Z');
  const due = (time: string): number | undefined =>
    triggerDue(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'a',
        namespace: '',
        action: 'restart',
        state: 'Failed',
        attempts: 1,
        runId: 'r',
        time,
      },
      now,
    );

  it('is due ten seconds later, and at once where the clock was a day ahead when it failed', () => {
    expect([due('2026-03-02T10:00:00Z'), due('2026-03-03T10:00:00Z')]).toEqual([now + 10_000, 0]);
  });
});

describe('triggers', () => {
  it('are a list, one or many, as YAML or JSON, with an optional namespace', () => {
    expect(
      parse(
        '- {apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: m, namespace: ml-platform, ' +
          'action: restart, note: ignored}',
      ),
    ).toEqual([
      {
        apiVersion: 'serving.kserve.io/v1beta1',
        kind: 'InferenceService',
        name: 'm',
        namespace: 'ml-platform',
        action: 'restart',
      },
    ]);
    expect(
      parse(
        '- {apiVersion: v1, kind: Pod, name: a, action: refresh}\n- {apiVersion: argoproj.io/v1alpha1, ' +
          'kind: Application, name: b, action: sync}',
      ).map(({ name, namespace }) => name + namespace),
    ).toEqual(['a', 'b']);
    expect(parse(entry())).toHaveLength(1);
    expect(parseTriggers({ annotations: {} })).toEqual([]);
    expect(parse(' ')).toEqual([]);
  });

  it.each([
    [entry({ apiVersion: '' }), 'trigger[0]: apiVersion is required'],
    [entry({ kind: undefined }), 'trigger[0]: kind is required'],
    [entry({ name: 7 }), 'trigger[0]: name is required'],
    [entry({ action: '' }), 'trigger[0]: action is required'],
    [entry({ action: 'explode' }), 'trigger[0]: invalid action "explode", must be restart, sync, refresh'],
    [entry({ apiVersion: 'a/b/c' }), 'trigger[0]: invalid apiVersion "a/b/c"'],
    [entry({ action: 'sync' }), 'trigger[0]: only an Application of argoproj.io can be synced'],
    [entry({ apiVersion: 'v1', kind: 'Secret', action: 'refresh' }), 'trigger[0]: a Secret cannot be triggered'],
    [
      entry({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', action: 'refresh' }),
      'trigger[0]: a Role cannot be triggered',
    ],
    ['restart everything', 'annotation mlops.dev/on-success-trigger must be a list of triggers'],
    ['- [', 'annotation mlops.dev/on-success-trigger is not valid YAML'],
    ['- text', 'trigger[0]: must have apiVersion, kind, name and action'],
  ])('%s is refused', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
