import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readOneYaml } from '../../model/yaml/index.js';
import { runCli } from '../run-cli.js';

interface Trick {
  readonly name: string;
  readonly path: string;
  readonly links?: Readonly<Record<string, string>>;
}

interface Way {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly source?: unknown;
  readonly link?: string;
  readonly wants?: 'folder';
  readonly may?: 'done';
  readonly needs?: 'jsonnet';
}

/** The same tables as for Applications; here without what only an Application can say. */
const TABLES = join(import.meta.dirname, '../../control/safety');
const read = (name: string): unknown =>
  readOneYaml(readFileSync(join(TABLES, name), 'utf8'), { dialect: 'kubernetes', file: name });
/** On disk a link may lead to exactly there, where the tree of a repository has nothing. */
const BESIDE: Trick = { name: 'a link to what lies beside', path: 'link.yaml', links: { 'link.yaml': 'BESIDE' } };
const tricks = [...(read('path-tricks.yaml') as readonly Trick[]), BESIDE];
const ways = (read('path-ways.yaml') as readonly Way[]).filter(
  ({ source, needs, files }) =>
    source === undefined && needs === undefined && !Object.keys(files).some((name) => name.startsWith('.argocd')),
);

const CANARY = 'cAnArY-55e0';
const scratch = mkdtempSync(join(tmpdir(), 'argosy-local-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

const secret = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${CANARY}"},"data":{"secret":"${CANARY}"}}\n`;
const encoded = Buffer.from(secret).toString('base64').slice(0, 60);

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const outside = join(scratch, 'outside');
write(outside, {
  'canary.yaml': secret,
  'folder/canary.yaml': secret,
  'folder/kustomization.yaml': 'resources: [canary.yaml]\n',
  'folder/templates/a.yaml': secret,
  'folder/Chart.yaml': `{apiVersion: v2, name: lib, version: 1.0.0, description: ${CANARY}}`,
  'folder/chart/Chart.yaml': '{apiVersion: v2, name: chart, version: 1.0.0}',
  'folder/chart/templates/a.yaml': secret,
});
// What makes a folder a repository, beyond which no path leads.
mkdirSync(join(scratch, 'repository/.git'), { recursive: true });

let count = 0;

/** A folder of the repository with the files of the way and the links of the trick. */
function lay(way: Way, { path, links = {} }: Trick, top = 'repository'): string {
  const folder = join(scratch, top, `c${++count}`, 'app');
  const target = join(outside, way.wants === 'folder' ? 'folder' : 'canary.yaml');
  const place = (text: string): string => {
    if (text === 'BESIDE') return relative(folder, target);
    if (text === 'LONG') return `${'../'.repeat(1400)}${target.slice(1)}`;
    return text.replaceAll('CANARY', target).replaceAll('FOLDER', outside).replaceAll('NAME', basename(target));
  };
  const placed = place(path);
  const fill = (text: string): string =>
    text
      .replaceAll('@FILE@', JSON.stringify(`file://${placed}`))
      .replaceAll('@KEYED@', JSON.stringify(`key=${placed}`))
      .replaceAll('@@', JSON.stringify(placed));
  write(folder, Object.fromEntries(Object.entries(way.files).map(([name, text]) => [name, fill(text)])));
  for (const [name, to] of Object.entries(links)) symlinkSync(place(to), join(folder, name));
  if (way.link !== undefined) {
    mkdirSync(dirname(join(folder, way.link)), { recursive: true });
    symlinkSync(`${'../'.repeat(way.link.split('/').length - 1)}${placed}`, join(folder, way.link));
  }
  return folder;
}

async function run(argv: readonly string[]): Promise<{ code: number; shown: string }> {
  let shown = '';
  const output = { write: (text: string) => (shown += text) };
  const code = await runCli(argv, {
    environment: {},
    version: '1.2.3',
    catalogue: '',
    runner: '',
    crds: '',
    world: '',
    now: () => 0,
    stdout: output,
    stderr: output,
    untilStopped: () => Promise.resolve(),
    inspect: () => Promise.reject(new Error('no controller here')),
    inspectMany: () => Promise.reject(new Error('no controller here')),
    renderLocal: () => Promise.reject(new Error('no controller here')),
    generate: () => Promise.reject(new Error('no controller here')),
    confirm: () => Promise.resolve(true),
    startController: () => Promise.reject(new Error('no controller here')),
    openService: () => Promise.reject(new Error('no service here')),
    startApi: () => Promise.reject(new Error('no API here')),
    startApiServer: () => Promise.reject(new Error('no server here')),
    spawnApiServer: () => Promise.reject(new Error('no server here')),
    openTools: () => Promise.reject(new Error('no tools here')),
    openStories: () => Promise.reject(new Error('no stories here')),
    startDemo: () => Promise.reject(new Error('no demo here')),
  });
  return { code, shown };
}

/**
 * `npm run prove -- whole-suites` tries every trick with every way, as the suite of Applications always does; here each
 * way meets a few, and all ways together all of them.
 */
const IS_WHOLE = process.env['ARGOSY_SIZE'] === 'whole';
const TRICKS_A_WAY = 3;

function tricksFor(way: Way, hasLink: boolean): readonly Trick[] {
  const fitting = tricks.filter(({ links }) => !hasLink || links !== undefined);
  const first = ways.indexOf(way) * TRICKS_A_WAY;
  return IS_WHOLE
    ? fitting
    : fitting.filter((_, index) => (index - first + 100 * fitting.length) % fitting.length < TRICKS_A_WAY);
}

const isChart = ({ files }: Way): boolean => Object.keys(files).some((name) => name.startsWith('templates/'));

describe.each([
  ['render', ways],
  ['render --origin -o json', ways.filter(({ link }) => link !== undefined)],
  ['values', ways.filter(isChart)],
] as const)('S2: argosy %s, every way out of a repository', (command, fitting) => {
  it.each(fitting.map((way) => [way.name, way] as const))('%s', async (_, way) => {
    const [name = '', ...flags] = command.split(' ');
    for (const trick of tricksFor(way, way.link !== undefined)) {
      const { code, shown } = await run([name, lay(way, trick), ...flags]);
      expect(shown, trick.name).not.toContain(CANARY);
      expect(shown, trick.name).not.toContain(encoded);
      expect(shown, trick.name).not.toContain('root:x:0');
      expect(shown, trick.name).not.toContain('This is a defect');
      // Values of a chart can be read although its templates cannot.
      if (name === 'render' && way.may === undefined) expect([trick.name, code]).toEqual([trick.name, 20]);
    }
  });
});

describe('S2: argosy render of a folder that is in no repository, every link out of it', () => {
  it.each(ways.map((way) => [way.name, way] as const))('%s', async (_, way) => {
    for (const trick of tricksFor(way, true)) {
      const { code, shown } = await run(['render', lay(way, trick, 'loose')]);
      expect(shown, trick.name).not.toContain(CANARY);
      expect(shown, trick.name).not.toContain(encoded);
      if (way.may === undefined) expect([trick.name, code]).toEqual([trick.name, 20]);
    }
  });
});
