import { readFileSync, statSync } from 'node:fs';
import { join, parse, relative, resolve, sep } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { Tree } from '../../model/formats/index.js';
import { folderTree, isInside, realPath, repositoryRoot } from './folder-tree.js';

export interface LocalFolder {
  readonly kind: 'folder';
  readonly tree: Tree;
  readonly path: string;
  /** A path of the tree as the user knows it. */
  readonly shown: (path: string) => string;
  /** The part of the tree that a program may be given, and the path there. */
  readonly exported: (path: string) => { readonly tree: Tree; readonly path: string };
}

/** A folder or chart archive on this machine, ready to be rendered. */
export type LocalSource =
  | LocalFolder
  | {
      readonly kind: 'archive';
      readonly bytes: Uint8Array;
      readonly path: string;
      readonly shown: (path: string) => string;
    };

/**
 * Opens what the user names. Paths may lead anywhere inside the git repository around it, or inside `root`; without
 * either, anywhere, as `kustomize build` allows it, while links must stay in the folder.
 */
export function openLocalSource(named: string, root?: string): LocalSource {
  const path = realPath(named);
  const facts = statSync(path);
  if (facts.isFile() && /\.(?:tgz|tar\.gz)$/.test(path))
    return { kind: 'archive', bytes: readFileSync(path), path: shorter(path), shown: (inside) => inside };
  if (!facts.isDirectory())
    throw new Fault('USAGE', `${named} is neither a folder nor a chart archive (.tgz)`, { where: 'PATH' });
  const top = root === undefined ? repositoryRoot(path) : realPath(root);
  const start = top ?? parse(path).root;
  if (!isInside(path, start)) throw new Fault('USAGE', `${named} is not inside ${root ?? start}`, { where: '--root' });
  const boundary = top ?? (isInside(path, realPath('.')) ? realPath('.') : path);
  return {
    kind: 'folder',
    tree: folderTree(start, { boundary }),
    path: relative(start, path).split(sep).join('/'),
    shown: (inside) => shorter(join(start, inside)),
    exported: (inside) => ({
      tree: folderTree(boundary, { limits: { fileBytes: MAX_EXPORTED_BYTES } }),
      path: relative(boundary, join(start, inside)).split(sep).join('/'),
    }),
  };
}

/** Programs are given all files, large ones too. */
const MAX_EXPORTED_BYTES = 256 * 1024 * 1024;

/** As seen from here, unless it is elsewhere. */
function shorter(path: string): string {
  const here = resolve('.');
  return isInside(path, here) ? relative(here, path) || '.' : path;
}

/** Faults name places of the tree; the user knows them by where they are on disk. */
export async function withDisplayPaths<T>(source: LocalSource, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Fault) || source.kind !== 'folder' || !isBelow(error.where, source.path)) throw error;
    throw new Fault(error.code, error.message, { where: source.shown(error.where), cause: error.cause });
  }
}

function isBelow(where: string, path: string): boolean {
  return where !== '' && (where.startsWith(`${path}/`) || where === path || path === '');
}
