import type { Tree, TreeFolder } from '../../model/formats/index.js';
import { isKustomization } from './render-kustomization.js';
import type { SourceType } from './render-request.js';
import { TreeReader } from '../common/index.js';

const MAX_FOUND = 10_000;

export interface FoundApplication {
  /** `.` for the root. */
  readonly path: string;
  readonly type: SourceType;
}

/** The folders of a tree that a chart or a kustomization makes into something to deliver. Links are not followed. */
export function findApplications(tree: Tree): FoundApplication[] {
  const reader = new TreeReader(tree);
  const found: FoundApplication[] = [];
  const visit = (folder: TreeFolder, path: string): void => {
    if (found.length >= MAX_FOUND) return;
    const shown = path === '' ? '.' : path;
    if (folder.entries.get('Chart.yaml')?.kind === 'file') found.push({ path: shown, type: 'Helm' });
    else if (isKustomization(reader, path)) found.push({ path: shown, type: 'Kustomize' });
    for (const [name, node] of folder.entries)
      if (node.kind === 'folder') visit(node, path === '' ? name : `${path}/${name}`);
  };
  visit(tree.root, '');
  return found;
}
