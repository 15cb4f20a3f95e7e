import type { TreeReader } from './tree-reader.js';

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Whether a folder is one for Kustomize. */
export function isKustomization(reader: TreeReader, folder: string): boolean {
  return NAMES.some((name) => reader.kind(folder === '' ? name : `${folder}/${name}`) === 'file');
}
