import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Cluster, ClusterError, systemClock } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { nameOf, type KubeObject } from '../../model/kubernetes/index.js';
import { CRDS } from '../../model/resources/index.js';

/** Long enough for a slow machine. */
const ESTABLISHED_WITHIN_SECONDS = 120;
/** Milliseconds until the next watch if one ends early. */
const WATCH_RETRY_DELAY = 100;

/** Every definition in the YAML files of a folder, or in those named. */
export async function readCrds(folder: string, files?: readonly string[]): Promise<KubeObject[]> {
  const crds: KubeObject[] = [];
  for (const name of files ?? (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()) {
    const file = join(folder, name);
    for (const { value } of readYaml(await readFile(file, 'utf8'), {
      dialect: 'kubernetes',
      file,
      duplicates: 'error',
    })) {
      const metadata = isObject(value) ? value.metadata : undefined;
      if (!isObject(value) || !isObject(metadata) || value.kind !== CRDS.kind || typeof value.apiVersion !== 'string')
        throw new Fault('MANIFEST_INVALID', 'not a CustomResourceDefinition', { where: file });
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

/** Whether the cluster serves all our kinds already. Reads the API groups, since the definitions are large. */
export async function servesOurKinds(cluster: Cluster): Promise<boolean> {
  const answers = await Promise.all(OURS.map(([groupVersion, plurals]) => serves(cluster, groupVersion, plurals)));
  return answers.every((isServed) => isServed);
}

async function serves(cluster: Cluster, groupVersion: string, plurals: readonly string[]): Promise<boolean> {
  try {
    const group = await cluster.document(`/apis/${groupVersion}`);
    const served =
      isObject(group) && isArray(group.resources)
        ? group.resources.map((resource) => (isObject(resource) ? resource.name : undefined))
        : [];
    return plurals.every((plural) => served.includes(plural));
  } catch (error) {
    if (error instanceof ClusterError && error.isNotFound) return false;
    throw error;
  }
}

/**
 * Creates missing definitions and waits until all are served; returns the names of those created. An existing one is
 * not changed: its installer decides about its schema.
 */
export async function installCrds(
  cluster: Cluster,
  crds: readonly KubeObject[],
  clock: Clock = systemClock,
): Promise<string[]> {
  const created = await Promise.all(crds.map((crd) => createAbsent(cluster, crd)));
  await awaitEstablished(cluster, crds.map(nameOf), clock);
  return created.filter((name) => name !== undefined);
}

async function createAbsent(cluster: Cluster, crd: KubeObject): Promise<string | undefined> {
  const name = nameOf(crd);
  // Read first: the account may have permission to read definitions only.
  if ((await cluster.get(CRDS, { name })) !== undefined) return undefined;
  try {
    await cluster.create(CRDS, crd);
    return name;
  } catch (error) {
    if (error instanceof ClusterError && error.isAlreadyExists) return undefined;
    throw error;
  }
}

async function awaitEstablished(cluster: Cluster, names: readonly string[], clock: Clock): Promise<void> {
  const until = clock.steady() + ESTABLISHED_WITHIN_SECONDS * 1000;
  for (;;) {
    const { items, resourceVersion } = await cluster.list(CRDS);
    const found = new Map(items.map((crd) => [nameOf(crd), crd]));
    const waiting = new Set(names.filter((name) => !isEstablished(found.get(name), cluster.server)));
    if (waiting.size === 0) return;
    const seconds = Math.ceil((until - clock.steady()) / 1000);
    if (seconds <= 0)
      throw establishTimeout(
        [...waiting].map((name) => `${name} (${stateText(found.get(name))})`),
        cluster.server,
      );
    await watchUntilEstablished(cluster, waiting, { resourceVersion, seconds });
    if (waiting.size > 0) await new Promise<void>((resolve) => void clock.after(WATCH_RETRY_DELAY, resolve));
  }
}

/** A server may end the stream early, for example while its caches start: the caller lists again. */
async function watchUntilEstablished(
  cluster: Cluster,
  waiting: Set<string>,
  options: { readonly resourceVersion: string; readonly seconds: number },
): Promise<void> {
  const stop = new AbortController();
  const errors: unknown[] = [];
  try {
    await cluster.watch(
      CRDS,
      options,
      {
        event: (event) => {
          if (event.type !== 'ADDED' && event.type !== 'MODIFIED') return;
          try {
            if (isEstablished(event.object, cluster.server)) waiting.delete(nameOf(event.object));
          } catch (error) {
            if (waiting.has(nameOf(event.object))) errors.push(error);
          }
          if (waiting.size === 0 || errors.length > 0) stop.abort();
        },
      },
      stop.signal,
    );
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  if (errors.length > 0) throw errors[0];
}

/** A Fault if it never will be: another definition has the same names. */
function isEstablished(crd: KubeObject | undefined, server: string): boolean {
  const status = isObject(crd?.status) ? crd.status : {};
  const conditions = isArray(status.conditions) ? status.conditions.filter(isObject) : [];
  const names = conditions.find(({ type }) => type === 'NamesAccepted');
  const established = conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');
  if (crd !== undefined && !established && names?.status === 'False')
    throw new Fault('CLUSTER_REFUSED', `the definition ${nameOf(crd)} is not served: ${String(names.message)}`, {
      where: server,
    });
  return established;
}

function stateText(crd: KubeObject | undefined): string {
  if (crd === undefined) return 'it is gone';
  const conditions =
    isObject(crd.status) && isArray(crd.status.conditions) ? crd.status.conditions.filter(isObject) : [];
  return conditions.length === 0
    ? 'no conditions yet'
    : conditions.map(({ type, status, reason }) => `${String(type)}=${String(status)} ${String(reason)}`).join(', ');
}

function establishTimeout(waiting: readonly string[], server: string): Fault {
  return new Fault('CLUSTER_REFUSED', `not served within ${ESTABLISHED_WITHIN_SECONDS} s: ${waiting.join(', ')}`, {
    where: server,
  });
}
