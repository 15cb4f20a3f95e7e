import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { type PemSource, loadKubeconfig } from '../../src/cluster/index.js';
import { type JsonObject, textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab, tracked } from './access-lab.js';
import { NAMESPACES, type ResourceRef } from '../../src/model/resources/index.js';

const sandbox = findSandbox();
const missing =
  embeddedMissing() ?? (sandbox.kind === 'none' ? `skipped: ${sandbox.why.replaceAll(/[()]/g, '')}` : undefined);
const kind = (name: string, plural: string, group = 'argoproj.io', version = 'v1alpha1'): ResourceRef => ({
  group,
  version,
  kind: name,
  plural,
  namespaced: true,
});
const [APPLICATIONS, PROJECTS, PODS] = [
  kind('Application', 'applications'),
  kind('AppProject', 'appprojects'),
  kind('Pod', 'pods', '', 'v1'),
];
const EXEC = 'p, dev, exec, create, shop/*, allow';
const POLICY = ['p, dev, applications, get, shop/*, allow', EXEC];
const HERE = { appName: 'web', projectName: 'shop', namespace: 'shop', pod: 'web', container: 'main' };

/** A page with a terminal: what it shows, and how it ended. */
class Page {
  text = '';
  end: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;

  constructor(
    url: string,
    token: string,
    which: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#socket = new WebSocket(`${url.replace(/^http/, 'ws')}/terminal?${new URLSearchParams(which).toString()}`, {
      headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
    this.#socket.on('message', (message: Buffer) => {
      this.text += textAt(JSON.parse(message.toString('utf8')) as JsonObject, 'data');
    });
    this.#socket.on('close', (code, reason) => {
      this.end = { code, reason: reason.toString('utf8') };
    });
  }

  /** 101 where it is open, otherwise what the server answered. */
  get status(): Promise<number> {
    return new Promise((resolve) => {
      this.#socket.once('open', () => {
        resolve(101);
      });
      this.#socket.once('unexpected-response', (_, { statusCode }) => {
        resolve(statusCode ?? 0);
      });
      this.#socket.once('error', () => {
        resolve(0);
      });
    });
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  type(data: string): void {
    this.send({ operation: 'stdin', data, rows: 24, cols: 80 });
  }

  close(): void {
    this.#socket.terminate();
  }
}

describe.skipIf(missing !== undefined)(`a terminal${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let dev = '';
  let admin = '';
  const pages: Page[] = [];
  const object = (
    apiVersion: string,
    name: string,
    plain: string,
    namespace: string,
    content: JsonObject,
  ): KubeObject => ({ apiVersion, kind: name, metadata: { name: plain, namespace }, ...content });
  const startPod = async (name: string, owner = 'web', image = 'here:1'): Promise<void> => {
    await lab.cluster.create(
      PODS,
      tracked(
        owner,
        object('v1', 'Pod', name, 'shop', {
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image, command: ['sleep', '3600'] }] },
        }),
      ),
    );
    await lab.until(
      `${name} runs`,
      async () =>
        textAt((await lab.cluster.get(PODS, { namespace: 'shop', name })) ?? {}, 'status', 'phase') === 'Running',
    );
  };
  const page = (
    token: string,
    which: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Page => {
    const opened = new Page(lab.url, token, { ...HERE, ...which }, headers);
    pages.push(opened);
    return opened;
  };
  const shows = (opened: Page, words: string): Promise<void> =>
    lab.until(`it shows ${words}; it shows ${opened.text}`, () => Promise.resolve(opened.text.includes(words)));
  const over = (opened: Page): Promise<void> =>
    lab.until('it is over', () => Promise.resolve(opened.end !== undefined));
  /** An open terminal in which a shell has answered. */
  const open = async (token: string, which: Readonly<Record<string, string>> = {}): Promise<Page> => {
    const opened = page(token, which);
    expect(await opened.status).toBe(101);
    opened.type('echo "ready $((40 + 2))"\n');
    await shows(opened, 'ready 42');
    return opened;
  };
  const token = async (name: string): Promise<string> =>
    String(
      (await lab.request(`/api/v1/account/${name}/token`, { method: 'POST', token: admin, body: { expiresIn: 3600 } }))
        .body.token,
    );
  /** Whether a shell that somebody else opens finds what the first one should not have done. */
  const isThere = async (file: string): Promise<boolean> => {
    const other = await open(admin);
    other.type(`test -e /tmp/${file} && echo "it is $((20 + 1))" || echo "it is $((20 + 2))"\n`);
    await lab.until('it says', () => Promise.resolve(/it is 2[12]/.test(other.text)));
    other.close();
    return other.text.includes('it is 21');
  };

  beforeAll(async () => {
    lab = await AccessLab.open({ controllers: 'all', processImages: ['here:*'] });
    await lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await lab.cluster.create(
      PROJECTS,
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
    for (const name of ['web', 'brief']) await startPod(name);
    await startPod('foreign', 'bank');
    await startPod('played', 'web', 'busybox');
    dev = (await lab.people(['dev'], POLICY)).get('dev') ?? '';
    admin = await lab.token();
    await lab.until(
      'dev may see it',
      async () => (await lab.request('/api/v1/applications/web', { token: dev })).status === 200,
    );
  });
  afterAll(async () => {
    for (const each of pages) each.close();
    await lab.close();
  });

  it('is not there unless an administrator allows it', async () => {
    expect(await page(admin).status).toBe(404);
    await lab.settings('argocd-cm', { 'exec.enabled': 'true' });
    await lab.until(
      'it is allowed',
      async () => (await lab.request('/api/v1/settings', { token: admin })).body.execEnabled === true,
    );
  });

  it('is a shell in the container, with the size of the page', async () => {
    const opened = await open(dev);
    for (const nonsense of [
      '',
      '{',
      '[]',
      'null',
      { operation: 'stdin', data: 7 },
      { operation: 'resize', rows: -1, cols: 1e9 },
      { operation: 'else' },
    ])
      opened.send(nonsense);
    opened.send({ operation: 'resize', rows: 33, cols: 77 });
    opened.type('stty size\n');
    await shows(opened, '33 77');
    opened.type('exit\n');
    await over(opened);
    expect(opened.end?.code).toBe(1000);
    expect((await open(dev, { shell: 'sh' })).text).toContain('ready 42');
  });

  it('is a shell in another cluster, where its Secret says how to get in', async () => {
    const { server, authority, user } = await loadKubeconfig({
      path: lab.kubeconfig,
      environment: {},
      defaultPath: lab.kubeconfig,
    });
    const data = (source: PemSource | undefined): string =>
      Buffer.from(source?.kind === 'text' ? source.pem : '').toString('base64');
    await lab.cluster.create(kind('Secret', 'secrets', '', 'v1'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'away', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: {
        name: 'away',
        server,
        config: JSON.stringify({
          tlsClientConfig: { caData: data(authority), certData: data(user.certificate), keyData: data(user.key) },
        }),
      },
    });
    await lab.cluster.create(
      APPLICATIONS,
      object('argoproj.io/v1alpha1', 'Application', 'away', 'argocd', {
        spec: {
          project: 'shop',
          source: { repoURL: 'https://git.example.com/a', path: 'a' },
          destination: { name: 'away', namespace: 'shop' },
        },
      }),
    );
    await lab.until(
      'it is known',
      async () =>
        (await lab.request('/api/v1/applications/away', { token: admin })).status === 200 &&
        JSON.stringify((await lab.request('/api/v1/clusters', { token: admin })).body).includes('away'),
    );
    await startPod('there', 'away');
    await lab.until(
      'its pod is known',
      async () => (await page(dev, { appName: 'away', pod: 'there' }).status) === 101,
    );
    expect((await open(dev, { appName: 'away', pod: 'there' })).text).toContain('ready 42');
  });

  it.each<[string, number, Readonly<Record<string, string>>]>([
    ['a pod of somebody else', 400, { pod: 'foreign' }],
    ['a pod that is not there', 400, { pod: 'nobody' }],
    ['a container that is not there', 400, { container: 'other' }],
    ['a name that is none', 400, { pod: '../web' }],
    ['no name', 400, { container: '' }],
    ['another namespace', 400, { namespace: 'argocd' }],
    ['a shell that is not allowed', 400, { shell: '/bin/sh' }],
    ['another project', 403, { projectName: 'bank' }],
    ['an application that is not there', 403, { appName: 'nobody', projectName: '' }],
    ['another namespace of the application', 403, { appNamespace: 'shop', projectName: '' }],
  ])('is refused for %s', async (_, status, which) => {
    expect(await page(dev, which).status).toBe(status);
  });

  it('says what hinders it', async () => {
    const opened = page(dev, { pod: 'played' });
    expect(await opened.status).toBe(101);
    await shows(opened, 'is simulated here');
    await over(opened);
  });

  it('is refused to nobody, to who may not, to pages of others, and to who asks for a page', async () => {
    expect(await page('').status).toBe(401);
    await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY.filter((line) => line !== EXEC).join('\n') });
    await lab.until('the right is taken', async () => (await page(dev).status) === 403);
    await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY.join('\n') });
    const cookie = `argocd.token=${admin}`;
    expect(await page('', {}, { cookie, origin: 'https://evil.example.com' }).status).toBe(403);
    expect(await page('', {}, { cookie }).status).toBe(403);
    expect(await page('', {}, { cookie, origin: lab.url }).status).toBe(101);
    expect((await lab.request(`/terminal?${new URLSearchParams(HERE).toString()}`, { token: admin })).status).toBe(400);
  });

  it.each([
    ['no key', { 'Sec-WebSocket-Version': '13' }],
    ['a key that is none', { 'Sec-WebSocket-Key': 'x', 'Sec-WebSocket-Version': '13' }],
    ['an old version', { 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version': '7' }],
    ['nothing at all', {}],
  ])('is refused in words for a handshake with %s', async (_, headers) => {
    const { port } = new URL(lab.url);
    const lines = Object.entries({
      Host: `localhost:${port}`,
      Authorization: `Bearer ${admin}`,
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      ...headers,
    })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`GET /terminal?${new URLSearchParams(HERE).toString()} HTTP/1.1\r\n${lines}\r\n`);
      });
      socket.on('data', (bytes) => {
        text += bytes.toString('utf8');
      });
      socket.on('close', () => {
        resolve(text);
      });
    });
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 [^]*x-content-type-options: nosniff[^]*"message":"(?:the version|sec-websocket-key)/i,
    );
  });

  it('leaves other protocols that a client offers alone, and reads its body', async () => {
    const { port } = new URL(lab.url);
    const body = JSON.stringify({ username: 'admin', password: lab.password });
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `POST /api/v1/session HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade, ` +
            'HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\n' +
            `Content-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
      socket.on('data', (bytes) => {
        text += bytes.toString('utf8');
        if (text.includes('token')) socket.destroy();
      });
      socket.on('close', () => {
        resolve(text);
      });
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  /** What ends the right to a terminal, and what gives it back. */
  const TAKEN: Readonly<Record<string, { take: () => Promise<void>; back: () => Promise<void> }>> = {
    'the token ends': {
      take: () => {
        lab.ahead += 3_601_000;
        return Promise.resolve();
      },
      back: () => {
        lab.ahead = 0;
        return Promise.resolve();
      },
    },
    'the right is taken': {
      take: async () => {
        await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY.filter((line) => line !== EXEC).join('\n') });
        await lab.until(
          'it is taken',
          async () =>
            (await lab.request('/api/v1/account/can-i/exec/create/shop/web', { token: dev })).body.value === 'no',
        );
      },
      back: async () => {
        await lab.settings('argocd-rbac-cm', { 'policy.csv': POLICY.join('\n') });
        await lab.until(
          'it is back',
          async () =>
            (await lab.request('/api/v1/account/can-i/exec/create/shop/web', { token: dev })).body.value === 'yes',
        );
      },
    },
  };

  it.each(Object.keys(TAKEN))('S30: ends at the next message when %s, and that message does nothing', async (what) => {
    const opened = await open(await token('dev'));
    const file = `done-${what.replaceAll(' ', '-')}`;
    await TAKEN[what]?.take();
    opened.type(`touch /tmp/${file}; echo "late $((30 + 3))"\n`);
    await over(opened);
    expect([opened.end?.code, opened.end?.reason]).toEqual([1008, 'the session has ended, or access was revoked']);
    expect(opened.text).not.toContain('late 33');
    await TAKEN[what]?.back();
    expect(await isThere(file)).toBe(false);
  });

  it.each(Object.keys(TAKEN))('S30: ends although nobody says anything when %s', async (what) => {
    const opened = await open(await token('dev'));
    await TAKEN[what]?.take();
    await over(opened);
    expect(opened.end?.code).toBe(1008);
    await TAKEN[what]?.back();
  });

  it('S30: ends with the session that is signed out', async () => {
    const session = await lab.token();
    const opened = await open(session);
    await lab.request('/api/v1/session', { method: 'DELETE', token: session });
    await over(opened);
    expect(opened.end?.code).toBe(1008);
  });

  it('S30: ends with its pod', async () => {
    const opened = await open(dev, { pod: 'brief' });
    const pod = await lab.cluster.get(PODS, { namespace: 'shop', name: 'brief' });
    await lab.cluster.remove(
      PODS,
      { namespace: 'shop', name: 'brief' },
      { uid: pod?.metadata.uid ?? '', gracePeriodSeconds: 0 },
    );
    await over(opened);
  });

  it('S26: ends when its project may no longer be used from where the application is', async () => {
    await lab.cluster.patch(
      PROJECTS,
      { namespace: 'argocd', name: 'shop' },
      { type: 'merge', body: { spec: { sourceNamespaces: ['shop'] } } },
    );
    await lab.settings('argocd-cmd-params-cm', { 'application.namespaces': 'shop' });
    const left = await open(dev);
    await lab.restart();
    // A terminal does not keep the server from stopping.
    await over(left);
    admin = await lab.token();
    await lab.cluster.create(
      APPLICATIONS,
      object('argoproj.io/v1alpha1', 'Application', 'inside', 'shop', {
        spec: {
          project: 'shop',
          source: { repoURL: 'https://git.example.com/a', path: 'a' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      }),
    );
    await lab.until(
      'it is known',
      async () => (await lab.request('/api/v1/applications/inside?appNamespace=shop', { token: admin })).status === 200,
    );
    await startPod('inner', 'shop_inside');
    const inside = { appName: 'inside', appNamespace: 'shop', pod: 'inner' };
    await lab.until('its pod is known', async () => (await page(admin, inside).status) === 101);
    const opened = await open(admin, inside);
    await lab.cluster.patch(
      PROJECTS,
      { namespace: 'argocd', name: 'shop' },
      { type: 'merge', body: { spec: { sourceNamespaces: [] } } },
    );
    await over(opened);
    expect(opened.end?.code).toBe(1008);
    const where = '/api/v1/applications/inside';
    for (const [path, asked] of [
      [where, {}],
      [`${where}/sync`, { method: 'POST', body: {} }],
      [`${where}/resource-tree`, {}],
      [`${where}/logs`, {}],
      [`${where}/resource/actions`, {}],
      [where, { method: 'DELETE' }],
    ] as const) {
      expect([path, (await lab.request(`${path}?appNamespace=shop`, { token: admin, ...asked })).status]).toEqual([
        path,
        403,
      ]);
    }
    expect(await page(admin, { ...inside, projectName: '' }).status).toBe(403);
  });

  it('S30: ends with its application', async () => {
    const opened = await open(admin);
    const web = await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name: 'web' });
    await lab.cluster.remove(APPLICATIONS, { namespace: 'argocd', name: 'web' }, { uid: web?.metadata.uid ?? '' });
    await over(opened);
  });
});
