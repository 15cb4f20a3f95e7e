import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RepositoryAccess } from '../access/repository-access.js';
import { basic, openServer, withAuthorization, type Handler } from '../testing/git-server.js';
import { HOSTILE_INDEXES } from '../testing/hostile-indexes.js';
import { hashOf, openRegistry, packedChart } from '../testing/test-registry.js';
import { Cleanup, openTestSources, TestClock, type TestSources } from '../testing/test-sources.js';
import { archiveUrl, readIndex } from './chart-index.js';
import { chooseVersion } from './chart-version.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

const CANARY = 'cAnArY-s3cr3t';
const VERSIONS = ['1.0.0', '1.2.0', '1.3.0-rc.1', '2.0.0-beta'];

function indexOf(
  url = (version: string): string => `charts/app-${version}.tgz`,
  digest = (version: string): string => hashOf(packedChart('app', version)),
): string {
  const entry = (version: string): string =>
    '  - apiVersion: v2\n    description: |\n      entries:\n        other:\n    name: app\n    version: ' +
    `${version}\n    digest: ${digest(version)}\n    urls:\n    - ${url(version)}\n`;
  return (
    'apiVersion: v1\nentries:\n  aaa:\n  - version: 9.9.9\n    urls: [x]\n  app:\n' +
    `${VERSIONS.map(entry).join('')}  zzz:\n  - version: 9.9.9\n    urls: [x]\ngenerated: ` +
    '"2024-01-01T00:00:00Z"\n'
  );
}

const serveCharts =
  (index: string): Handler =>
  (request, response) => {
    const [, version = ''] = /app-(.+)\.tgz/.exec(request.url ?? '') ?? [];
    if (request.url?.endsWith('/index.yaml') === true)
      response
        .setHeader('etag', `"${index.length}"`)
        .writeHead(request.headers['if-none-match'] === `"${index.length}"` ? 304 : 200)
        .end(index);
    else if (version === '') response.writeHead(404).end();
    else response.end(packedChart('app', version));
  };

function using(access: RepositoryAccess): Promise<TestSources> {
  return openTestSources(cleanup, { accessTo: () => access });
}

describe('versions of charts', () => {
  it.each([
    ['', '1.2.0'],
    ['1.0.0', '1.0.0'],
    ['^1.0.0', '1.2.0'],
    ['1.x', '1.2.0'],
    ['>0.0.0-0', '2.0.0-beta'],
    ['1.3.0-rc.1', '1.3.0-rc.1'],
    ['~1.3.0-0', '1.3.0-rc.1'],
    ['1.0', '1.0.0'],
    ['9.x', undefined],
  ])('%j is %s', (wanted, expected) => {
    expect(chooseVersion(wanted, VERSIONS)).toBe(expected);
  });
});

describe('indexes', () => {
  it('are cut where they are usual, and read whole where they are not', () => {
    expect(readIndex(indexOf(), 'app', '')?.map(({ version }) => version)).toEqual(VERSIONS);
    expect(readIndex(indexOf(), 'other', '')).toBeUndefined();
    const json = JSON.stringify({
      apiVersion: 'v1',
      entries: { app: [{ version: '1.0.0', urls: ['a'], digest: 'sha256:AB' }, { version: 1 }, null] },
    });
    expect(readIndex(json, 'app', '')).toEqual([{ version: '1.0.0', urls: ['a'], digest: 'ab' }]);
    const aliased = 'entries:\n  base: &b\n  - version: 1.0.0\n    urls: [a]\n  app: *b\n';
    expect(readIndex(aliased, 'app', '')).toHaveLength(1);
    expect(readIndex('entries:\n  "app":\n    - version: 1.0.0\n      urls: [a]\n', 'app', '')).toHaveLength(1);
    expect(readIndex('entries: {}\n', '__proto__', '')).toBeUndefined();
    for (const broken of ['<html>', 'entries: []', '- a', 'entries:\n  app: [', ''])
      expect(() => readIndex(broken, 'app', '')).toThrow(expect.objectContaining({ code: 'SOURCE_INVALID' }) as Error);
  });

  it('may be large', () => {
    const version = (n: number, v: number): string =>
      `  - version: 1.${v}.0\n    description: something about chart number ${n}\n` +
      `    urls:\n    - https://host/chart${n}-1.${v}.0.tgz\n`;
    const many = Array.from(
      { length: 3000 },
      (_, n) => `  chart${n}:\n${Array.from({ length: 20 }, (__, v) => version(n, v)).join('')}`,
    ).join('');
    expect(readIndex(`apiVersion: v1\nentries:\n${many}`, 'chart2999', '')).toHaveLength(20);
  });

  it.each([
    ['https://host/charts', 'app.tgz', 'https://host/charts/app.tgz'],
    ['https://host/charts/', './a/app.tgz', 'https://host/charts/a/app.tgz'],
    ['https://host/charts?token=x', 'app.tgz', 'https://host/charts/app.tgz?token=x'],
    ['https://host/charts', 'https://cdn/app.tgz', 'https://cdn/app.tgz'],
    ['https://host/charts', '/app.tgz', 'https://host/app.tgz'],
  ])('an archive at %s %s is %s', (repository, url, expected) => {
    expect(archiveUrl(repository, url)).toBe(expected);
  });
});

describe('chart repositories', () => {
  it('give the chart of a range, and keep it', async () => {
    const server = await openServer(cleanup, serveCharts(indexOf()));
    const sources = await openTestSources(cleanup);
    const request = { repository: { url: `${server.origin}/repo` }, chart: 'app', version: '^1.0.0' };
    const charts = await Promise.all([sources.fetchChart(request), sources.fetchChart(request)]);
    expect(charts[0]).toMatchObject({ version: '1.2.0', digest: hashOf(packedChart('app', '1.2.0')) });
    expect(await sources.fetchChart(request)).toEqual(charts[1]);
    expect(server.requests.map((text) => text.split(' ')[1])).toEqual([
      '/repo/index.yaml',
      '/repo/charts/app-1.2.0.tgz',
    ]);
    const [file = ''] = readdirSync(join(sources.data, 'cache/charts'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.tgz'),
    );
    writeFileSync(join(sources.data, 'cache/charts', file), 'damaged');
    expect((await sources.fetchChart({ ...request, maxAge: 0 })).bytes).toEqual(charts[0].bytes);
    expect(server.requests.at(-2)).toContain('if-none-match');
  });

  it('refuse an archive that is not the one of the index', async () => {
    const server = await openServer(cleanup, serveCharts(indexOf(undefined, () => 'a'.repeat(64))));
    const sources = await openTestSources(cleanup);
    await expect(
      sources.fetchChart({ repository: { url: server.origin }, chart: 'app', version: '1.0.0' }),
    ).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
  });

  it('say which versions there are', async () => {
    const server = await openServer(cleanup, serveCharts(indexOf()));
    const sources = await openTestSources(cleanup);
    const ask = (chart: string, version: string): Promise<unknown> =>
      sources.fetchChart({ repository: { url: server.origin }, chart, version });
    await expect(ask('app', '7.x')).rejects.toMatchObject({
      code: 'CHART_UNKNOWN',
      message: expect.stringContaining('there is 2.0.0-beta, 1.3.0-rc.1, 1.2.0, 1.0.0') as string,
    });
    await expect(ask('nothing', '')).rejects.toMatchObject({ code: 'CHART_UNKNOWN' });
    await expect(
      sources.fetchChart({ repository: { url: `${server.origin}/app-x.tgz/..%2f` }, chart: 'app', version: '' }),
    ).rejects.toMatchObject({ code: expect.any(String) as string });
  });

  it('show credentials to their own server only', async () => {
    const cdn = await openServer(cleanup, serveCharts(''));
    const index = indexOf((version) => `${cdn.origin}/app-${version}.tgz`);
    const server = await openServer(cleanup, withAuthorization(basic('u', CANARY), serveCharts(index)));
    const sources = await using({ username: 'u', password: CANARY });
    const request = { repository: { url: server.origin }, chart: 'app', version: '1.0.0' };
    expect((await sources.fetchChart(request)).version).toBe('1.0.0');
    expect(cdn.requests.join('\n')).not.toMatch(/authorization/);
    await (await using({ username: 'u', password: CANARY })).fetchChart({ ...request, passCredentials: true });
    expect(cdn.requests.at(-1)).toMatch(/authorization/);
    const leading = await openServer(cleanup, (_, response) => {
      response.writeHead(302, { location: `${cdn.origin}/app-1.0.0.tgz` }).end();
    });
    await expect(
      (await using({ username: 'u', password: CANARY })).fetchChart({
        ...request,
        repository: { url: leading.origin },
        passCredentials: true,
      }),
    ).rejects.toThrow();
    expect(cdn.requests.at(-1)).not.toMatch(/authorization/);
  });

  it('with a wrong password are a refusal without the secret', async () => {
    const server = await openServer(cleanup, withAuthorization('never', serveCharts('')));
    for (const [access, origin] of [
      [{ username: 'u', password: CANARY }, server.origin],
      [{}, server.origin.replace('//', `//u:${CANARY}@`)],
      [{}, `${server.origin}?token=${CANARY}`],
    ] as const) {
      const error: unknown = await (await using(access))
        .fetchChart({ repository: { url: origin }, chart: 'app', version: '' })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'SOURCE_REFUSED' });
      expect(
        error instanceof Error ? `${error.message} ${error.stack ?? ''} ${JSON.stringify(error)}` : '',
      ).not.toContain(CANARY);
    }
  });

  it.each(HOSTILE_INDEXES.map(({ name, prepare }) => [name, prepare] as const))(
    'S34: refuse %s',
    async (_, prepare) => {
      const server = await openServer(cleanup, prepare());
      const sources = await openTestSources(cleanup);
      await expect(
        sources.fetchChart({ repository: { url: server.origin }, chart: 'app', version: '' }),
      ).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    },
  );

  it('that never answer are given up', async () => {
    const clock = new TestClock();
    const server = await openServer(cleanup, () => {
      clock.move(60_000);
    });
    const sources = await openTestSources(cleanup, { clock });
    await expect(
      sources.fetchChart({ repository: { url: server.origin }, chart: 'app', version: '' }),
    ).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  });

  it('that lead round in circles, or elsewhere than http, are refused', async () => {
    const server = await openServer(cleanup, (request, response) => {
      response
        .writeHead(302, { location: request.url?.startsWith('/file') === true ? 'file:///etc/passwd' : request.url })
        .end();
    });
    const sources = await openTestSources(cleanup);
    await expect(
      sources.fetchChart({ repository: { url: server.origin }, chart: 'app', version: '' }),
    ).rejects.toMatchObject({ code: 'SOURCE_REFUSED' });
    await expect(
      sources.fetchChart({ repository: { url: `${server.origin}/file` }, chart: 'app', version: '' }),
    ).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
  });
});

describe('registries', () => {
  const at = (origin: string): { url: string } => ({ url: `oci://${origin.replace('http://', '')}/charts` });

  it.each([
    ['anonymous', {}, {}],
    ['basic', { user: { name: 'u', password: CANARY }, ask: 'basic' as const }, { username: 'u', password: CANARY }],
    ['token', { user: { name: 'u', password: CANARY }, ask: 'token' as const }, { username: 'u', password: CANARY }],
  ])('give charts to %s callers', async (_, options, access) => {
    const registry = await openRegistry(cleanup, options);
    const sources = await using({ ...access, plainHttp: true });
    const chart = await sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '^1.0.0' });
    expect(chart).toMatchObject({ version: '1.2.0', digest: hashOf(packedChart('app', '1.2.0')) });
    expect(
      (await sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '1.1.0+build.1' })).digest,
    ).toBe(hashOf(packedChart('app', '1.1.0_build.1')));
    const before = registry.requests.length;
    await sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '1.1.0+build.1' });
    expect(registry.requests).toHaveLength(before);
  });

  it('refuse a wrong password without showing it', async () => {
    for (const ask of ['basic', 'token'] as const) {
      const registry = await openRegistry(cleanup, { user: { name: 'u', password: 'right' }, ask });
      const error: unknown = await (await using({ username: 'u', password: CANARY, plainHttp: true }))
        .fetchChart({ repository: at(registry.origin), chart: 'app', version: '1.0.0' })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'SOURCE_REFUSED' });
      expect(error instanceof Error ? `${error.message} ${error.stack ?? ''}` : '').not.toContain(CANARY);
    }
  });

  it.each([
    (host: string) => `oci://u:${CANARY}@${host}/charts`,
    (host: string) => `oci://${host}/charts?token=${CANARY}`,
  ])('S12: refuse an address with a secret without showing it', async (address) => {
    const registry = await openRegistry(cleanup, { user: { name: 'u', password: 'right' }, ask: 'basic' });
    const sources = await using({ plainHttp: true });
    const error: unknown = await sources
      .fetchChart({
        repository: { url: address(registry.origin.replace('http://', '')) },
        chart: 'app',
        version: '1.0.0',
      })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: expect.stringMatching(/^SOURCE_(?:REFUSED|INVALID)$/) as string });
    expect(
      [
        error instanceof Error ? `${error.message} ${error.stack ?? ''} ${JSON.stringify(error)}` : '',
        ...sources.reports,
      ].join('\n'),
    ).not.toContain(CANARY);
  });

  it('may keep blobs elsewhere, which sees no credentials', async () => {
    const store = await openRegistry(cleanup);
    const registry = await openRegistry(cleanup, {
      user: { name: 'u', password: CANARY },
      ask: 'basic',
      blobOrigin: store.origin,
    });
    const sources = await using({ username: 'u', password: CANARY, plainHttp: true });
    expect(
      (await sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '1.0.0' })).version,
    ).toBe('1.0.0');
    expect(store.requests).toHaveLength(1);
    expect(store.requests.join('')).not.toMatch(/authorization/);
  });

  it('are refused where the content is another, or the name is none', async () => {
    const registry = await openRegistry(cleanup, { isForged: true });
    const sources = await using({ plainHttp: true });
    await expect(
      sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '1.0.0' }),
    ).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
    await expect(
      sources.fetchChart({ repository: at(registry.origin), chart: '../../x', version: '1.0.0' }),
    ).rejects.toMatchObject({ code: 'SOURCE_INVALID' });
    await expect(
      sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '3.0.0' }),
    ).rejects.toMatchObject({ code: 'CHART_UNKNOWN' });
    await expect(
      sources.fetchChart({ repository: at(registry.origin), chart: 'app', version: '3.x' }),
    ).rejects.toMatchObject({ code: 'CHART_UNKNOWN' });
  });
});
