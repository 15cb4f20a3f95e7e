import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  endingOf,
  openHostileEnvironment,
  type Ending,
  type HostileEnvironment,
} from '../testing/hostile-environment.js';

const CANARY = 'cAnArY-c41d';
/** Every spelling of addresses that no repository may reach. */
const NEAR = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '[::1]',
  '[::ffff:127.0.0.1]',
  'localhost',
  'a.localhost',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '[::ffff:169.254.169.254]',
  '[fe80::1]',
  '0.0.0.0',
  '0',
  '[::]',
];

/** Knows some names, and remembers which were asked for. */
const asked: string[] = [];
const MEANINGS: Readonly<Record<string, string>> = {
  'rebound.example': '127.0.0.1',
  'metadata.example': '169.254.169.254',
  'mapped.example': '::ffff:127.0.0.1',
  'nowhere.example': '0.0.0.0',
};
const lookup = ((name: string, _options: object, callback: (error: Error | null, addresses: unknown) => void) => {
  asked.push(name);
  const address = MEANINGS[name];
  if (address === undefined) callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  else callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
}) as unknown as LookupFunction;

let world: HostileEnvironment;
let port = 0;
const requests: string[] = [];
let serve: RequestListener = (_, response) => {
  response.writeHead(404).end();
};
const server = createServer((request, response) => {
  requests.push(request.url ?? '');
  serve(request, response);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo);
  world = await openHostileEnvironment({ sources: { lookup } });
  repoURL = world.repository(
    Object.fromEntries(
      planned.map((files, index) => [
        `b${index}`,
        Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll('PORT', String(port))])),
      ]),
    ),
  );
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

type Texts = Readonly<Record<string, string>>;

/** All that is committed, each on a branch: a repository for every case would take longer than everything else. */
const planned: Texts[] = [];
const plan = (files: Texts): number => planned.push(files) - 1;
let repoURL = '';

async function run(
  branch: number,
  remoteHosts: readonly string[] = [],
): Promise<Ending & { readonly asked: readonly string[]; readonly requests: readonly string[] }> {
  requests.length = 0;
  asked.length = 0;
  const ending = await endingOf(() =>
    world.render([{ repoURL, targetRevision: `b${branch}`, path: '.' }], { renderer: { remoteHosts } }),
  );
  return { ...ending, asked: [...asked], requests: [...requests] };
}

const kustomization = (address: string): Record<string, string> => ({
  'kustomization.yaml': `resources: [${JSON.stringify(address)}]\n`,
});
const chartFrom = (repository: string): Record<string, string> => ({
  'Chart.yaml': JSON.stringify({
    apiVersion: 'v2',
    name: 'shop',
    version: '1.0.0',
    dependencies: [{ name: 'lib', version: '1.0.0', repository }],
  }),
  'templates/a.yaml': 'a: 1\n',
});
const inflated = (repo: string): Record<string, string> => ({
  'kustomization.yaml': JSON.stringify({ helmCharts: [{ name: 'lib', repo, version: '1.0.0', releaseName: 'a' }] }),
});

describe('H8: bases come from hosts that the administrator named, and from no other', () => {
  it.each(
    [
      ...NEAR.flatMap((host) => [`http://${host}:PORT/org/base?ref=main`, `https://${host}/org/base//deep?ref=main`]),
      'git@127.0.0.1:org/base',
      'ssh://git@[::1]/org/base',
      'git::http://127.0.0.1:PORT/org/base',
      'https://rebound.example/org/base?ref=main',
      'https://127.0.0.1.nip.io/org/base',
      'https://git.example@127.0.0.1:PORT/org/base',
      'http://git.example:80@127.0.0.1:PORT/org/base',
      'http://127.0.0.1:PORT\\@git.example/org/base',
      'http://git.example#@127.0.0.1:PORT/org/base',
      'http://git.example%2f@127.0.0.1:PORT/org/base',
      'https://git.example.evil.example/org/base',
      'https://evilgit.example/org/base',
      'https://git%2eexample/org/base',
      'https://ｇｉｔ.example/org/base',
      'file:///etc',
      'file:///root/.ssh',
      'git::file:///etc//x',
      'ext::sh -c touch% /tmp/x',
      'http://[::1]:PORT/a.yaml',
      'http://127.0.0.1:PORT/file.yaml',
      'HTTP://127.0.0.1:PORT/file.yaml',
      'https://169.254.169.254/latest/meta-data/iam/security-credentials/',
    ].map((address) => [address, plan(kustomization(address))] as const),
  )('%s', async (_, branch) => {
    const result = await run(branch, ['git.example']);
    expect(result.code).toMatch(/^(SOURCE_|RENDER_PATH_|KUSTOMIZATION_INVALID)/);
    expect(result.requests).toEqual([]);
    expect(result.asked, 'no name is looked up').toEqual([]);
  });

  const redirected = plan(kustomization('http://127.0.0.1:PORT/org/base?ref=main'));

  it('a redirect away from such a host is not followed', async () => {
    serve = (request, response) => {
      if (request.url?.startsWith('/secret') === true) response.end(CANARY);
      else response.writeHead(302, { location: `http://localhost:${port}/secret` }).end();
    };
    const result = await run(redirected, ['127.0.0.1']);
    expect(result.code).toMatch(/^SOURCE_/);
    expect(result.requests.length).toBeGreaterThan(0);
    expect(result.requests.filter((url) => url.startsWith('/secret'))).toEqual([]);
    expect(result.output).not.toContain(CANARY);
  });

  const valued = (address: string): Texts => ({
    'Chart.yaml': 'apiVersion: v2\nname: a\nversion: 1.0.0\n',
    'templates/a.yaml': 'a: 1\n',
    '.argocd-source.yaml': JSON.stringify({ helm: { valueFiles: [address] } }),
  });

  it.each(NEAR.map((host) => [host, plan(valued(`http://${host}:PORT/values.yaml`))] as const))(
    'values files neither: %s',
    async (_, branch) => {
      const result = await run(branch, ['git.example']);
      expect(result.code).toMatch(/^SOURCE_/);
      expect([...result.requests, ...result.asked]).toEqual([]);
    },
  );
});

describe('H8: chart repositories that a repository names are not on this machine or its network link', () => {
  const addresses = [
    ...NEAR.map((host) => `http://${host}:PORT/charts`),
    'oci://127.0.0.1:PORT/charts',
    'oci://169.254.169.254/charts',
  ];

  it.each(addresses.map((address) => [address, plan(chartFrom(address))] as const))(
    'a dependency of a chart: %s',
    async (_, branch) => {
      const result = await run(branch);
      expect(result.code).toMatch(/^(SOURCE_|CHART_)/);
      expect(result.requests).toEqual([]);
    },
  );

  it.each(addresses.map((address) => [address, plan(inflated(address))] as const))(
    'helmCharts of a kustomization: %s',
    async (_, branch) => {
      const result = await run(branch);
      expect(result.code).toMatch(/^(SOURCE_|CHART_|KUSTOMIZATION_)/);
      expect(result.requests).toEqual([]);
    },
  );

  it.each(Object.keys(MEANINGS).map((name) => [name, plan(chartFrom(`http://${name}:PORT/charts`))] as const))(
    'a name that means such an address: %s',
    async (name, branch) => {
      const result = await run(branch);
      expect(result).toMatchObject({
        code: 'SOURCE_REFUSED',
        output: expect.stringContaining('means an address of this machine') as string,
        asked: [name],
        requests: [],
      });
    },
  );

  const charts = (name: string): number => plan(chartFrom(`http://127.0.0.1:PORT/${name}`));
  const targets = [
    'http://169.254.169.254/latest/meta-data/',
    'http://0.0.0.0:PORT/secret',
    'http://[::ffff:169.254.169.254]/',
    'http://metadata.example/',
  ];

  it.each(targets.map((target, index) => [target, charts(`redirect${index}`)] as const))(
    'a redirect of a server that may be used, to %s',
    async (target, branch) => {
      serve = (_, response) => {
        response.writeHead(302, { location: target.replace('PORT', String(port)) }).end();
      };
      const result = await run(branch, ['127.0.0.1']);
      expect(result.code).toBe('SOURCE_REFUSED');
      expect(result.requests).toHaveLength(1);
    },
  );

  const [placed, told, packed] = [charts('placed'), charts('told'), charts('packed')];

  it('an archive that the index places there', async () => {
    serve = (_, response) => {
      response.end(
        JSON.stringify({
          apiVersion: 'v1',
          entries: { lib: [{ version: '1.0.0', urls: ['http://169.254.169.254/lib.tgz'] }] },
        }),
      );
    };
    expect(await run(placed, ['127.0.0.1'])).toMatchObject({
      code: 'SOURCE_REFUSED',
      requests: ['/placed/index.yaml'],
    });
  });

  it('a submodule', async () => {
    for (const host of ['169.254.169.254', '2852039166', '0.0.0.0', '[fe80::1]']) {
      const ending = await endingOf(() => world.renderer.sources.resolve({ url: `http://${host}/org/lib` }, 'main'));
      expect(ending.code).toBe('SOURCE_REFUSED');
    }
  });

  it('what the server says is not shown where it is no chart', async () => {
    serve = (_, response) => {
      response.end(`${CANARY}: [${CANARY}`);
    };
    const result = await run(told, ['127.0.0.1']);
    expect(result.code).toMatch(/^(SOURCE_|CHART_)/);
    expect(result.output).not.toContain(CANARY);
    serve = (_, response) => {
      response.end(gzipSync(CANARY));
    };
    expect((await run(packed, ['127.0.0.1'])).output).not.toContain(CANARY);
  });
});
