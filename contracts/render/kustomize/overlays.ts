import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fetchModules, type ModuleName } from '../modules.js';

/** A folder with a kustomization, written by others. */
export interface Overlay {
  readonly module: ModuleName;
  /** The root of its module on disk. */
  readonly root: string;
  readonly path: string;
}

export const OVERLAY_MODULES: readonly ModuleName[] = ['cluster-api', 'argo-cd', 'argo-rollouts', 'training-operator'];
const FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Every overlay of the modules, or why this machine cannot have them. */
export async function listOverlays(): Promise<
  | { readonly kind: 'there'; readonly overlays: readonly Overlay[] }
  | { readonly kind: 'missing'; readonly reason: string }
> {
  const fetched = await fetchModules(OVERLAY_MODULES);
  if (fetched.kind === 'missing') return fetched;
  return {
    kind: 'there',
    overlays: OVERLAY_MODULES.flatMap((module) => inFolder(module, fetched.folder(module), fetched.folder(module))),
  };
}

function inFolder(module: ModuleName, root: string, folder: string): Overlay[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const here = entries.some((entry) => entry.isFile() && FILES.includes(entry.name))
    ? [{ module, root, path: relative(root, folder) }]
    : [];
  return [
    ...here,
    ...entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => inFolder(module, root, join(folder, name))),
  ];
}
