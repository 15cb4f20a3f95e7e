import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Json, JsonObject } from '../../model/json/index.js';
import {
  endingOf,
  openHostileEnvironment,
  type Ending,
  type Files,
  type HostileEnvironment,
  type Shape,
} from '../testing/hostile-environment.js';

interface Trick {
  readonly name: string;
  readonly path: string;
  readonly links?: Readonly<Record<string, string>>;
}

interface Way {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly source?: JsonObject;
  /** The file that is the link itself. */
  readonly link?: string;
  readonly wants?: 'folder';
  /** The other source that has the path. */
  readonly ref?: string;
  readonly may?: 'done';
  readonly needs?: 'jsonnet';
  /**
   * The text of the canary is not what belongs there, so that a file inside the repository would be refused for another
   * reason.
   */
  readonly inside?: 'unlike';
}

const CANARY = 'cAnArY-7d1f';
const JSONNET = '/usr/bin/jsonnet';
const read = (name: string): Json =>
  readOneYaml(readFileSync(join(import.meta.dirname, name), 'utf8'), { dialect: 'kubernetes', file: name });
const tricks = read('path-tricks.yaml') as unknown as readonly Trick[];
const ways = read('path-ways.yaml') as unknown as readonly Way[];

const outside = mkdtempSync(join(tmpdir(), 'argosy-outside-'));
/** JSON, because that is YAML and jsonnet as well. */
const secret = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${CANARY}"},"data":{"secret":"${CANARY}"}}\n`;
const encoded = Buffer.from(secret).toString('base64').slice(0, 60);
const OUTSIDE: Readonly<Record<string, string>> = {
  'canary.yaml': secret,
  'folder/canary.yaml': secret,
  'folder/kustomization.yaml': 'resources: [canary.yaml]\n',
  'folder/input.yaml': secret,
  'folder/Chart.yaml': `{apiVersion: v2, name: lib, version: 1.0.0, description: ${CANARY}}`,
  'folder/templates/a.yaml': secret,
  'folder/chart/Chart.yaml': '{apiVersion: v2, name: chart, version: 1.0.0}',
  'folder/chart/templates/a.yaml': secret,
  'folder/chart/values.yaml': '{}',
};
for (const [path, text] of Object.entries(OUTSIDE)) {
  mkdirSync(dirname(join(outside, path)), { recursive: true });
  writeFileSync(join(outside, path), text);
}
const plugin = join(outside, 'plugin.sh');
writeFileSync(plugin, '#!/bin/sh\nwhile IFS= read -r line; do echo "$line"; done < input.yaml\n', { mode: 0o755 });

/** The trick with the places on this machine filled in. */
function placed({ name, path, links = {} }: Trick, way: Way): Trick {
  const target = join(outside, way.wants === 'folder' ? 'folder' : 'canary.yaml');
  const fill = (text: string): string =>
    text === 'LONG'
      ? `${'../'.repeat(1400)}${target.slice(1)}`
      : text.replaceAll('CANARY', target).replaceAll('FOLDER', outside).replaceAll('NAME', basename(target));
  return { name, path: fill(path), links: Object.fromEntries(Object.entries(links).map(([at, to]) => [at, fill(to)])) };
}

/** The files of the application. */
function filesOf(way: Way, { path, links = {} }: Trick): Record<string, Shape> {
  const fill = (text: string): string =>
    text
      .replaceAll('@FILE@', JSON.stringify(`file://${path}`))
      .replaceAll('@KEYED@', JSON.stringify(`key=${path}`))
      .replaceAll('@@', JSON.stringify(path));
  const files: Record<string, Shape> = Object.fromEntries(
    Object.entries(way.files).map(([name, text]) => [name, fill(text)]),
  );
  for (const [name, link] of Object.entries(links)) files[name] = { link };
  // The end of the trick's own chain of links gets the name that the way looks for.
  if (way.link !== undefined) files[way.link] = { link: `${'../'.repeat(way.link.split('/').length - 1)}${path}` };
  return files;
}

function sourceOf(way: Way, { path }: Trick): JsonObject {
  const text = JSON.stringify(way.source ?? {})
    .replaceAll('"@"', () => JSON.stringify(path))
    .replaceAll('"@*"', () => JSON.stringify(`${path}*`))
    .replaceAll('"$values/@"', () => JSON.stringify(`$values/${path}`))
    .replaceAll('@@', () => JSON.stringify(JSON.stringify(path)).slice(1, -1));
  return { path: 'app', ...(JSON.parse(text) as JsonObject) };
}

interface Attempt {
  readonly way: Way;
  readonly trick: Trick;
  readonly branch: string;
}

/** The same file inside the repository, by itself and through a link: what is not forbidden works. */
const INSIDE: readonly Trick[] = [
  { name: 'a file of the repository', path: 'real/inside.yaml' },
  {
    name: 'a link inside the repository',
    path: 'link.yaml',
    links: { 'link.yaml': 'second.yaml', 'second.yaml': 'real/inside.yaml' },
  },
];

const fitting = (way: Way): readonly Trick[] =>
  tricks.filter(({ links }) => way.link === undefined || links !== undefined);
const escapes: readonly Attempt[] = ways.flatMap((way, n) =>
  fitting(way).map((trick, m) => ({ way, trick: placed(trick, way), branch: `w${n}t${m}` })),
);

const insides: readonly Attempt[] = ways
  .filter(({ inside }) => inside !== 'unlike')
  .flatMap((way, n) =>
    INSIDE.filter(({ links }) => way.link === undefined || links !== undefined).map((trick, m) => ({
      way,
      trick,
      branch: `i${n}t${m}`,
    })),
  );

const below = (folder: string, files: Files): Record<string, Shape> =>
  Object.fromEntries(Object.entries(files).map(([path, shape]) => [`${folder}/${path}`, shape]));
const linksOf = ({ links = {} }: Trick): Files =>
  Object.fromEntries(Object.entries(links).map(([at, link]) => [at, { link }]));

let world: HostileEnvironment;
/** A fault about a path names the branches that have it, so ways of that kind get a repository with fewer of them. */
const isPathOfSource = ({ source }: Way): boolean => source?.path === '@';
/** Paths in these ways start at the root of the repository. */
const isFromRoot = (way: Way): boolean => isPathOfSource(way) || way.name === 'jsonnet libraries';
const addresses = new Map<boolean, string>();
let allowed = '';
beforeAll(async () => {
  world = await openHostileEnvironment({
    tools: [`reader=${plugin}`, ...(existsSync(JSONNET) ? [`jsonnet=${JSONNET}`] : [])],
  });
  for (const ofSource of [true, false]) {
    const branches = escapes
      .filter(({ way }) => isPathOfSource(way) === ofSource)
      .flatMap(({ way, trick, branch }): [string, Files][] => [
        [branch, below('app', filesOf(way, way.ref === undefined ? trick : { ...trick, links: {} }))],
        ...(way.ref === undefined ? [] : [[`${branch}-ref`, { 'a.txt': 'a', ...linksOf(trick) }] as [string, Files]]),
      ]);
    addresses.set(ofSource, world.repository(Object.fromEntries(branches)));
  }
  allowed = world.repository(
    Object.fromEntries(
      insides.flatMap(({ way, trick, branch }): [string, Files][] => {
        const there: Files =
          way.wants === 'folder'
            ? below(
                'real/inside.yaml',
                Object.fromEntries(
                  Object.entries(OUTSIDE)
                    .filter(([path]) => path.startsWith('folder/'))
                    .map(([path, text]) => [path.slice(7), text]),
                ),
              )
            : { 'real/inside.yaml': secret };
        return way.ref === undefined
          ? [[branch, below('app', { ...there, ...filesOf(way, trick) })]]
          : [
              [branch, below('app', filesOf(way, { ...trick, links: {} }))],
              [`${branch}-ref`, { ...there, ...linksOf(trick) }],
            ];
      }),
    ),
  );
});
afterAll(async () => {
  await world.close();
  rmSync(outside, { recursive: true, force: true });
});

function run({ way, trick, branch }: Attempt, repoURL: string): Promise<Ending> {
  const sources: JsonObject[] = [{ repoURL, targetRevision: branch, ...sourceOf(way, trick) }];
  if (way.ref !== undefined) sources.push({ repoURL, targetRevision: `${branch}-ref`, ref: way.ref });
  return endingOf(() => world.render(sources));
}

async function attempt(one: Attempt): Promise<void> {
  const { way } = one;
  const { code, output } = await run(one, addresses.get(isPathOfSource(way)) ?? '');
  expect(code).toMatch(way.may === 'done' ? /^(?!defect)/ : /^(?!defect|done)/);
  for (const text of [output, world.reports.join('\n')]) {
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(encoded);
    expect(text).not.toContain('root:x:0');
    expect(text, "S6: the places where work is done are nobody's concern").not.toContain(world.work);
  }
}

describe(`S1, S6: ${tricks.length} ways out of a repository, ${ways.length} ways to name a file`, () => {
  describe.each(ways.map((way) => [way.name, way] as const))('%s', (_, way) => {
    if (way.needs === 'jsonnet' && !existsSync(JSONNET)) {
      it.skip('skipped: jsonnet (the Debian package jsonnet)', () => {
        /* the name says why */
      });
      return;
    }
    it.each(escapes.filter((one) => one.way === way).map((one) => [one.trick.name, one] as const))(
      '%s',
      async (__, one) => {
        await attempt(one);
      },
    );
  });
});

describe('S3: what stays inside the repository works', () => {
  it.each(
    insides
      .filter(({ way }) => way.needs === undefined || existsSync(JSONNET))
      .map((one) => [`${one.way.name}: ${one.trick.name}`, one] as const),
  )('%s', async (_, one) => {
    const { code, output } = await run(
      { ...one, trick: isFromRoot(one.way) ? { ...one.trick, path: `app/${one.trick.path}` } : one.trick },
      allowed,
    );
    expect([code, output]).toEqual([
      'done',
      expect.stringMatching(new RegExp(`${CANARY}|${encoded.replaceAll('+', '\\+')}`)),
    ]);
  });
});
