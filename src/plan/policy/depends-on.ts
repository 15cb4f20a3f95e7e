import { isObject } from '../../model/json/index.js';
import type { Application } from '../../model/argo/index.js';
import { annotationOf } from '../sync/index.js';
import { areSame, areSameSources } from './same-sources.js';

/** `[namespace/]name` of Applications, with commas: they must be Synced and Healthy before this one is synced. */
export const DEPENDS_ON = 'argosy.dev/depends-on';

export interface ApplicationName {
  readonly namespace: string;
  readonly name: string;
}

/** Finds an Application by its name. */
export type FindApplication = (name: ApplicationName) => Application | undefined;

export type DependencyState =
  | { readonly kind: 'ready' }
  /** `message` says for which applications, and why each is not ready. */
  | { readonly kind: 'waits'; readonly applications: readonly ApplicationName[]; readonly message: string }
  /** Nothing will ever become ready, or the annotation cannot be read. */
  | { readonly kind: 'broken'; readonly condition: { readonly type: 'SyncError'; readonly message: string } };

/** The Applications that one names, in its own namespace unless it says otherwise; and words that are no names. */
export function dependsOn(application: Application): {
  readonly names: readonly ApplicationName[];
  readonly wrong: readonly string[];
} {
  const words = (annotationOf(application.object, DEPENDS_ON) ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const names = new Map<string, ApplicationName>();
  const wrong: string[] = [];
  for (const word of words) {
    const [, namespace = application.namespace, name] = /^(?:([^/\s]+)\/)?([^/\s]+)$/.exec(word) ?? [];
    if (name === undefined) wrong.push(word);
    else names.set(`${namespace}/${name}`, { namespace, name });
  }
  return { names: [...names.values()], wrong };
}

/** Whether everything that the application depends on is ready. Applications that do not exist are waited for. */
export function checkDependencies(application: Application, find: FindApplication): DependencyState {
  const { names, wrong } = dependsOn(application);
  const [badWord] = wrong;
  if (badWord !== undefined)
    return broken(`${DEPENDS_ON} has ${JSON.stringify(badWord)}, which is no [namespace/]name of an Application`);
  if (names.length === 0) return { kind: 'ready' };
  const cycle = findDependencyCycle(application, find);
  if (cycle !== undefined)
    return broken(
      `${DEPENDS_ON} goes in a circle: ${cycle.map((name) => formatName(name, application)).join(' -> ')}. ` +
        'Remove one of these dependencies',
    );
  const waits = names.flatMap((name) => {
    const why = notReadyReason(find(name));
    return why === undefined ? [] : [{ name, why }];
  });
  if (waits.length === 0) return { kind: 'ready' };
  const message =
    'waiting for ' + waits.map(({ name, why }) => `application ${formatName(name, application)} (${why})`).join(', ');
  return { kind: 'waits', applications: waits.map(({ name }) => name), message };
}

/** The first circle that one gets into by following dependencies, with the same name at both ends. */
export function findDependencyCycle(application: Application, find: FindApplication): ApplicationName[] | undefined {
  const done = new Set<string>();
  const path: { readonly name: ApplicationName; readonly id: string; readonly next: ApplicationName[] }[] = [];
  const places = new Map<string, number>();
  const enter = (name: ApplicationName, found: Application | undefined): void => {
    const id = idOf(name);
    places.set(id, path.length);
    path.push({ name, id, next: found === undefined ? [] : [...dependsOn(found).names].reverse() });
  };
  enter({ namespace: application.namespace, name: application.name }, application);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const name = top.next.pop();
    if (name === undefined) {
      done.add(top.id);
      places.delete(top.id);
      path.pop();
      continue;
    }
    const start = places.get(idOf(name));
    if (start !== undefined) return [...path.slice(start).map((step) => step.name), name];
    if (!done.has(idOf(name))) enter(name, find(name));
  }
  return undefined;
}

/** Why the Application is not ready as it is specified now; undefined where it is. */
function notReadyReason(application: Application | undefined): string | undefined {
  if (application === undefined) return 'does not exist';
  if (application.object.metadata.deletionTimestamp !== undefined) return 'is being deleted';
  const { operation, operationState: state, syncStatus, healthStatus } = application;
  if (operation !== undefined || state?.phase === 'Running' || state?.phase === 'Terminating') return 'is being synced';
  if (!isComparedAsSpecified(application)) return 'was not compared yet as it is specified now';
  if (syncStatus !== 'Synced') return syncStatus ?? 'Unknown';
  return healthStatus === 'Healthy' ? undefined : (healthStatus ?? 'Unknown');
}

/** A verdict from before the last change of its spec says nothing. */
function isComparedAsSpecified({ object, sources, hasManySources }: Application): boolean {
  const [spec, status] = [isObject(object.spec) ? object.spec : {}, isObject(object.status) ? object.status : {}];
  const compared = isObject(status.sync) && isObject(status.sync.comparedTo) ? status.sync.comparedTo : undefined;
  if (compared === undefined) return false;
  const many = Array.isArray(compared.sources) ? compared.sources : [];
  const from = (hasManySources ? many : [compared.source]).filter(isObject);
  return (
    areSameSources(sources, from) &&
    areSame(spec.destination, compared.destination) &&
    areSame(spec.ignoreDifferences ?? [], compared.ignoreDifferences ?? [])
  );
}

function idOf({ namespace, name }: ApplicationName): string {
  return `${namespace}/${name}`;
}

function formatName(name: ApplicationName, { namespace }: Application): string {
  return name.namespace === namespace ? name.name : idOf(name);
}

function broken(message: string): DependencyState {
  return { kind: 'broken', condition: { type: 'SyncError', message } };
}
