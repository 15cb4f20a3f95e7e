import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clearFolder, scratchFolder } from '../real/child.js';
import { NODE_LTS, nodeLts } from '../real/node-lts.js';
import { startArgosy, type ArgosyUp } from '../web/argosy-up.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const DUMP = join(import.meta.dirname, '../../src/triage/cases/a-policy-that-lets-nobody-reach-the-database.yaml');
const node = await nodeLts();
const program = node.kind === 'built' ? node.path : '';
const skipped = node.kind === 'missing' ? ` (skipped: ${node.reason})` : '';

const run = promisify(execFile);

const FILES = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'chart/templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-chart\n',
  'overlay/kustomization.yaml': 'namePrefix: shop-\nresources: [config.yaml]\n',
  'overlay/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: overlay\n',
  generate: '#!/bin/sh\necho "{apiVersion: v1, kind: ConfigMap, metadata: {name: plugin}}"\n',
  'queue.yaml': 'apiVersion: example.com/v1\nkind: Queue\nmetadata:\n  name: orders\nstatus:\n  depth: 7\n',
  'queue.lua': 'return { status = "Degraded", message = obj.status.depth .. " messages" }\n',
  'app/web.yaml':
    'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector: {matchLabels: {app: web}}\n' +
    '  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: nginx}]}\n',
};

/** What only the newest Node would break: each room does one thing on it; the suites themselves run on the oldest. */
describe.skipIf(node.kind === 'missing')(`on Node ${NODE_LTS}${skipped}`, () => {
  const folder = scratchFolder('argosy-node-lts-');
  let up: ArgosyUp | undefined;

  const argosy = async (...words: string[]): Promise<string> => {
    try {
      return (await run(program, [MAIN, ...words], { cwd: folder })).stdout;
    } catch (error) {
      // Commands that find something end with 1 or 2.
      return (error as { stdout: string }).stdout;
    }
  };

  beforeAll(async () => {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const git = (...words: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
        cwd: folder,
        stdio: 'pipe',
      });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'first');
    up = await startArgosy(['--no-demo'], program);
  });

  afterAll(async () => {
    await up?.close();
    clearFolder(folder);
  });

  it('is the newest LTS', async () => {
    const { stdout } = await run(program, ['-p', 'process.version + " " + typeof process.release.lts']);
    expect(stdout.trim()).toBe(`v${NODE_LTS} string`);
  });

  it('renders charts and kustomizations', async () => {
    expect(await argosy('render', 'chart', '--release', 'shop', '-o', 'name')).toBe('configmap/shop-chart\n');
    expect(await argosy('render', 'overlay', '-o', 'name')).toBe('configmap/shop-overlay\n');
  });

  it('runs a plugin', async () => {
    chmodSync(join(folder, 'generate'), 0o755);
    const tool = ['--plugin', 'generate', '--tool', `generate=${join(folder, 'generate')}`];
    expect(await argosy('render', 'app', ...tool, '-o', 'name')).toBe('configmap/plugin\n');
  });

  it('assesses health by Lua and finds causes in a dump', async () => {
    expect(await argosy('health', 'eval', '-f', 'queue.yaml', '--lua', 'queue.lua')).toContain('7 messages');
    expect(await argosy('triage', '-f', DUMP)).toMatch(/^P[0-3]-1 /m);
  });

  it('delivers an application, and serves it over the API', async () => {
    const flags = ['--repo', `file://${folder}`, '--path', 'app', '--dest-namespace', 'default'];
    await up?.run('app', 'create', 'web', ...flags, '--dest-server', 'https://kubernetes.default.svc');
    await up?.run('app', 'sync', 'web');
    await up?.run('app', 'wait', 'web', '--sync', '--health', '--timeout', '60');
    expect((await up?.run('app', 'get', 'web'))?.stdout).toMatch(/Healthy/);
    expect((await up?.run('app', 'diff', 'web'))?.stdout).toBe('');
    expect((await up?.run('notebook', 'list', '-n', 'default'))?.stdout).toBeDefined();
    expect((await fetch(`${up?.url ?? ''}/healthz`)).status).toBe(200);
  });
});
