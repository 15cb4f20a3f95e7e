import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { TreeFolder, TreeNode } from '../../model/formats/index.js';
import type { RenderRequest } from '../../render/index.js';
import { isPlainDirectory } from './plain-directory.js';

/** Files by path; a text is the target of a link. */
function folderOf(files: Readonly<Record<string, true | string>>): TreeFolder {
  const entries = new Map<string, TreeNode>();
  for (const [path, value] of Object.entries(files)) {
    const [name = '', ...rest] = path.split('/');
    if (rest.length === 0)
      entries.set(
        name,
        value === true ? { kind: 'file', id: path, executable: false } : { kind: 'link', id: path, target: value },
      );
    else {
      const below = Object.fromEntries(
        Object.entries(files)
          .filter(([other]) => other.startsWith(`${name}/`))
          .map(([other, each]) => [other.slice(name.length + 1), each]),
      );
      entries.set(name, folderOf(below));
    }
  }
  return { kind: 'folder', id: '', entries };
}

function isPlain(
  files: Readonly<Record<string, true | string>>,
  source: JsonObject = {},
  more: Partial<RenderRequest> = {},
): boolean {
  const tree = { repository: 'https://example.com/a', commit: 'abc', root: folderOf(files) };
  return isPlainDirectory({ source: { repoURL: 'https://example.com/a', ...source }, tree, ...more } as RenderRequest);
}

describe('a folder of nothing but manifests', () => {
  it.each([
    ['YAML and JSON', { 'a.yaml': true, 'b.yml': true, 'c.json': true }, {}],
    [
      'other files beside them',
      { 'a.yaml': true, 'README.md': true, 'run.sh': true, 'Chart.yaml.bak': true, 'my-kustomization.yaml': true },
      {},
    ],
    ['a path with dots and slashes', { 'apps/web/a.yaml': true, 'Chart.yaml': true }, { path: './apps//web/' }],
    ['a chart in a folder that is not read', { 'a.yaml': true, 'chart/Chart.yaml': true }, {}],
    ['folders below it that are plain too', { 'a.yaml': true, 'b/c.yaml': true }, { directory: { recurse: true } }],
    ['settings of no other kind', { 'a.yaml': true }, { helm: null, kustomize: 'text' }],
  ] satisfies [string, Record<string, true | string>, JsonObject][])('is one with %s', (_, files, source) => {
    expect(isPlain(files, source)).toBe(true);
  });

  it.each([
    ['Chart.yaml', {}],
    ['kustomization.yaml', {}],
    ['kustomization.yml', {}],
    ['Kustomization', {}],
    ['.argocd-source.yaml', {}],
    ['.argocd-source-shop.yaml', {}],
    ['main.jsonnet', {}],
  ] satisfies [string, JsonObject][])('is none with %s', (name, source) => {
    expect(isPlain({ 'a.yaml': true, [name]: true }, source)).toBe(false);
    expect(isPlain({ 'app/a.yaml': true, [`app/${name}`]: true }, { path: 'app' })).toBe(false);
    expect(isPlain({ 'a.yaml': true, [`deep/er/${name}`]: true }, { directory: { recurse: true } })).toBe(false);
  });

  it.each(['helm', 'kustomize', 'plugin'])('is none where the source says %s', (kind) => {
    expect(isPlain({ 'a.yaml': true }, { [kind]: {} })).toBe(false);
  });

  it('is none where the path is missing, leads out, or goes through a link', () => {
    for (const path of ['absent', '..', 'a.yaml', 'link', 'link/app'])
      expect(isPlain({ 'a.yaml': true, link: 'elsewhere' }, { path })).toBe(false);
  });

  it('is none where a chart was fetched', () => {
    expect(isPlain({}, { chart: 'web' }, { chart: { bytes: new Uint8Array(), id: '' } })).toBe(false);
  });
});
