import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { changeText, nextChange, readChange, readSent, type Change } from './change.js';
import { evaluateTriggers, type TriggerEvaluation } from './evaluate-triggers.js';
import { NOTIFIED_ANNOTATION, NotifiedState } from './notified-state.js';
import { Secrets } from './secrets.js';
import { readNotifySettings, type NotifySettings } from './settings.js';
import { destinationsOf } from './subscriptions.js';
import { writeMessage } from './write-message.js';

const NOW = new Date('2026-02-03T12:00:00Z');
const host = { now: () => 0n, random: (count: number) => new Uint8Array(count), zone: 'UTC' };
const settingsOf = (data: Record<string, string>): NotifySettings =>
  readNotifySettings(new Map(Object.entries(data)), new Secrets(new Map([['token', 'very-secret']])));
const app = (
  status: JsonObject,
  annotations: Record<string, string> = {},
  labels: Record<string, string> = {},
): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd', uid: 'u', annotations, labels },
  spec: { project: 'default' },
  status,
});
const pairs = (object: KubeObject, settings: NotifySettings, project?: KubeObject): string[] =>
  [...destinationsOf(object, project, settings)].flatMap(([trigger, to]) =>
    to.map(({ service, recipient }) => `${trigger} -> ${service}:${recipient}`),
  );

describe('subscriptions', () => {
  const settings = settingsOf({
    subscriptions:
      '- recipients: [slack:ops, pager]\n  triggers: [on-failed]\n- recipients: [slack:team]\n  selector: ' +
      'team=shop\n- recipients: [slack:other]\n  triggers: [on-failed]\n  selector: team=other\n',
    defaultTriggers: '[on-sync-failed]',
    'defaultTriggers.mattermost': '[on-created, on-deleted]',
  });

  it('come from the settings, the application and its project, and each counts once', () => {
    const object = app(
      {},
      {
        'notifications.argoproj.io/subscribe.on-failed.slack': 'ops; shop ;',
        'notifications.argoproj.io/subscribe.slack': 'plain',
        'notifications.argoproj.io/subscribe.mattermost': '',
      },
      { team: 'shop' },
    );
    const project = app(
      {},
      {
        'notifications.argoproj.io/subscribe.on-failed.slack': 'project',
        'notifications.argoproj.io/subscriptions':
          '- trigger: [on-created]\n  destinations:\n  - {service: slack, recipients: [a, b]}\n',
      },
    );
    expect(pairs(object, settings, project)).toEqual([
      'on-failed -> slack:ops',
      'on-failed -> pager:',
      'on-failed -> slack:shop',
      'on-failed -> slack:project',
      'on-sync-failed -> slack:team',
      'on-sync-failed -> slack:plain',
      'on-created -> mattermost:',
      'on-created -> slack:a',
      'on-created -> slack:b',
      'on-deleted -> mattermost:',
    ]);
  });

  it('that are invalid subscribe nobody', () => {
    for (const text of ['{', 'text', '- 1', '- {destinations: {}}', '- {trigger: x, destinations: [{service: {}}]}'])
      expect(pairs(app({}, { 'notifications.argoproj.io/subscriptions': text }), settingsOf({}))).toEqual([]);
  });
});

describe('triggers', () => {
  const settings = settingsOf({
    'trigger.plain': "- when: app.status.health.status == 'Degraded'\n  send: [app-failed]\n",
    'trigger.once':
      "- when: app.status.health.status == 'Degraded'\n  oncePer: app.status.sync.revision\n  send: [app-failed]\n",
    'trigger.broken': '- when: app.status.missing.phase == 1\n  send: [app-failed]\n',
  });
  const run = (name: string, object: KubeObject): TriggerEvaluation =>
    evaluateTriggers(
      settings,
      new Map([[name, [{ service: 'pager', recipient: 'x' }]]]),
      object,
      readChange(object),
      NotifiedState.read(object),
      NOW,
    );
  const degraded = { health: { status: 'Degraded' }, sync: { revision: 'abc' } };

  it('notify once while they are true, recorded as Argo CD does', () => {
    const [due] = run('plain', app(degraded)).due;
    expect(due?.key).toMatch(/^plain:\[0\]\.[\w-]{27}:pager:x$/);
    expect(run('plain', app(degraded, { [NOTIFIED_ANNOTATION]: JSON.stringify({ [due?.key ?? '']: 1 }) })).due).toEqual(
      [],
    );
    expect(run('once', app(degraded)).due[0]?.key).toMatch(/^abc:once:\[0\]\./);
  });

  it('that became false notify again the next time, unless oncePer says otherwise', () => {
    const healthy = { health: { status: 'Healthy' }, sync: { revision: 'abc' } };
    const [plain, once] = [run('plain', app(degraded)).due[0]?.key ?? '', run('once', app(degraded)).due[0]?.key ?? ''];
    expect(run('plain', app(healthy, { [NOTIFIED_ANNOTATION]: JSON.stringify({ [plain]: 1 }) })).over).toEqual([plain]);
    expect(run('once', app(healthy, { [NOTIFIED_ANNOTATION]: JSON.stringify({ [once]: 1 }) })).over).toEqual([]);
    expect(
      run(
        'once',
        app({ ...degraded, sync: { revision: 'def' } }, { [NOTIFIED_ANNOTATION]: JSON.stringify({ [once]: 1 }) }),
      ).due,
    ).toHaveLength(1);
  });

  it('without a value or a definition are reported as problems', () => {
    expect(run('broken', app(degraded))).toMatchObject({
      due: [],
      problems: ["trigger 'broken': app.status.missing.phase == 1: cannot fetch phase from <nil>"],
    });
    expect(run('nowhere', app(degraded)).problems).toEqual(["trigger 'nowhere' is not configured"]);
  });

  it('see no secret', () => {
    const leaky = settingsOf({
      'trigger.leak': '- when: secrets != nil\n  oncePer: secrets.token\n  send: [app-failed]\n',
    });
    expect(
      evaluateTriggers(
        leaky,
        new Map([['leak', [{ service: 'pager', recipient: '' }]]]),
        app(degraded),
        readChange(app({})),
        NotifiedState.read(app({})),
        NOW,
      ).due,
    ).toEqual([]);
  });
});

describe('sent notifications', () => {
  it('are recorded as Argo CD does, the newest hundred', () => {
    const state = NotifiedState.read(app({}, { [NOTIFIED_ANNOTATION]: '{"b":2,"a":1,"text":"x"}' }));
    expect(state.text(new Set())).toBe('{"a":1,"b":2}');
    state.remove('a');
    expect(state.text(new Set(['b']))).toBeNull();
    for (let i = 0; i < 150; i++) state.add(`k${i}`, new Date(1_000_000_000_000 + i * 1000));
    expect(Object.keys(JSON.parse(state.text(new Set()) ?? '{}') as object)).toHaveLength(100);
    expect(state.text(new Set())).not.toContain('"k49"');
    expect(NotifiedState.read(app({}, { [NOTIFIED_ANNOTATION]: 'no json' })).text(new Set())).toBeNull();
  });
});

describe('the transition of an application', () => {
  const operation = (phase: string, finishedAt: string, message = ''): JsonObject => ({
    operationState: { phase, startedAt: finishedAt, finishedAt, message },
  });
  const follow = (...statuses: JsonObject[]): Change =>
    statuses.reduce<Change>((before, status) => nextChange(before, app(status)), readChange(app({})));
  const degraded = {
    health: { status: 'Degraded' },
    resources: [
      {
        kind: 'NotebookValidationJob',
        name: 'train',
        health: { status: 'Degraded', message: 'Failed at cell 3: ValueError' },
      },
      { kind: 'Deployment', name: 'web', health: { status: 'Healthy' } },
    ],
  };
  const [healthy, progressing] = [{ health: { status: 'Healthy' } }, { health: { status: 'Progressing' } }];

  it.each<[string, JsonObject[], Partial<Change>]>([
    ['nothing while it is well', [healthy, progressing, healthy], { health: '', cause: '' }],
    [
      'it failed, and why',
      [healthy, degraded],
      { health: 'failed', cause: 'NotebookValidationJob/train: Failed at cell 3: ValueError' },
    ],
    ['it is still failed while it progresses', [degraded, progressing], { health: 'failed' }],
    [
      'it recovered from what it had',
      [degraded, progressing, healthy, progressing, healthy],
      { health: 'recovered', cause: 'NotebookValidationJob/train: Failed at cell 3: ValueError' },
    ],
    ['it failed again', [degraded, healthy, degraded], { health: 'failed' }],
    [
      'a sync failed',
      [operation('Failed', '1', 'no such field')],
      { sync: 'failed', syncCause: 'no such field', cause: 'no such field' },
    ],
    [
      'a sync succeeded after a failure',
      [
        operation('Failed', '1', 'no'),
        { operationState: { phase: 'Running', startedAt: '2' } },
        operation('Succeeded', '2'),
      ],
      { sync: 'succeeded after failure', syncCause: 'no' },
    ],
    [
      'and the next is an ordinary success',
      [operation('Failed', '1', 'no'), operation('Succeeded', '2'), operation('Succeeded', '3')],
      { sync: 'succeeded' },
    ],
    [
      'the same operation is looked at once',
      [operation('Failed', '1', 'no'), operation('Succeeded', '2'), operation('Succeeded', '2')],
      { sync: 'succeeded after failure' },
    ],
    ['without words it says that much', [{ health: { status: 'Degraded' } }], { cause: 'its health is Degraded' }],
  ])('%s', (_, statuses, expected) => {
    expect(follow(...statuses)).toMatchObject(expected);
  });

  it('survives a restart, and stays short', () => {
    const change = follow({
      health: { status: 'Degraded' },
      resources: Array.from({ length: 9 }, (_, index) => ({
        kind: 'Pod',
        name: `p${index}`,
        health: { status: 'Degraded', message: 'x'.repeat(400) },
      })),
    });
    const text = changeText(change, 7, []) ?? '';
    expect(text.length).toBeLessThan(800);
    const next = app({}, { 'argosy.dev/notified-change': text });
    expect(readChange(next)).toEqual(change);
    expect(readSent(next)).toEqual({ sent: 7, pending: undefined });
    expect(readChange(app({}, { 'argosy.dev/notified-change': '[' }))).toEqual(readChange(app({})));
  });
});

describe('messages', () => {
  const settings = settingsOf({
    context: 'region: east\nargocdUrl: https://argosy.example.com\n',
    'template.own':
      'message: "{{.app.metadata.name}} {{.context.region}} {{.serviceType}} {{.recipient}} ' +
      '{{.appProject.metadata.name}}"\nslack:\n  attachments: \'[{"title": "{{.app.metadata.name}}"}]\'\n' +
      'webhook:\n  pager:\n    method: POST\n    path: /{{.app.metadata.name}}\n    body: ' +
      'token={{.secrets.token}}\n',
    'template.more': 'webhook:\n  pager:\n    body: more\n',
    'template.broken': 'message: "{{ fail .secrets.token }}"\n',
  });
  const write = (templates: string[], service = 'pager'): ReturnType<typeof writeMessage> =>
    writeMessage(
      settings,
      { trigger: 't', key: 'k', templates, destination: { service, recipient: 'ops' } },
      {
        application: app({ health: { status: 'Degraded' } }),
        project: app({}),
        change: { ...readChange(app({})), cause: 'cell "3"' },
      },
      host,
    );

  it('are rendered by their templates, the later over the earlier', () => {
    expect(write(['own'])).toEqual({
      text: 'shop east pager ops shop',
      webhook: { method: 'POST', path: '/shop', body: 'token=very-secret' },
      slack: { username: '', icon: '', attachments: '[{"title": "shop"}]', blocks: '' },
    });
    expect(write(['own', 'more']).webhook).toEqual({ method: '', path: '', body: 'more' });
  });

  it('of ours are JSON for programs', () => {
    expect(JSON.parse(write(['app-failed']).webhook?.body ?? '')).toEqual({
      application: 'shop',
      namespace: 'argocd',
      health: 'Degraded',
      cause: 'cell "3"',
      text: 'shop failed: cell "3" https://argosy.example.com/applications/shop',
    });
    expect(write(['app-failed'], 'slack').text).toBe(
      ':x: shop failed: cell "3" https://argosy.example.com/applications/shop',
    );
  });

  it('that cannot be rendered say why, without secrets', () => {
    expect(() => write(['missing'])).toThrow("template 'missing' is not supported");
    let reported = '';
    try {
      write(['broken']);
    } catch (error) {
      reported = String(error);
    }
    expect(reported).toContain('++++++++');
    expect(reported).not.toContain('very-secret');
  });
});
