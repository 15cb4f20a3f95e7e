import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClusterError, type Cluster, type ResourceRef } from '../cluster/index.js';
import { Fault, isArray, isObject, readYaml, type KubeObject } from '../model/index.js';

const CRDS: ResourceRef = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', plural: 'customresourcedefinitions', namespaced: false };
/** The server ends each watch after so long: a definition that is not served by then never will be. */
const ESTABLISHED_WITHIN_SECONDS = 30;
/** A stream that is cut is opened again, not for ever. */
const MOST_WATCHES = 5;

/** Every definition in the YAML files of a folder, or in those named. */
export async function readCrds(folder: string, files?: readonly string[]): Promise<KubeObject[]> {
  const crds: KubeObject[] = [];
  for (const name of files ?? (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()) {
    const file = join(folder, name);
    for (const { value } of readYaml(await readFile(file, 'utf8'), { dialect: 'kubernetes', file, duplicates: 'error' })) {
      const metadata = isObject(value) ? value.metadata : undefined;
      if (!isObject(value) || !isObject(metadata) || value.kind !== CRDS.kind || typeof value.apiVersion !== 'string') throw new Fault('MANIFEST_INVALID', 'a document is no CustomResourceDefinition', { where: file });
      crds.push({ ...value, apiVersion: value.apiVersion, kind: CRDS.kind, metadata });
    }
  }
  return crds;
}

const OURS: readonly (readonly [groupVersion: string, plurals: readonly string[]])[] = [
  ['argoproj.io/v1alpha1', ['applications', 'applicationsets', 'appprojects']],
  ['argoproj.io/v1beta1', ['argocds']],
  ['mlops.mlops.dev/v1alpha1', ['notebookvalidationjobs']],
];

/** Whether the cluster serves all our kinds already, told by short answers: the definitions themselves are long. */
export async function servesOurKinds(cluster: Cluster): Promise<boolean> {
  const answers = await Promise.all(OURS.map(([groupVersion, plurals]) => serves(cluster, groupVersion, plurals)));
  return answers.every((isServed) => isServed);
}

async function serves(cluster: Cluster, groupVersion: string, plurals: readonly string[]): Promise<boolean> {
  try {
    const group = await cluster.document(`/apis/${groupVersion}`);
    const served = isObject(group) && isArray(group.resources) ? group.resources.map((resource) => (isObject(resource) ? resource.name : undefined)) : [];
    return plurals.every((plural) => served.includes(plural));
  } catch (error) {
    if (error instanceof ClusterError && error.isNotFound) return false;
    throw error;
  }
}

/**
 * Creates the definitions that the cluster does not have and waits until every one is served; gives the names of those created.
 * One that is there already stays as it is: whoever installed it decides about its schema.
 */
export async function installCrds(cluster: Cluster, crds: readonly KubeObject[]): Promise<string[]> {
  const created = await Promise.all(crds.map((crd) => createAbsent(cluster, crd)));
  await awaitEstablished(cluster, crds.map(nameOf));
  return created.filter((name) => name !== undefined);
}

async function createAbsent(cluster: Cluster, crd: KubeObject): Promise<string | undefined> {
  const name = nameOf(crd);
  // Asking first also serves those who may read definitions and not write them.
  if (await cluster.get(CRDS, { name }) !== undefined) return undefined;
  try {
    await cluster.create(CRDS, crd);
    return name;
  } catch (error) {
    if (error instanceof ClusterError && error.isAlreadyExists) return undefined;
    throw error;
  }
}

async function awaitEstablished(cluster: Cluster, names: readonly string[]): Promise<void> {
  for (let watches = 0; ; watches += 1) {
    const { items, resourceVersion } = await cluster.list(CRDS);
    const found = new Map(items.map((crd) => [nameOf(crd), crd]));
    const waiting = new Set(names.filter((name) => !isEstablished(found.get(name), cluster.server)));
    if (waiting.size === 0) return;
    if (watches === MOST_WATCHES) throw slow(waiting, cluster.server);
    const ending = await watchUntilEstablished(cluster, waiting, resourceVersion);
    if (ending === 'time is up') throw slow(waiting, cluster.server);
  }
}

async function watchUntilEstablished(cluster: Cluster, waiting: Set<string>, resourceVersion: string): Promise<'look again' | 'time is up'> {
  const stop = new AbortController();
  const refusals: unknown[] = [];
  try {
    const end = await cluster.watch(CRDS, { resourceVersion, seconds: ESTABLISHED_WITHIN_SECONDS }, {
      event: (event) => {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') return;
        try {
          if (isEstablished(event.object, cluster.server)) waiting.delete(nameOf(event.object));
        } catch (error) {
          if (waiting.has(nameOf(event.object))) refusals.push(error);
        }
        if (waiting.size === 0 || refusals.length > 0) stop.abort();
      },
    }, stop.signal);
    if (end.kind === 'ended' && waiting.size > 0) return 'time is up';
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  if (refusals.length > 0) throw refusals[0];
  return 'look again';
}

/** A fault where it never will be: another definition has its names. */
function isEstablished(crd: KubeObject | undefined, server: string): boolean {
  const status = isObject(crd?.status) ? crd.status : {};
  const conditions = isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  const names = conditions.find(({ type }) => type === 'NamesAccepted');
  const established = conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');
  if (crd !== undefined && !established && names?.status === 'False') throw new Fault('CLUSTER_REFUSED', `the definition ${nameOf(crd)} is not served: ${String(names.message)}`, { where: server });
  return established;
}

function slow(waiting: ReadonlySet<string>, server: string): Fault {
  return new Fault('CLUSTER_REFUSED', `not served within ${ESTABLISHED_WITHIN_SECONDS} s: ${[...waiting].join(', ')}; see the conditions of these definitions`, { where: server });
}

function nameOf(crd: KubeObject): string {
  return crd.metadata.name ?? '';
}
