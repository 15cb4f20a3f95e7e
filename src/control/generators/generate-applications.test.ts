import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isArray, isObject, objectAt, objectsAt, textAt } from '../../model/json/index.js';
import { readOneYaml, readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApplicationSetTemplates } from '../../render/index.js';
import type { GenerateFacts, GitFact } from './facts.js';
import { generateApplications } from './generate-applications.js';

// Each folder of ../cases: given.yaml is a set with the world around it, expect.yaml the Applications or the words of
// the refusal.
const CASES = join(import.meta.dirname, 'cases');

describe('what an ApplicationSet makes', () => {
  it.each(readdirSync(CASES).map((name) => [name.replaceAll('-', ' '), join(CASES, name)] as const))(
    '%s',
    async (_, folder) => {
      const given = objectIn(join(folder, 'given.yaml'));
      const expected = readYaml(readFileSync(join(folder, 'expect.yaml'), 'utf8'), { dialect: 'kubernetes' })
        .map(({ value }) => value)
        .filter((value) => value !== null);
      const generated = await attempt(given);
      if (typeof generated === 'string')
        expect(generated).toContain(textAt(isObject(expected[0]) ? expected[0] : {}, 'refused') || 'no refusal');
      else
        expect(generated).toEqual(
          isObject(expected[0]) && isArray(expected[0].applications) ? expected[0].applications : expected,
        );
    },
  );
});

/** `apiVersion` and `kind` go without saying, and so do the namespace and the usual finalizer. */
async function attempt(given: JsonObject): Promise<JsonObject[] | string> {
  const set: KubeObject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd', uid: 'u' },
    spec: objectAt(given, 'spec') ?? {},
  };
  try {
    return (await generateApplications(set, factsOf(given))).map(
      ({ metadata: { namespace, finalizers, ...metadata }, spec }) => {
        expect(namespace).toBe('argocd');
        const isUsual = finalizers?.length === 1 && finalizers[0] === 'resources-finalizer.argocd.argoproj.io';
        return { metadata: { ...metadata, ...(isUsual ? {} : { finalizers: finalizers ?? [] }) }, spec: spec ?? {} };
      },
    );
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function factsOf(given: JsonObject): GenerateFacts {
  const repositories = objectsAt(given, 'git');
  const texts = (object: JsonObject, name: string): Record<string, string> =>
    (objectAt(object, name) ?? {}) as Record<string, string>;
  return {
    clusters: () =>
      objectsAt(given, 'clusters').map((cluster) => ({
        name: textAt(cluster, 'name'),
        server: textAt(cluster, 'server'),
        project: textAt(cluster, 'project'),
        labels: texts(cluster, 'labels'),
        annotations: texts(cluster, 'annotations'),
      })),
    git: (repoURL, revision) => {
      const found = repositories.find(
        (each) => textAt(each, 'repoURL') === repoURL && textAt(each, 'revision') === revision,
      );
      return found === undefined
        ? Promise.reject(new Fault('SOURCE_UNREACHABLE', `no answer from ${repoURL} at ${revision}`))
        : Promise.resolve(gitFact(texts(found, 'files')));
    },
    decisions: () =>
      Promise.resolve({
        matchKey: textAt(given, 'decisions', 'matchKey'),
        decisions: objectsAt(given, 'decisions', 'list'),
      }),
    filePatterns: given.filePatterns === 'doublestar' ? 'doublestar' : 'pathspec',
    templates: new ApplicationSetTemplates({ now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' }),
  };
}

describe('the templates of a set', () => {
  const setOf = (elements: JsonObject[], name: string): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set', namespace: 'argocd' },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements } }],
      template: {
        metadata: { name },
        spec: { project: 'default', source: { repoURL: 'https://git.example.com/shop.git', path: '{{ .name }}' } },
      },
    },
  });

  it('end soon where they loop', async () => {
    const start = process.cpuUsage();
    const loop = '{{ range until 10000 }}{{ range until 10000 }}x{{ end }}{{ end }}';
    await expect(generateApplications(setOf([{ name: 'a' }], loop), factsOf({}))).rejects.toMatchObject({
      code: 'RENDER_LIMIT',
    });
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1e6).toBeLessThan(1);
  });

  it('serve thousands of Applications', async () => {
    const elements = Array.from({ length: 3000 }, (_, index): JsonObject => ({ name: `shop-${index}` }));
    const name = '{{ range until 100 }}{{ if eq . 7 }}{{ $.name }}{{ end }}{{ end }}';
    const made = await generateApplications(setOf(elements, name), factsOf({}));
    expect([made.length, made.at(-1)?.metadata.name]).toEqual([3000, 'shop-2999']);
  });
});

function gitFact(files: Readonly<Record<string, string>>): GitFact {
  const paths = Object.keys(files).sort();
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, index, parts) => parts.slice(0, index + 1).join('/')),
    ),
  );
  return {
    directories: [...folders].filter((path) => !/(^|\/)\./.test(path)).sort(),
    files: paths,
    read: (wanted) => Promise.resolve(new Map(wanted.map((path) => [path, files[path] ?? '']))),
  };
}

function objectIn(file: string): JsonObject {
  const value = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
  return isObject(value) ? value : {};
}
