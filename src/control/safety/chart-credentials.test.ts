import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderSource, type RenderRequest } from '../../render/index.js';
import { readRepositoryRegistry, type RepositoryRegistry } from '../../source/index.js';
import { endingOf, openHostileEnvironment, type HostileEnvironment } from '../testing/hostile-environment.js';

const COUNT = 50;
const canary = (index: number): string => `cAnArY-${String(index).padStart(2, '0')}-e1b7`;
const basic = (index: number): string => `Basic ${Buffer.from(`user${index}:${canary(index)}`).toString('base64')}`;

/** A packed chart of one file, made with the tar of the system. */
function packed(name: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-pack-'));
  mkdirSync(join(folder, name, 'templates'), { recursive: true });
  writeFileSync(join(folder, name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
  writeFileSync(join(folder, name, 'templates/a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: lib }\n');
  const bytes = execFileSync('tar', ['czf', '-', '-C', folder, name]);
  rmSync(folder, { recursive: true });
  return bytes;
}

let world: HostileEnvironment;
let registry: RepositoryRegistry;
let origin = '';
let repoURL = '';
/** The address and what identified us, of every request. */
const requests: { readonly url: string; readonly authorization: string }[] = [];
const chart = packed('lib');
const server = createServer((request, response) => {
  const {
    url = '',
    headers: { authorization = '' },
  } = request;
  requests.push({ url, authorization });
  const [, index = ''] = /^\/r(\d+)\//.exec(url) ?? [];
  if (authorization !== basic(Number(index))) response.writeHead(401).end();
  else if (url.endsWith('/index.yaml'))
    response.end(
      JSON.stringify({ apiVersion: 'v1', entries: { lib: [{ version: '1.0.0', urls: ['lib-1.0.0.tgz'] }] } }),
    );
  else response.end(chart);
});

const addressOf = (index: number): string => `${origin}/r${index}${index % 2 === 0 ? '' : '/'}`;

/** Half of them are repositories, half are templates for a prefix. */
function secret(index: number): Parameters<typeof readRepositoryRegistry>[0][number] {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `repo-${index}`,
      labels: { 'argocd.argoproj.io/secret-type': index % 2 === 0 ? 'repository' : 'repo-creds' },
    },
    stringData: { type: 'helm', url: addressOf(index), username: `user${index}`, password: canary(index) },
  };
}

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  registry = readRepositoryRegistry(Array.from({ length: COUNT }, (_, index) => secret(index)));
  world = await openHostileEnvironment({ sources: { accessTo: (url, project) => registry.access(url, project) } });
  const wanting = (index: number): Record<string, string> => ({
    'Chart.yaml': JSON.stringify({
      apiVersion: 'v2',
      name: 'shop',
      version: '1.0.0',
      dependencies: [{ name: 'lib', version: '1.0.0', repository: addressOf(index) }],
    }),
    'templates/a.yaml': '{{/* nothing */}}',
  });
  repoURL = world.repository(
    Object.fromEntries([
      ...Array.from({ length: COUNT }, (_, index) => [`r${index}`, wanting(index)] as const),
      ['other', wanting(777)],
    ]),
  );
});
afterAll(async () => {
  await world.close();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

describe(`S5: of ${COUNT} credentials a render causes the use of the one that it needs`, () => {
  it.each(Array.from({ length: COUNT }, (_, index) => index))('repository %i', async (index) => {
    requests.length = 0;
    const rendered: string[] = [];
    const render = (request: RenderRequest): ReturnType<typeof renderSource> => {
      rendered.push(
        JSON.stringify(request, (_, value: unknown) => {
          if (value instanceof Map) return [...value];
          return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value;
        }),
      );
      return renderSource(request);
    };
    const { code, output } = await endingOf(() =>
      world.render([{ repoURL, targetRevision: `r${index}`, path: '.' }], {
        renderer: { remoteHosts: ['127.0.0.1'], render },
      }),
    );
    expect([code, output]).toEqual(['done', expect.stringContaining('"name":"lib"')]);
    expect([...new Set(requests.map(({ authorization }) => authorization))]).toEqual([basic(index)]);
    expect(requests.every(({ url }) => url.startsWith(`/r${index}/`))).toBe(true);
    for (const text of [...rendered, output, ...world.reports]) expect(text).not.toMatch(/cAnArY|Y0FuQXJZ/);
  });

  it('a repository that nobody configured gets none', async () => {
    requests.length = 0;
    const { code, output } = await endingOf(() =>
      world.render([{ repoURL, targetRevision: 'other', path: '.' }], { renderer: { remoteHosts: ['127.0.0.1'] } }),
    );
    expect(code).toBe('SOURCE_REFUSED');
    expect(requests.map(({ authorization }) => authorization)).toEqual(['']);
    expect(output).not.toContain('cAnArY');
  });
});
