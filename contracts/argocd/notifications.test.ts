import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readChange } from '../../src/control/notify/change.js';
import { evaluateTriggers } from '../../src/control/notify/evaluate-triggers.js';
import { NotifiedState } from '../../src/control/notify/notified-state.js';
import { Secrets } from '../../src/control/notify/secrets.js';
import { readNotifySettings } from '../../src/control/notify/settings.js';
import { writeMessage } from '../../src/control/notify/write-message.js';
import { isObject, own, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { argoCdModule } from './module.js';

// The triggers and templates that Argo CD ships are used as they are.
const file = join(argoCdModule() ?? '/nonexistent', 'notifications_catalog/install.yaml');
const host = { now: () => 0n, random: (count: number) => new Uint8Array(count), zone: 'UTC' };

const app = (status: JsonObject): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd', uid: 'u' },
  spec: { project: 'default', source: { repoURL: 'https://git.example.com/shop.git' } },
  status: {
    sync: { status: 'Synced', revision: 'abc' },
    conditions: [{ type: 'SyncError', message: 'no' }],
    ...status,
  },
});
const operation = (phase: string): JsonObject => ({
  phase,
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:01:00Z',
  message: 'words',
  syncResult: { revision: 'abc' },
});
const DEPLOYED = app({
  health: { status: 'Healthy', lastTransitionTime: '2026-01-01T00:01:00Z' },
  operationState: operation('Succeeded'),
});
const FAILED = app({
  health: { status: 'Degraded', lastTransitionTime: '2026-01-01T00:01:00Z' },
  operationState: operation('Failed'),
});

describe.skipIf(!existsSync(file))('the notification catalogue of Argo CD (skipped without its module)', () => {
  const map = existsSync(file) ? readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file }) : null;
  const data = isObject(map) && isObject(map.data) ? map.data : {};
  const settings = readNotifySettings(
    new Map(Object.keys(data).map((key) => [key, String(own(data, key))])),
    new Secrets(new Map()),
  );
  const names = Object.keys(data)
    .filter((key) => key.startsWith('trigger.'))
    .map((key) => key.slice('trigger.'.length))
    .sort();
  const hold = (application: KubeObject): string[] => {
    const destinations = new Map(names.map((name) => [name, [{ service: 'slack', recipient: 'ops' }]]));
    const { due, problems } = evaluateTriggers(
      settings,
      destinations,
      application,
      readChange(application),
      NotifiedState.read(application),
      new Date('2026-01-01T00:05:00Z'),
    );
    expect(problems).toEqual([]);
    return due.map(({ trigger }) => trigger).sort();
  };

  it('is read without a complaint', () => {
    expect(settings.problems).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(8);
  });

  it('holds where Argo CD says', () => {
    expect(hold(DEPLOYED)).toEqual(['on-created', 'on-deployed', 'on-sync-succeeded']);
    expect(hold(FAILED)).toEqual(['on-created', 'on-health-degraded', 'on-sync-failed']);
  });

  it('writes messages with attachments that Slack can read', () => {
    for (const name of names) {
      for (const { send } of settings.triggers.get(name) ?? []) {
        const message = writeMessage(
          settings,
          { trigger: name, key: '', templates: send, destination: { service: 'slack', recipient: 'ops' } },
          { application: FAILED, project: undefined, change: readChange(FAILED) },
          host,
        );
        expect(message.text).toContain('shop');
        if (message.slack !== undefined && message.slack.attachments !== '')
          expect(JSON.parse(message.slack.attachments)).toHaveLength(1);
      }
    }
  });
});
