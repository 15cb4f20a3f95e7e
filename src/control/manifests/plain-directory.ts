import { isObject, own } from '../../model/json/index.js';
import type { TreeFolder, TreeNode } from '../../model/formats/index.js';
import type { RenderRequest } from '../../render/index.js';

/** Names of files that make a folder something else than plain manifests. */
const SPECIAL = /^(Chart\.yaml|kustomization\.ya?ml|Kustomization|\.argocd-source.*\.yaml|.*\.jsonnet)$/;

/** Whether a source is nothing but YAML and JSON files: no chart, no kustomization, no program. */
export function isPlainDirectory({ source, tree, chart }: RenderRequest): boolean {
  if (chart !== undefined || ['helm', 'kustomize', 'plugin'].some((kind) => isObject(own(source, kind)))) return false;
  let folder: TreeFolder | undefined = tree.root;
  for (const name of (typeof source.path === 'string' ? source.path : '')
    .split('/')
    .filter((part) => part !== '' && part !== '.')) {
    const next: TreeNode | undefined = folder?.entries.get(name);
    folder = next?.kind === 'folder' ? next : undefined;
  }
  if (folder === undefined) return false;
  const settings = own(source, 'directory');
  return isPlain(folder, isObject(settings) && settings.recurse === true);
}

function isPlain(folder: TreeFolder, isDeep: boolean): boolean {
  for (const [name, entry] of folder.entries) {
    if (SPECIAL.test(name)) return false;
    if (isDeep && entry.kind === 'folder' && !isPlain(entry, true)) return false;
  }
  return true;
}
