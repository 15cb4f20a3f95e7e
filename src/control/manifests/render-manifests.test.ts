import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import { RenderCache, renderSource } from '../../render/index.js';
import { openSources, type Sources } from '../../source/index.js';
import { renderManifests, type RenderedManifests, type Renderer } from './render-manifests.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-control-'));
let sources: Sources;
let renderer: Renderer;

const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
    encoding: 'utf8',
  }).trim();

/** Makes a commit of texts on a branch, and gives the address. */
function commit(name: string, files: Readonly<Record<string, string>>, branch = 'main'): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  if (branch !== 'main') git(folder, 'checkout', '-q', '--orphan', branch);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'change');
  return `file://${folder}`;
}

function make(...specs: JsonObject[]): Promise<RenderedManifests> {
  return renderManifests(
    {
      application: { name: 'shop', namespace: 'argocd', project: 'default' },
      sources: specs,
      destinationNamespace: 'prod',
      kubeVersion: '1.34.4',
      apiVersions: [],
      maxAge: 0,
    },
    renderer,
  );
}

const CHART = {
  'app/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'app/values.yaml': 'color: blue\n',
  'app/templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { color: {{ .Values.color }} }\n',
};

beforeAll(async () => {
  const clock = {
    now: () => new Date(),
    steady: () => performance.now(),
    after: (milliseconds: number, callback: () => void) => {
      const timer = setTimeout(callback, milliseconds);
      return () => {
        clearTimeout(timer);
      };
    },
  };
  sources = await openSources({
    data: join(root, 'data'),
    clock,
    random: () => 0.5,
    environment: process.env,
    report: () => undefined,
    fileRepositories: [root],
  });
  renderer = {
    sources,
    cache: new RenderCache(),
    render: renderSource,
    host: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    remoteHosts: [],
  };
});

afterAll(async () => {
  await sources.close();
  rmSync(root, { recursive: true, force: true });
});

describe('making manifests', () => {
  it('fetches, renders, and renders again only for a commit that concerns the source', async () => {
    const repoURL = commit('shop', CHART);
    const source = { repoURL, path: 'app', targetRevision: 'main' };
    const first = await make(source);
    expect(first.manifests.map(({ object }) => object)).toMatchObject([
      { kind: 'ConfigMap', metadata: { name: 'shop' }, data: { color: 'blue' } },
    ]);
    const before = renderer.cache.renders;
    commit('shop', { 'docs/notes.md': 'hello' });
    const second = await make(source);
    expect(second.sources[0]?.revision).not.toBe(first.sources[0]?.revision);
    expect(renderer.cache.renders).toBe(before);
    commit('shop', { 'app/values.yaml': 'color: red\n' });
    expect((await make(source)).manifests[0]?.object).toMatchObject({ data: { color: 'red' } });
    expect(renderer.cache.renders).toBe(before + 1);
  });

  it('finds the values of a ref that is the same commit of the same repository', async () => {
    const repoURL = commit('whole', { ...CHART, 'values/prod.yaml': 'color: green\n' });
    const { manifests } = await make(
      { repoURL, path: 'app', targetRevision: 'main', helm: { valueFiles: ['$values/values/prod.yaml'] } },
      { repoURL, targetRevision: 'main', ref: 'values' },
    );
    expect(manifests[0]?.object).toMatchObject({ data: { color: 'green' } });
  });

  it('loads what a render asks for: values of another repository, files elsewhere in its own', async () => {
    const repoURL = commit('parts', { ...CHART, 'shared/values.yaml': 'size: 1\n' });
    const values = commit('values', { 'prod/shop.yaml': 'color: green\n' });
    const { manifests, sources: made } = await make(
      {
        repoURL,
        path: 'app',
        targetRevision: 'main',
        helm: { valueFiles: ['/shared/values.yaml', '$env/prod/shop.yaml'] },
      },
      { repoURL: values, targetRevision: 'main', ref: 'env' },
    );
    expect(manifests[0]?.object).toMatchObject({ data: { color: 'green' } });
    expect(made.map(({ type }) => type)).toEqual(['Helm', undefined]);
  });

  it('names the branches that have a path which is missing', async () => {
    const repoURL = commit('legacy', { 'serving/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n' });
    commit('legacy', { 'other.txt': 'x' }, 'old');
    git(join(root, 'legacy'), 'rm', '-rq', '--cached', 'serving');
    git(join(root, 'legacy'), 'commit', '-qm', 'moved');
    await expect(make({ repoURL, path: 'serving', targetRevision: 'old' })).rejects.toMatchObject({
      code: 'PATH_MISSING',
      message: expect.stringContaining('main') as string,
    });
  });

  it('takes values files from the network only from hosts that are allowed, and stays on their server', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/green.yaml') response.end('color: green\n');
      else response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const repoURL = commit('remote-values', CHART);
    const from = (name: string): JsonObject => ({
      repoURL,
      path: 'app',
      targetRevision: 'main',
      helm: { valueFiles: [`http://127.0.0.1:${port}/${name}`] },
    });
    try {
      await expect(make(from('green.yaml'))).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
        message: expect.stringContaining('127.0.0.1 are not allowed') as string,
      });
      const allowed = { ...renderer, remoteHosts: ['127.0.0.1'] };
      const request = {
        application: { name: 'shop', namespace: 'argocd', project: 'default' },
        destinationNamespace: 'prod',
        kubeVersion: '1.34.4',
        apiVersions: [],
        maxAge: 0,
      };
      const { manifests } = await renderManifests({ ...request, sources: [from('green.yaml')] }, allowed);
      expect(manifests.map(({ object }) => object)).toMatchObject([{ data: { color: 'green' } }]);
      await expect(renderManifests({ ...request, sources: [from('elsewhere.yaml')] }, allowed)).rejects.toMatchObject({
        code: 'SOURCE_REFUSED',
        message: 'the server leads to another one',
      });
    } finally {
      server.close();
    }
  });

  it('takes bases of others only from hosts that are allowed', async () => {
    const repoURL = commit('remote', {
      'app/kustomization.yaml': 'resources: ["https://git.example/org/base?ref=v1"]\n',
    });
    await expect(make({ repoURL, path: 'app', targetRevision: 'main' })).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
      message: expect.stringContaining('git.example') as string,
    });
  });
});
