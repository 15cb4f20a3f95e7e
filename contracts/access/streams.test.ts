import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab, tracked } from './access-lab.js';
import { NAMESPACES, type ResourceRef } from '../../src/model/resources/index.js';

const missing = embeddedMissing();
const kind = (name: string, plural: string, group = 'argoproj.io', version = 'v1alpha1'): ResourceRef => ({
  group,
  version,
  kind: name,
  plural,
  namespaced: true,
});
const [APPLICATIONS, SETS, PODS] = [
  kind('Application', 'applications'),
  kind('ApplicationSet', 'applicationsets'),
  kind('Pod', 'pods', '', 'v1'),
];
const POLICY = ['applications', 'applicationsets', 'logs'].map((resource) => `p, dev, ${resource}, get, shop/*, allow`);

/** What a client hears of an answer that goes on. */
class Listener {
  text = '';
  isOver = false;
  readonly status: Promise<number>;
  readonly #gone = new AbortController();

  constructor(address: string, token: string) {
    const answer = fetch(address, { headers: { authorization: `Bearer ${token}` }, signal: this.#gone.signal });
    this.status = answer.then(({ status }) => status);
    void answer
      .then(async ({ body }) => {
        const decoder = new TextDecoder();
        for (const reader = body?.getReader(); ; ) {
          const part = await reader?.read();
          if (part?.value !== undefined) this.text += decoder.decode(part.value as Uint8Array, { stream: true });
          if (part?.done !== false) break;
        }
      })
      .catch(() => undefined)
      .finally(() => {
        this.isOver = true;
      });
  }

  close(): void {
    this.#gone.abort();
  }
}

/** Each with what makes it say something. */
const STREAMS: Readonly<Record<string, { readonly path: string; readonly right: string; readonly first: string }>> = {
  applications: { path: '/api/v1/stream/applications', right: 'applications', first: '"name":"web"' },
  'one application': { path: '/api/v1/stream/applications?name=web', right: 'applications', first: '"name":"web"' },
  'the tree of an application': {
    path: '/api/v1/stream/applications/web/resource-tree',
    right: 'applications',
    first: 'nodes',
  },
  ApplicationSets: { path: '/api/v1/stream/applicationsets', right: 'applicationsets', first: '"name":"sets"' },
  'a log': {
    path: '/api/v1/applications/web/logs?follow=true&podName=writer&namespace=shop',
    right: 'logs',
    first: '',
  },
  'a log of one pod': {
    path: '/api/v1/applications/web/pods/writer/logs?follow=true&namespace=shop',
    right: 'logs',
    first: '',
  },
  'a log as a file': {
    path: '/api/v1/applications/web/logs?follow=true&podName=writer&namespace=shop&download=true',
    right: 'logs',
    first: '',
  },
};
const LOGS = ['a log', 'a log of one pod', 'a log as a file'];

describe.skipIf(missing !== undefined)(`answers that go on${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  const object = (
    apiVersion: string,
    name: string,
    plain: string,
    namespace: string,
    content: JsonObject,
  ): KubeObject => ({ apiVersion, kind: name, metadata: { name: plain, namespace }, ...content });
  const pod = (name: string): KubeObject =>
    object('v1', 'Pod', name, 'shop', {
      spec: { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '3600'] }] },
    });
  let ticks = 0;
  const touch = async (): Promise<void> => {
    ticks++;
    for (const [ref, name] of [
      [APPLICATIONS, 'web'],
      [SETS, 'sets'],
    ] as const)
      await lab.cluster.patch(
        ref,
        { namespace: 'argocd', name },
        { type: 'merge', body: { metadata: { annotations: { tick: String(ticks) } } } },
      );
  };
  const open = async (name: string, token: string): Promise<Listener> => {
    const { path, first } = STREAMS[name] ?? { path: '', first: '' };
    const listener = new Listener(`${lab.url}${path}`, token);
    expect([name, await listener.status]).toEqual([name, 200]);
    await lab.until(`${name} has begun`, () => Promise.resolve(listener.text.includes(first)));
    return listener;
  };
  const over = (name: string, listener: Listener): Promise<void> =>
    lab.until(`${name} is over`, () => Promise.resolve(listener.isOver));
  let dev = '';

  beforeAll(async () => {
    lab = await AccessLab.open({ controllers: 'all' });
    await lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await lab.cluster.create(
      kind('AppProject', 'appprojects'),
      object('argoproj.io/v1alpha1', 'AppProject', 'shop', 'argocd', {
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
      }),
    );
    await lab.cluster.create(
      APPLICATIONS,
      object('argoproj.io/v1alpha1', 'Application', 'web', 'argocd', {
        spec: {
          project: 'shop',
          source: { repoURL: 'https://git.example.com/a', path: 'a' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      }),
    );
    await lab.cluster.create(
      SETS,
      object('argoproj.io/v1alpha1', 'ApplicationSet', 'sets', 'argocd', {
        spec: {
          generators: [],
          template: {
            metadata: { name: 'x' },
            spec: { project: 'shop', destination: {}, source: { repoURL: 'https://git.example.com/a' } },
          },
        },
      }),
    );
    await lab.cluster.create(PODS, tracked('web', pod('writer')));
    dev = (await lab.people(['dev'], POLICY)).get('dev') ?? '';
    await lab.until(
      'the pod runs',
      async () =>
        ((await lab.cluster.get(PODS, { namespace: 'shop', name: 'writer' }))?.status as JsonObject | undefined)
          ?.phase === 'Running',
    );
    await lab.until(
      'dev may see it',
      async () => (await lab.request('/api/v1/applications/web', { token: dev })).status === 200,
    );
  });
  afterAll(async () => {
    await lab.close();
  });

  it.each(Object.keys(STREAMS))('S30: %s ends with the token of who listens', async (name) => {
    const admin = await lab.token();
    const made = (
      await lab.request('/api/v1/account/dev/token', { method: 'POST', token: admin, body: { expiresIn: 3600 } })
    ).body;
    const listener = await open(name, String(made.token));
    lab.ahead += 3_601_000;
    await touch();
    await over(name, listener);
    expect(listener.text).not.toContain(`"tick":"${ticks}"`);
    lab.ahead = 0;
  });

  it.each(Object.keys(STREAMS))('S30: %s says nothing more when the right is taken, and then ends', async (name) => {
    const { right = '', path = '' } = STREAMS[name] ?? {};
    const listener = await open(name, dev);
    await lab.settings('argocd-rbac-cm', {
      'policy.csv': POLICY.filter((line) => !line.includes(` ${right},`)).join('\n'),
    });
    const can = `/api/v1/account/can-i/${right}/get/shop/web`;
    await lab.until('the right is taken', async () => (await lab.request(can, { token: dev })).body.value === 'no');
    await touch();
    // A stream of everything that one may see goes on, and has nothing to say.
    if (/stream\/application(?:set)?s(?:\?|$)/.test(path)) {
      const own = await open(name, await lab.token());
      await lab.until('others hear of it', () => Promise.resolve(own.text.includes(`"tick":"${ticks}"`)));
      own.close();
    } else await over(name, listener);
    expect(listener.text).not.toContain(`"tick":"${ticks}"`);
    listener.close();
    await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY.join('\n') });
    await lab.until('the right is back', async () => (await lab.request(can, { token: dev })).body.value === 'yes');
  });

  it('S30: a log ends with its pod, and everything about an application with the application', async () => {
    const logs = await Promise.all(LOGS.map((name) => open(name, dev)));
    const writer = await lab.cluster.get(PODS, { namespace: 'shop', name: 'writer' });
    await lab.cluster.remove(
      PODS,
      { namespace: 'shop', name: 'writer' },
      { uid: writer?.metadata.uid ?? '', gracePeriodSeconds: 0 },
    );
    for (const [index, log] of logs.entries()) await over(LOGS[index] ?? '', log);
    const tree = await open('the tree of an application', dev);
    const web = await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name: 'web' });
    await lab.cluster.remove(APPLICATIONS, { namespace: 'argocd', name: 'web' }, { uid: web?.metadata.uid ?? '' });
    await over('the tree of an application', tree);
  });
});
