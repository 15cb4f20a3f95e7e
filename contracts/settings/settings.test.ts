import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, own, parseJson } from '../../src/model/json/index.js';
import { chosenServers, type Server } from '../apiserver/servers.js';
import { CHECK_KEY, EDITS, openEdits, playEdit } from './edit-trial.js';
import { healthCommands } from './health-commands.js';
import { startWithOwnRights } from './own-rights.js';
import { SettingsLab } from './settings-lab.js';
import { CONFIG_MAPS, DEPLOYMENTS } from '../../src/model/resources/index.js';

const BUILD_AND_START = 20 * 60_000;
const GOOD = 'if obj.status == nil then return {status = "Progressing"} end return {status = "Healthy"}';
const BETTER =
  'if obj.status == nil then return {status = "Progressing", message = "new"} end return {status = "Healthy"}';
const check = (
  script: string,
): { readonly resourceHealthChecks: { group: string; kind: string; check: string }[] } => ({
  resourceHealthChecks: [{ group: 'serving.kserve.io', kind: 'InferenceService', check: script }],
});
const servers = await Promise.all(
  chosenServers().map(async (server) => ({ ...server, absent: await server.missing() })),
);

describe.each(servers)('the operator of settings on $name', ({ name, open, absent }) => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  let server: Server;
  let lab: SettingsLab;
  beforeAll(async () => {
    server = await open();
    lab = await SettingsLab.open(server.kubeconfig);
  }, BUILD_AND_START);
  afterAll(async () => {
    await lab.close();
    await server.stop();
  });

  it('makes three ConfigMaps that the ArgoCD owns, keeps fields it does not know, and says how it went', async () => {
    const ns = await lab.namespace('makes');
    const argocd = await lab.argocd(ns, 'main', {
      ...check(GOOD),
      disableAdmin: true,
      rbac: { defaultPolicy: 'role:readonly' },
      controller: { env: [{ name: 'ARGOCD_APP_STATE_CACHE_EXPIRATION', value: '6h' }] },
      server: { host: 'argocd.example.com' },
    });
    expect(argocd.spec).toMatchObject({ server: { host: 'argocd.example.com' } });
    const map = await lab.untilData(ns, { [CHECK_KEY]: GOOD, 'admin.enabled': 'false' });
    expect(map.metadata).toMatchObject({
      labels: { 'app.kubernetes.io/part-of': 'argocd', 'app.kubernetes.io/managed-by': 'main' },
      ownerReferences: [
        { apiVersion: 'argoproj.io/v1beta1', kind: 'ArgoCD', name: 'main', uid: argocd.metadata.uid, controller: true },
      ],
    });
    await lab.untilData(ns, { 'policy.default': 'role:readonly' }, 'argocd-rbac-cm');
    await lab.untilData(ns, { 'controller.app.state.cache.expiration': '6h' }, 'argocd-cmd-params-cm');
    expect(await lab.untilCondition(ns, 'main', 'FieldsKnown', { status: 'True', reason: 'SomeWithoutEffect' })).toBe(
      'stored without effect: spec.server',
    );
    await lab.untilCondition(ns, 'main', 'Reconciled', { status: 'True', reason: 'Success' });
    await lab.change(ns, 'main', { disableAdmin: null });
    await lab.untilData(ns, { [CHECK_KEY]: GOOD });
    expect(await lab.events(ns, 'SettingsReverted')).toEqual([]);
  });

  it('takes back whatever others write, within a second, and says where to write it instead', async () => {
    await openEdits(lab, 'edits');
    const wrong: string[] = [];
    for (const edit of EDITS) wrong.push(...(await playEdit(lab, 'edits', edit)).wrong);
    expect(wrong).toEqual([]);
  }, 60_000);

  it('never lets a check into the ConfigMap that cannot run: the last good one stays', async () => {
    const ns = await lab.namespace('bad-lua');
    await lab.argocd(ns, 'main', check(GOOD));
    const first = await lab.untilData(ns, { [CHECK_KEY]: GOOD });
    const seen: unknown[] = [];
    const stop = new AbortController();
    const watching = lab.cluster
      .watch(
        CONFIG_MAPS,
        {
          namespace: ns,
          fieldSelector: 'metadata.name=argocd-cm',
          resourceVersion: first.metadata.resourceVersion ?? '',
        },
        {
          event: (event) => {
            if ('object' in event && isObject(event.object.data)) seen.push(own(event.object.data, CHECK_KEY));
          },
        },
        stop.signal,
      )
      .catch(() => undefined);
    for (const bad of [
      'hs = {',
      'return "Healthy"',
      'return {status = "Ready"}',
      'return {status = string.upper("healthy")}',
    ]) {
      await lab.change(ns, 'main', check(bad));
      expect(await lab.untilCondition(ns, 'main', 'ChecksValid', { status: 'False', reason: 'InvalidLua' })).toMatch(
        /^spec\.resourceHealthChecks\[0\] .*: line 1: .*Fix: .*the previous value is kept\.$/,
      );
      expect((await lab.map(ns))?.data).toEqual({ [CHECK_KEY]: GOOD });
    }
    await lab.change(ns, 'main', check(BETTER));
    await lab.untilData(ns, { [CHECK_KEY]: BETTER });
    await lab.untilCondition(ns, 'main', 'ChecksValid', { status: 'True' });
    stop.abort();
    await watching;
    expect([...new Set(seen)].filter((script) => script !== GOOD)).toEqual([BETTER]);
  });

  it('answers a misplaced field with the right one', async () => {
    const ns = await lab.namespace('misplaced');
    await lab.argocd(ns, 'main', {
      ignoreDifferences: [{ group: 'serving.kserve.io', kind: 'InferenceService', jqPathExpressions: ['.status'] }],
    });
    expect(
      await lab.untilCondition(ns, 'main', 'FieldsKnown', { status: 'False', reason: 'MisplacedField' }),
    ).toContain('resourceIgnoreDifferences:\n  resourceIdentifiers:');
  });

  it('takes over a ConfigMap without losing what was in it, and tells a second ArgoCD to stay out', async () => {
    const ns = await lab.namespace('takes-over');
    await lab.cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: ns, name: 'argocd-cm', annotations: { theirs: 'stays' } },
      data: { url: 'https://old.example.com', 'admin.enabled': 'true' },
    });
    await lab.argocd(ns, 'first', { disableAdmin: true });
    const map = await lab.untilData(ns, { 'admin.enabled': 'false' });
    expect(map.metadata.annotations).toMatchObject({ theirs: 'stays' });
    expect(parseJson(map.metadata.annotations?.['argosy.dev/settings-replaced'] ?? '')).toEqual({
      url: 'https://old.example.com',
    });
    const [told] = await lab.until('an Event', async () => {
      const events = await lab.events(ns, 'SettingsTakenOver');
      return events.length > 0 && events;
    });
    expect(told).toContain('move url to spec.extraConfig["url"]');
    await lab.argocd(ns, 'second', { disableAdmin: false });
    expect(
      await lab.untilCondition(ns, 'second', 'Reconciled', { status: 'False', reason: 'AnotherArgoCD' }),
    ).toContain('the older ArgoCD first');
    expect((await lab.map(ns))?.data).toEqual({ 'admin.enabled': 'false' });
  });

  it('takes back after a start what was written while nobody led, and keeps the last good check over it', async () => {
    const ns = await lab.namespace('restarts');
    await lab.argocd(ns, 'main', check(GOOD));
    await lab.untilData(ns, { [CHECK_KEY]: GOOD });
    await lab.restart(async () => {
      await lab.change(ns, 'main', check('hs = {'));
      await lab.cluster.patch(
        CONFIG_MAPS,
        { namespace: ns, name: 'argocd-rbac-cm' },
        { type: 'merge', body: { data: { 'policy.default': 'role:admin' } } },
      );
    });
    await lab.untilData(ns, {}, 'argocd-rbac-cm');
    await lab.until('an Event', async () =>
      (await lab.events(ns, 'SettingsReverted', 'argocd-rbac-cm')).some((message) =>
        message.includes('spec.rbac.defaultPolicy'),
      ),
    );
    expect(await lab.untilCondition(ns, 'main', 'ChecksValid', { status: 'False' })).toContain(
      'the previous value is kept',
    );
    expect((await lab.map(ns))?.data).toEqual({ [CHECK_KEY]: GOOD });
  });

  it('stands aside while an operator of Argo CD runs', async () => {
    const ns = await lab.namespace('aside');
    await lab.argocd(ns, 'main', { disableAdmin: true });
    await lab.untilData(ns, { 'admin.enabled': 'false' });
    const id = { namespace: ns, name: 'argocd-operator-controller-manager' };
    await lab.cluster.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: id,
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'operator' } },
        template: {
          metadata: { labels: { app: 'operator' } },
          spec: { containers: [{ name: 'manager', image: 'quay.io/argoprojlabs/argocd-operator:v0.15.0' }] },
        },
      },
    });
    const ready = await lab.cluster.patch(
      DEPLOYMENTS,
      id,
      { type: 'merge', body: { status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 } } },
      { subresource: 'status' },
    );
    await lab.change(ns, 'main', { disableAdmin: false });
    await lab.controller.waitForLogLine(
      'the Argo CD operator manages the settings, running as Deployment ' + 'aside/argocd-operator-controller-manager',
    );
    expect((await lab.map(ns))?.data).toEqual({ 'admin.enabled': 'false' });
    await lab.cluster.remove(DEPLOYMENTS, id, { uid: ready.metadata.uid ?? '' });
    await lab.untilData(ns, { 'admin.enabled': 'true' });
  });

  // The embedded server knows no rights.
  it.runIf(name === 'real')('needs no more rights than deploy/settings.yaml gives', async () => {
    const ns = await lab.namespace('rights');
    await lab.restart(async () => {
      const operator = await startWithOwnRights(lab.cluster, lab.kubeconfig);
      await lab.argocd(ns, 'main', check(GOOD));
      await lab.untilData(ns, { [CHECK_KEY]: GOOD });
      await lab.untilCondition(ns, 'main', 'Reconciled', { status: 'True' });
      for (const body of [
        { data: { url: 'https://argocd.example.com' } },
        { immutable: true, data: { url: 'https://argocd.example.com' } },
      ]) {
        await lab.cluster.patch(CONFIG_MAPS, { namespace: ns, name: 'argocd-cm' }, { type: 'merge', body });
        await lab.untilData(ns, { [CHECK_KEY]: GOOD });
      }
      await lab.until('two Events', async () => (await lab.events(ns, 'SettingsReverted')).length === 2);
      await operator.close();
      // Both reverts are logged, and nothing about a permission that is missing.
      const reverted: unknown = expect.stringContaining('data["url"] was added');
      expect(operator.log).toEqual([reverted, reverted]);
    });
  });

  healthCommands(() => lab);
});
