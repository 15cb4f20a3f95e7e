import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import { RenderCache, renderSource } from '../../render/index.js';
import { openSources, type Sources } from '../../source/index.js';
import { Tools } from '../../tools/index.js';
import { renderManifests, type RenderedManifests, type Renderer } from './render-manifests.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-run-tools-'));
const after = (milliseconds: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, milliseconds);
  return () => {
    clearTimeout(timer);
  };
};
let sources: Sources;
let renderer: Renderer;

const PLUGIN =
  '#!/bin/sh\nread -r color < color.txt\necho "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ' +
  'ConfigMap, metadata: {name: $ARGOCD_APP_NAME}, data: {color: $color, tag: $PARAM_TAG}}]}"\n';

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
}

beforeAll(async () => {
  write({ 'plugin.sh': PLUGIN, 'repo/app/color.txt': 'blue\n', 'repo/jsonnet/a.jsonnet': '{}' });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', join(root, 'repo'), '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'start');
  sources = await openSources({
    data: join(root, 'data'),
    clock: { now: () => new Date(), steady: () => performance.now(), after },
    random: () => 0.5,
    environment: process.env,
    report: () => undefined,
    fileRepositories: [root],
  });
  const tools = await Tools.open({
    named: [`painter=${join(root, 'plugin.sh')}`],
    directory: join(root, 'runs'),
    after,
  });
  renderer = {
    sources,
    cache: new RenderCache(),
    render: renderSource,
    host: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    remoteHosts: [],
    tools,
  };
});

afterAll(async () => {
  await sources.close();
  rmSync(root, { recursive: true, force: true });
});

function make(source: JsonObject): Promise<RenderedManifests> {
  const sourceOfRepo = { repoURL: `file://${join(root, 'repo')}`, targetRevision: 'main', ...source };
  return renderManifests(
    {
      application: { name: 'shop', namespace: 'argocd', project: 'default' },
      sources: [sourceOfRepo],
      destinationNamespace: 'prod',
      kubeVersion: '1.34.4',
      apiVersions: [],
      maxAge: 0,
    },
    renderer,
  );
}

it('a plugin that the administrator named makes the manifests', async () => {
  const source = { path: 'app', plugin: { name: 'painter', parameters: [{ name: 'tag', string: 'v1' }] } };
  const {
    manifests,
    sources: [rendered],
  } = await make(source);
  expect(manifests).toMatchObject([
    {
      object: { kind: 'ConfigMap', metadata: { name: 'shop' }, data: { color: 'blue', tag: 'v1' } },
      origin: { file: 'plugin painter' },
    },
  ]);
  expect(rendered?.type).toBe('Plugin');
});

it('a plugin or jsonnet that nobody named is refused with how to name it', async () => {
  await expect(make({ path: 'app', plugin: { name: 'other' } })).rejects.toThrow('--tool other=/path');
  await expect(make({ path: 'app', plugin: {} })).rejects.toThrow('no plugin matches the folder');
  await expect(make({ path: 'jsonnet' })).rejects.toThrow('--tool jsonnet=/path');
});
