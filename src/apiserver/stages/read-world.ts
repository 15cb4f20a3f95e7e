import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { isObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readStages } from './read-stage.js';
import { readSubresources } from './read-subresource.js';
import { readViews } from './read-view.js';
import type { Stage } from './stage.js';
import { checkNames } from './start-stages.js';
import type { PlayedSubresource } from './subresource.js';
import type { View } from './view.js';

/** One folder of world/controllers: everything that one third-party controller brings into a cluster. */
export interface WorldController {
  readonly name: string;
  readonly crds: readonly KubeObject[];
  /** What its installation brings; made where missing, then nobody's but the user's. */
  readonly objects: readonly KubeObject[];
  readonly stages: readonly Stage[];
  readonly views: readonly View[];
  readonly subresources: readonly PlayedSubresource[];
}

/** `crds.txt` names files with definitions that belong to somebody else, by their path from the folder. */
const FILES = [
  ...['crds.yaml', 'crds.txt', 'objects.yaml', 'stages.yaml', 'views.yaml', 'subresources.yaml'],
  ...['README.md', 'cases'],
];

/**
 * The controllers of a world folder (`DIRECTORY/controllers/NAME/`), all or those named, in the order of their names.
 */
export async function readWorld(directory: string, only?: readonly string[]): Promise<WorldController[]> {
  const home = join(directory, 'controllers');
  const names = await foldersIn(home);
  const missing = only?.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new Fault('USAGE', `the world has no controller ${JSON.stringify(missing)}; it has ${names.join(', ')}`, {
      where: home,
    });
  const wanted = only === undefined ? names : names.filter((name) => only.includes(name));
  const world = await Promise.all(wanted.map((name) => readController(home, name)));
  checkNames(world.flatMap(({ stages }) => stages));
  return world;
}

async function foldersIn(home: string): Promise<string[]> {
  try {
    return (await readdir(home, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    throw new Fault('USAGE', 'a world has a folder "controllers", and this one cannot be read', {
      where: home,
      cause: error,
    });
  }
}

async function readController(home: string, name: string): Promise<WorldController> {
  const folder = join(home, name);
  const files = await readdir(folder);
  const unknown = files.find((file) => !FILES.includes(file));
  if (unknown !== undefined)
    throw new Fault(
      'USAGE',
      `a controller of the world has ${FILES.join(', ')}; ${JSON.stringify(unknown)} is none of them`,
      { where: folder },
    );
  const text = (file: string): Promise<string> | string =>
    files.includes(file) ? readFile(join(folder, file), 'utf8') : '';
  return {
    name,
    crds: [
      ...objectsOf(await text('crds.yaml'), join(folder, 'crds.yaml')),
      ...(await borrowed(folder, await text('crds.txt'))),
    ],
    objects: objectsOf(await text('objects.yaml'), join(folder, 'objects.yaml')),
    stages: readStages(await text('stages.yaml'), join(folder, 'stages.yaml')),
    views: readViews(await text('views.yaml'), join(folder, 'views.yaml')),
    subresources: readSubresources(await text('subresources.yaml'), join(folder, 'subresources.yaml')),
  };
}

async function borrowed(folder: string, list: string): Promise<KubeObject[]> {
  const files = list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => join(folder, line));
  return (await Promise.all(files.map(async (file) => objectsOf(await readFile(file, 'utf8'), file)))).flat();
}

function objectsOf(text: string, file: string): KubeObject[] {
  const objects: KubeObject[] = [];
  for (const { value } of readYaml(text, { dialect: 'kubernetes', file, duplicates: 'error' })) {
    if (value === null) continue;
    const metadata = isObject(value) ? value.metadata : undefined;
    if (
      !isObject(value) ||
      !isObject(metadata) ||
      typeof value.apiVersion !== 'string' ||
      typeof value.kind !== 'string' ||
      typeof metadata['name'] !== 'string'
    ) {
      throw new Fault('USAGE', 'a document has no apiVersion, kind or metadata.name', { where: file });
    }
    objects.push({ ...value, apiVersion: value.apiVersion, kind: value.kind, metadata });
  }
  return objects;
}
