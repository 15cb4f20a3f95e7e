import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runHealthScript } from '../../src/health/index.js';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { GopherLua } from './gopher-lua.js';

const CATALOGUE = join(import.meta.dirname, '../../catalogue');
const scripts = readdirSync(join(CATALOGUE, 'for-argocd'))
  .filter((file) => file.endsWith('.lua'))
  .map((file) => {
    const [group = '', kind = ''] = file.includes('_') ? file.slice(0, -4).split('_') : ['', file.slice(0, -4)];
    return { file, group, kind, source: readFileSync(join(CATALOGUE, 'for-argocd', file), 'utf8') };
  });
const opened = await GopherLua.open();

/** Keys in order, as the program of gopher-lua wants them. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
}

describe('the scripts for Argo CD judge on gopher-lua, with the libraries that Argo CD always opens', () => {
  if (typeof opened === 'string') {
    it.skip(opened, () => {
      /* the name says why */
    });
    return;
  }
  afterAll(() => opened.close());

  it('are six', () => {
    expect(scripts.map(({ kind }) => kind).sort()).toEqual([
      'ClusterServingRuntime',
      'InferenceService',
      'NotebookValidationJob',
      'PersistentVolumeClaim',
      'ServingRuntime',
      'TrainedModel',
    ]);
  });

  it.each(scripts)('$kind', async ({ group, kind, source }) => {
    const file = join(CATALOGUE, group === '' ? 'core' : group, `${kind}.cases.yaml`);
    const cases = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file }) as unknown as {
      object: JsonObject;
    }[];
    const objects = [{}, ...cases.map(({ object }) => object)].map(
      (object) =>
        ordered({
          apiVersion: group === '' ? 'v1' : `${group}/v1`,
          kind,
          ...object,
          metadata: { name: 'sample', ...(isObject(object['metadata']) ? object['metadata'] : {}) },
        }) as KubeObject,
    );
    for (const object of objects) {
      const theirs = await opened.run({
        source: `local function check()\n${source}\nend\nlocal hs = check()\nreturn hs.status, hs.message`,
        openLibs: false,
        object,
      });
      const ours = runHealthScript(source, object, { openLibs: false, now: () => 0 });
      expect({ failure: theirs.failure, message: theirs.message }, JSON.stringify(object)).toEqual({
        failure: '',
        message: '',
      });
      expect(theirs.returned, JSON.stringify(object)).toEqual([String(ours?.status), ours?.message]);
    }
  });
});
