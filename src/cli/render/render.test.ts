import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtTool } from '../../../contracts/real/tools.js';
import type { CliHost } from '../host/cli-host.js';
import { runCli } from '../run-cli.js';

const CASES = join(import.meta.dirname, 'cases');
const scratch = mkdtempSync(join(tmpdir(), 'argosy-render-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  argv: readonly string[],
  openTools: CliHost['openTools'] = () => Promise.reject(new Error('no tools here')),
): Promise<Run> {
  const written = { out: '', err: '' };
  const code = await runCli(argv, {
    environment: {},
    version: '1.2.3',
    catalogue: '',
    runner: '',
    crds: '',
    world: '',
    now: () => 0,
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    startController: () => Promise.reject(new Error('no controller here')),
    openService: () => Promise.reject(new Error('no service here')),
    startApi: () => Promise.reject(new Error('no API here')),
    startApiServer: () => Promise.reject(new Error('no server here')),
    spawnApiServer: () => Promise.reject(new Error('no server here')),
    openTools,
    openStories: () => Promise.reject(new Error('no stories here')),
    startDemo: () => Promise.reject(new Error('no demo here')),
    inspect: () => Promise.reject(new Error('no controller here')),
    inspectMany: () => Promise.reject(new Error('no controller here')),
    renderLocal: () => Promise.reject(new Error('no controller here')),
    generate: () => Promise.reject(new Error('no controller here')),
    confirm: () => Promise.resolve(true),
    untilStopped: () => Promise.resolve(),
  });
  return { code, ...written };
}

/** The words of the command, with files of the case where they are on this machine. */
function wordsOf(folder: string): string[] {
  const words = JSON.parse(readFileSync(join(folder, 'args.json'), 'utf8')) as string[];
  return words.map((word) =>
    existsSync(join(folder, word)) || word === 'absent' ? join(relative('.', folder), word) : word,
  );
}

describe('the cases', () => {
  it.each(readdirSync(CASES))('%s', async (name) => {
    const folder = join(CASES, name);
    const { code, out, err } = await run(wordsOf(folder));
    const text = `exit ${code}\n--- stdout\n${out}--- stderr\n${err}`.replaceAll(`${relative('.', folder)}/`, '');
    await expect(text).toMatchFileSnapshot(join(folder, 'expect.txt'));
  });
});

const helm = await builtTool('helm');

describe('the text of real helm', () => {
  if (helm.kind !== 'built') {
    it.skip(`skipped: helm (${helm.reason})`, () => {
      /* the name says why */
    });
    return;
  }
  const charts = readdirSync(CASES)
    .map((name) => join(CASES, name))
    .filter((folder) => existsSync(join(folder, 'chart')) && wordsOf(folder)[0] === 'render');

  it.each(charts.map((folder) => [folder.slice(CASES.length + 1), folder] as const))(
    'is kept: %s',
    async (_, folder) => {
      const words = wordsOf(folder).filter((word) => word !== '--origin');
      const [, chart = '', ...rest] = words
        .slice(0, words.includes('-o') ? words.indexOf('-o') : undefined)
        .concat(words.includes('-o') ? words.slice(words.indexOf('-o') + 2) : []);
      const ours = await run(['render', chart, ...rest]);
      const release = rest.includes('--release') ? (rest[rest.indexOf('--release') + 1] ?? '') : 'release-name';
      const theirs = await helmTemplate(helm.path, [
        release,
        chart,
        ...rest.filter((word, index) => word !== '--release' && rest[index - 1] !== '--release'),
      ]);
      if (theirs.code === 0) expect(ours).toMatchObject({ code: 0, out: theirs.out });
      else
        expect(ours.err.toLowerCase()).toContain(
          theirs.err
            .replace(/^Error: /, '')
            .replace(/\n\nUse --debug[^]*$/, '')
            .trim()
            .toLowerCase(),
        );
    },
  );
});

function helmTemplate(program: string, words: readonly string[]): Promise<Run> {
  const env = {
    PATH: '/nonexistent',
    HOME: scratch,
    HELM_CACHE_HOME: scratch,
    HELM_CONFIG_HOME: scratch,
    HELM_DATA_HOME: scratch,
  };
  return new Promise((resolve) => {
    execFile(program, ['template', ...words, '--kube-version', '1.34.4'], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : 1, out, err });
    });
  });
}

describe('outside of the folder', () => {
  it('a link is rejected without revealing its target', async () => {
    const folder = join(scratch, 'linked');
    mkdirSync(join(folder, 'templates'), { recursive: true });
    writeFileSync(join(scratch, 'secret.txt'), 'CANARY');
    writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: linked\nversion: 0.1.0\n');
    writeFileSync(join(folder, 'templates/a.yaml'), 'a: {{ .Files.Get "b.txt" }}\n');
    symlinkSync('../secret.txt', join(folder, 'b.txt'));
    const { code, out, err } = await run(['render', folder]);
    expect({ code, out }).toEqual({ code: 20, out: '' });
    expect(err).toContain('a link leads out of the repository');
    expect(err).not.toContain('CANARY');
  });

  it('--root bounds paths', async () => {
    mkdirSync(join(scratch, 'top/prod'), { recursive: true });
    writeFileSync(join(scratch, 'top/prod/kustomization.yaml'), 'resources: [../base]\n');
    const { code, err } = await run(['render', join(scratch, 'top/prod'), '--root', join(scratch, 'top/prod')]);
    expect(code).toBe(20);
    expect(err).toContain('../base');
    expect((await run(['render', join(scratch, 'top'), '--root', join(scratch, 'top/prod')])).err).toContain(
      'is not inside',
    );
  });
});

describe('programs', () => {
  const object = (data: unknown): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data });
  const openTools: CliHost['openTools'] = (named) =>
    Promise.resolve({
      jsonnet: (_tree, path, settings) => Promise.resolve(Buffer.from(object({ named, path, settings }))),
      plugin: (name, { path, environment, kubeVersion }) =>
        Promise.resolve(object({ name, path, kubeVersion, environment: Object.fromEntries(environment) })),
    });

  it('get jsonnet files, with their variables', async () => {
    const folder = join(scratch, 'jsonnet');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.jsonnet'), '{}');
    const { out } = await run(
      [
        'render',
        folder,
        '--ext-var',
        'a=1',
        '--tla-code',
        'b=2',
        '--jpath',
        'lib',
        '--tool',
        'jsonnet=/usr/bin/jsonnet',
        '-o',
        'json',
      ],
      openTools,
    );
    expect((JSON.parse(out) as { items: unknown[] }).items).toMatchObject([
      {
        data: {
          named: ['jsonnet=/usr/bin/jsonnet'],
          path: 'a.jsonnet',
          settings: {
            extVars: [{ name: 'a', value: '1', code: false }],
            tlas: [{ name: 'b', value: '2', code: true }],
            libs: ['lib'],
          },
        },
      },
    ]);
  });

  it('render a folder as plugins', async () => {
    const { out } = await run(
      ['render', scratch, '--plugin', 'mine', '--tool', 'mine=/bin/mine', '--release', 'shop'],
      openTools,
    );
    expect(JSON.parse(out)).toMatchObject({
      data: {
        name: 'mine',
        path: '',
        kubeVersion: '1.34.4',
        environment: { ARGOCD_APP_NAME: 'shop', ARGOCD_APP_NAMESPACE: 'default' },
      },
    });
  });
});
