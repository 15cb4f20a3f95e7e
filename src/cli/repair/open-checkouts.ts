import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Checkout } from '../../control/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { folderTree, repositoryRoot } from '../local/index.js';
import { latestTrees } from './latest-trees.js';

/**
 * The repositories of the applications, as far as they are on this machine: named clones, those in a snapshot's folder,
 * and the one around us.
 */
export function openCheckouts(named: readonly string[], snapshots: readonly string[]): Checkout[] {
  const here = named.length === 0 && snapshots.length === 0 ? repositoryRoot('.') : undefined;
  return [
    ...named.flatMap(openNamed),
    ...snapshots.flatMap(openSnapshot),
    ...(here === undefined || originOf(here) === '' ? [] : [openClone(here, originOf(here))]),
  ];
}

/** `DIR`, which applications name as `file://DIR` or by the origin of the clone, or `URL=DIR`. */
function openNamed(text: string): Checkout[] {
  const at = text.lastIndexOf('=');
  const [url, folder] = at > 0 && !existsSync(text) ? [text.slice(0, at), text.slice(at + 1)] : ['', text];
  if (!existsSync(folder)) throw new Fault('FILE_UNREADABLE', `${folder} does not exist`, { where: '--repo' });
  if (url !== '') return [openClone(folder, url)];
  const addresses = [originOf(folder), ...(isRepository(folder) ? [pathToFileURL(resolve(folder)).href] : [])];
  const known = addresses.filter((address) => address !== '');
  if (known.length === 0)
    throw new Fault('USAGE', `${folder} is no git repository: name one, or write URL=DIR`, { where: '--repo' });
  return known.map((address) => openClone(folder, address));
}

/** With a work tree, or bare. */
function isRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || existsSync(join(folder, 'objects'));
}

function openClone(folder: string, url: string): Checkout {
  return {
    url,
    revision: '',
    folder,
    tree: folderTree(folder, { repository: url }),
    earlier: latestTrees(folder, 'HEAD', url).slice(1),
  };
}

/** The address of `origin` in the settings of a clone. */
function originOf(folder: string): string {
  const file = join(folder, '.git', 'config');
  if (!existsSync(file)) return '';
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim());
  const start = lines.indexOf('[remote "origin"]');
  const rest = start < 0 ? [] : lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('['));
  const url = rest.slice(0, end < 0 ? undefined : end).find((line) => /^url *=/.test(line));
  return url === undefined ? '' : url.slice(url.indexOf('=') + 1).trim();
}

/** A folder as fault worlds are written has the files of each branch beside its objects. */
function openSnapshot(folder: string): Checkout[] {
  const [manifest, git] = [join(folder, 'snapshot.yaml'), join(folder, 'git')];
  if (!existsSync(manifest) || !existsSync(git)) return [];
  const value = readOneYaml(readFileSync(manifest, 'utf8'), { dialect: 'kubernetes', file: manifest });
  const url = isObject(value) && typeof value.repository === 'string' ? value.repository : '';
  if (url === '') return [];
  const branches = readdirSync(git)
    .filter((name) => statSync(join(git, name)).isDirectory())
    .sort((a, b) => Number(b === 'main') - Number(a === 'main') || (a < b ? -1 : 1));
  return branches.map((revision) => ({
    url,
    revision,
    folder: join(git, revision),
    tree: folderTree(join(git, revision), { repository: url }),
  }));
}
