import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { Tree } from '../../src/model/formats/index.js';
import { folderTree } from './folder-tree.js';
import { buildOurs, compare } from './kustomize/compare.js';
import { listOverlays } from './kustomize/overlays.js';
import { randomOverlay } from './kustomize/random-overlay.js';
import { RealKustomize } from './kustomize/real-kustomize.js';

/** Some that use much each; `npm run prove -- kustomize-overlays` compares all of them. */
const OVERLAYS = [
  'cluster-api/core/config/default',
  'cluster-api/controlplane/kubeadm/config/default',
  'cluster-api/bootstrap/kubeadm/config/default',
  'argo-cd/manifests/cluster-install',
  'argo-cd/manifests/ha/namespace-install',
  'argo-cd/manifests/core-install',
  'argo-cd/manifests/cluster-install-with-hydrator',
  'argo-rollouts/manifests/cluster-install',
  'argo-rollouts/manifests/namespace-install',
  'training-operator/manifests/overlays/kubeflow',
];
const RANDOM = 30;

const kustomize = await RealKustomize.open();
const listed = await listOverlays();
const overlaysMissing = listed.kind === 'missing' ? `skipped: overlays (${listed.reason})` : undefined;
const absent = typeof kustomize === 'string' ? kustomize : overlaysMissing;

interface Case {
  readonly build: string;
  readonly files: ReadonlyMap<string, string>;
  /** Our words, where the real ones hold an address or a dump of Go's memory. */
  readonly says: string | undefined;
}

const trees = new Map<string, Tree>();

/** A module's folders are read once. */
function moduleTree(root: string): Tree {
  const tree = trees.get(root) ?? folderTree(root);
  trees.set(root, tree);
  return tree;
}

const CASES = join(import.meta.dirname, 'kustomize/cases');

function readCase(file: string): Case {
  const json = readOneYaml(readFileSync(join(CASES, file), 'utf8'), { dialect: 'kubernetes', file });
  if (!isObject(json) || !isObject(json.files)) throw new Error(`${file} must have files`);
  const files = new Map(Object.entries(json.files).map(([path, text]) => [path, String(text)]));
  return {
    build: typeof json.build === 'string' ? json.build : '',
    files,
    says: typeof json.says === 'string' ? json.says : undefined,
  };
}

describe('kustomizations are built byte by byte as kustomize 5.8.1 builds them', () => {
  if (typeof kustomize === 'string' || listed.kind === 'missing') {
    it.skip(absent ?? '', () => {
      /* the name says why */
    });
    return;
  }

  it.each(readdirSync(CASES).map((file) => [file.replace(/\.yaml$/, '').replaceAll('-', ' '), file] as const))(
    '%s',
    async (_, file) => {
      const { build, files, says } = readCase(file);
      await kustomize.buildFiles(files, build, (root, real) => {
        const { verdict, first, sameWords, ours } = compare(buildOurs(folderTree(root), build), real);
        expect(['equal', 'fails alike'], first).toContain(verdict);
        if (says !== undefined) expect(ours).toMatchObject({ error: says.trim() });
        else if (verdict === 'fails alike') expect(sameWords, first).toBe(true);
      });
    },
  );

  it.each(OVERLAYS)('%s', async (name) => {
    const overlay = listed.overlays.find(({ module, path }) => `${module}/${path}` === name);
    if (overlay === undefined) throw new Error(`${name} is not in its module`);
    const { verdict, first } = compare(
      buildOurs(moduleTree(overlay.root), overlay.path),
      await kustomize.buildModule(overlay.root, overlay.path),
    );
    expect(verdict, first).toBe('equal');
  });

  it.each(Array.from({ length: RANDOM }, (_, seed) => seed + 1))(
    'a kustomization made by chance, seed %i',
    async (seed) => {
      await kustomize.buildFiles(randomOverlay(seed), 'top', (root, real) => {
        const { verdict, first } = compare(buildOurs(folderTree(root), 'top'), real);
        expect(['equal', 'fails alike'], first).toContain(verdict);
      });
    },
  );
});
