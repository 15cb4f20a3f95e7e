import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import {
  endingOf,
  openHostileEnvironment,
  type Files,
  type HostileEnvironment,
} from '../testing/hostile-environment.js';

const CANARY = 'cAnArY-52aa';
const objectOf = (name: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: "${name}"}}`;
const CHART = '{apiVersion: v2, name: shop, version: 1.0.0}';

/** What an application could name of another repository; `there` is a file or folder of ours that holds it. */
const WAYS: Readonly<Record<string, (there: string) => { readonly files: Files; readonly source?: JsonObject }>> = {
  'a dependency by its address': (there) => ({
    files: {
      'app/Chart.yaml':
        '{apiVersion: v2, name: shop, version: 1.0.0, dependencies: [{name: lib, version: 1.0.0, repository: ' +
        `"file://${there}"}]}`,
      'app/templates/a.yaml': objectOf('mine'),
    },
  }),
  'a values file': (there) => ({
    files: { 'app/Chart.yaml': CHART, 'app/templates/a.yaml': objectOf('{{ toJson .Values | b64enc }}') },
    source: { helm: { valueFiles: [there] } },
  }),
  'a resource': (there) => ({
    files: { 'app/kustomization.yaml': `resources: ["${there}"]`, 'app/a.yaml': objectOf('mine') },
  }),
  'a link': (there) => ({ files: { 'app/a.yaml': { link: there }, 'app/b.yaml': objectOf('mine') } }),
};

let world: HostileEnvironment;
let theirs = '';
let theirFiles: readonly string[] = [];
beforeAll(async () => {
  world = await openHostileEnvironment();
  theirs = world.repository({
    main: {
      'app/values.yaml': `secret: ${CANARY}\n`,
      'app/Chart.yaml': '{apiVersion: v2, name: lib, version: 1.0.0}',
      'app/templates/a.yaml': objectOf(CANARY),
      'lib/Chart.yaml': '{apiVersion: v2, name: lib, version: 1.0.0}',
    },
  });
  expect(
    (await endingOf(() => world.render([{ repoURL: theirs, targetRevision: 'main', path: 'app' }]))).output,
  ).toContain(CANARY);
  theirFiles = readdirSync(world.work, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:\.pack|\/objects|\.git|HEAD)$|git\/[^/]+$/.test(name))
    .map((name) => join(world.work, name));
});
afterAll(() => world.close());

describe('S4: the applications of one repository never see another one', () => {
  it.each(Object.entries(WAYS))('through %s that leads to where its copy is kept', async (_, way) => {
    expect(theirFiles.length).toBeGreaterThan(0);
    const places = [...theirFiles, theirs.slice('file://'.length)].flatMap((place) => [
      place,
      relative('/a/b', place),
      `${place}/app`,
    ]);
    const result = places.map((place) => way(place));
    const repoURL = world.repository(Object.fromEntries(result.map(({ files }, index) => [`b${index}`, files])));
    for (const [index, { source = {} }] of result.entries()) {
      const { code, output } = await endingOf(() =>
        world.render([{ repoURL, targetRevision: `b${index}`, path: 'app', ...source }]),
      );
      expect([places[index], code]).toEqual([places[index], expect.not.stringMatching(/^(?:done|defect)/)]);
      for (const text of [output, ...world.reports])
        expect(text).not.toMatch(
          new RegExp(`${CANARY}|${Buffer.from(`"secret":"${CANARY}"`).toString('base64').slice(4, 20)}`),
        );
    }
  });

  it('though paths, branches and names are the same', async () => {
    const repositories = ['one', 'two', 'three'].map((name) => ({
      name,
      repoURL: world.repository({
        main: {
          'app/Chart.yaml': CHART,
          'app/values.yaml': `from: ${name}\n`,
          'app/templates/a.yaml': objectOf('{{ .Values.from }}'),
        },
      }),
    }));
    const result = await Promise.all(
      [...repositories, ...repositories].map(async ({ name, repoURL }) => ({
        name,
        ...(await endingOf(() => world.render([{ repoURL, targetRevision: 'main', path: 'app' }]))),
      })),
    );
    for (const { name, output } of result)
      expect(
        repositories.filter((other) => output.includes(`"name":"${other.name}"`)).map((other) => other.name),
      ).toEqual([name]);
  });
});
