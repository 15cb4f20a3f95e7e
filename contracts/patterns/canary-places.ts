import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Cluster, ClusterError } from '../../src/cluster/index.js';
import { isArray, isObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { CanaryScan } from './canary.js';
import type { CanaryLab } from './canary-lab.js';
import { PODS, type ResourceRef } from '../../src/model/resources/index.js';

/** Where a value may be: the data of these Secrets, and the object that it came from. */
export interface AllowedPlaces {
  /** `namespace/name` of Secrets; the rest of each, such as its annotations, may not have it. */
  readonly secrets: readonly string[];
  /** `namespace/name` of the Gitea that says its password in its status. */
  readonly gitea: string;
}

const DOCUMENTS = ['/metrics', '/version', '/readyz?verbose', '/openapi/v2', '/openapi/v3', '/apis'];

/** Every place where a canary is and may not be, as lines. */
export async function findCanaries(lab: CanaryLab, scan: CanaryScan, homes: AllowedPlaces): Promise<string[]> {
  const { server, controller, printed, eyes } = lab;
  lab.eyes.inspect();
  const found = [
    ...filesIn(server.folder, scan, 'server:', server.store),
    ...filesIn(controller.options.dir, scan, 'controller:'),
    ...[...lab.versions].flatMap(([version, text]) => scan.lines(`version of ${version.split(' at ')[0] ?? ''}`, text)),
    ...printed.flatMap(({ words, text }) => scan.lines(`argosy ${words}`, text)),
    ...[...eyes.captured].flatMap((process) =>
      scan.lines(`process ${process.split('\n')[0]?.slice(0, 25) ?? ''}`, process),
    ),
    ...(await objectsOf(lab.cluster, scan, homes)),
    ...(await logsOf(lab.cluster, scan)),
    ...(await documentsOf(lab.cluster, scan)),
  ];
  return [...new Set(found)].sort();
}

/** Logs, the audit log, mirrors, caches, keys and whatever else they keep, except the store itself. */
function filesIn(folder: string, scan: CanaryScan, name: string, store?: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const place = relative(folder, path);
      return place.split('/')[0] === store ? [] : scan.lines(`${name}${place}`, read(path));
    });
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    // A file of one call, gone with it.
    return Buffer.alloc(0);
  }
}

/** All objects of all kinds, as objects and as tables. */
async function objectsOf(cluster: Cluster, scan: CanaryScan, homes: AllowedPlaces): Promise<string[]> {
  const { kinds } = await cluster.discover();
  const found: string[] = [];
  for (const kind of kinds.filter(({ verbs }) => verbs.includes('list'))) {
    const { items } = await cluster.list(kind);
    for (const object of items)
      found.push(...scan.lines(`${kind.kind} ${placeOf(object)}`, JSON.stringify(withoutAllowed(object, kind, homes))));
    if (items.length > 0)
      found.push(...scan.lines(`table of ${kind.plural}`, JSON.stringify(await cluster.table(kind))));
  }
  return found;
}

function withoutAllowed(
  object: KubeObject,
  { group, kind }: ResourceRef,
  { secrets, gitea }: AllowedPlaces,
): KubeObject {
  if (group === '' && kind === 'Secret' && secrets.includes(placeOf(object))) return { ...object, data: {} };
  if (kind !== 'Gitea' || gitea !== placeOf(object) || !isObject(object.status)) return object;
  const { adminPassword: _, ...status } = object.status;
  return { ...object, status };
}

function placeOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

async function logsOf(cluster: Cluster, scan: CanaryScan): Promise<string[]> {
  const found: string[] = [];
  for (const pod of (await cluster.list(PODS)).items) {
    const {
      metadata: { namespace = '', name = '' },
      spec,
    } = pod;
    const containers = isObject(spec)
      ? [spec.initContainers, spec.containers].flatMap((list) => (isArray(list) ? list.filter(isObject) : []))
      : [];
    for (const container of containers)
      found.push(
        ...scan.lines(
          `log of ${placeOf(pod)}`,
          await textOf(cluster, `/api/v1/namespaces/${namespace}/pods/${name}/log?container=${String(container.name)}`),
        ),
      );
  }
  return found;
}

async function documentsOf(cluster: Cluster, scan: CanaryScan): Promise<string[]> {
  const found: string[] = [];
  for (const path of DOCUMENTS) found.push(...scan.lines(path, await textOf(cluster, path)));
  return found;
}

/** A refusal is an answer too. */
async function textOf(cluster: Cluster, path: string): Promise<string> {
  try {
    return await cluster.text(path);
  } catch (error) {
    if (error instanceof ClusterError) return error.message;
    throw error;
  }
}
