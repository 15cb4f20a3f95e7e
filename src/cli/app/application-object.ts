import { RE2JS } from 're2js';
import { Fault, isArray, isObject, matchesGlob, own, type Json, type JsonObject, type KubeObject } from '../../model/index.js';
import { readSettings, type AppSession } from './session.js';

export const APPLICATIONS = { group: 'argoproj.io', version: 'v1alpha1', kind: 'Application', plural: 'applications', namespaced: true };

export interface ApplicationId {
  readonly namespace: string;
  readonly name: string;
}

/** `name` or `namespace/name`. */
export function applicationId(text: string, { appNamespace, controlNamespace }: AppSession): ApplicationId {
  const parts = text.split('/');
  if (parts.length > 2 || parts.includes('')) throw new Fault('USAGE', `"${text}" is no name of an application: write NAME or NAMESPACE/NAME`);
  const [first = '', second] = parts;
  return second === undefined ? { namespace: appNamespace ?? controlNamespace, name: first } : { namespace: first, name: second };
}

export async function findApplication(session: AppSession, id: ApplicationId): Promise<KubeObject> {
  const found = await session.cluster.get(APPLICATIONS, id);
  if (found === undefined) throw new Fault('APPLICATION_UNKNOWN', `there is no application "${id.name}" in the namespace ${id.namespace}`, { where: session.cluster.server });
  return found;
}

/** Applications of the namespace asked for; without one, of every namespace where the settings allow applications. */
export async function listApplications(session: AppSession, selector?: string): Promise<KubeObject[]> {
  const { cluster, controlNamespace, appNamespace } = session;
  const labelSelector = selector === '' ? undefined : selector;
  if (appNamespace !== undefined) return (await cluster.list(APPLICATIONS, { namespace: appNamespace, labelSelector })).items;
  const others = ((await readSettings(session, 'argocd-cmd-params-cm'))['application.namespaces'] ?? '').split(',').map((each) => each.trim()).filter((each) => each !== '');
  if (others.length === 0) return (await cluster.list(APPLICATIONS, { namespace: controlNamespace, labelSelector })).items;
  const { items } = await cluster.list(APPLICATIONS, { labelSelector });
  return items.filter(({ metadata: { namespace = '' } }) => namespace === controlNamespace || others.some((pattern) => fits(pattern, namespace)));
}

/** A pattern with stars, or a regular expression between slashes. */
function fits(pattern: string, namespace: string): boolean {
  if (!/^\/.+\/$/.test(pattern)) return matchesGlob(pattern, namespace);
  return RE2JS.compile(pattern.slice(1, -1)).test(namespace);
}

/** Those that are named, or those that a selector or projects choose; nothing chosen is an error, as in Argo CD. */
export async function chooseApplications(session: AppSession, names: readonly string[], choice: { readonly selector?: string; readonly project?: readonly string[] }): Promise<ApplicationId[]> {
  const { selector = '', project = [] } = choice;
  const named = names.map((name) => applicationId(name, session));
  if (selector === '' && project.length === 0) {
    if (named.length === 0) throw new Fault('USAGE', 'name an application, or choose some with --selector');
    return named;
  }
  const found = (await listApplications(session, selector)).filter((application) => project.length === 0 || project.includes(projectOf(application)));
  if (found.length === 0) {
    throw new Fault('APPLICATION_UNKNOWN', `No matching apps found for filter:${selector === '' ? '' : ` selector ${selector}`}${project.length === 0 ? '' : ` projects [${project.join(' ')}]`}`);
  }
  return [...named, ...found.map(idOf)];
}

export function idOf({ metadata: { namespace = '', name = '' } }: KubeObject): ApplicationId {
  return { namespace, name };
}

export function qualifiedName({ namespace, name }: ApplicationId): string {
  return `${namespace}/${name}`;
}

export function projectOf(application: KubeObject): string {
  return textAt(application, 'spec', 'project') || 'default';
}

/** The address of the cluster, or its name. */
export function serverOf(application: KubeObject): string {
  return textAt(application, 'spec', 'destination', 'server') || textAt(application, 'spec', 'destination', 'name');
}

/** Whether the application is delivered to the cluster that it is kept in. */
export function isDeliveredHere(application: KubeObject): boolean {
  return ['https://kubernetes.default.svc', 'https://kubernetes.default.svc.cluster.local', 'in-cluster'].includes(serverOf(application));
}

export function sourcesOf(application: KubeObject): JsonObject[] {
  const hydrator = objectAt(application, 'spec', 'sourceHydrator');
  if (hydrator !== undefined) {
    const repoURL = textAt(hydrator, 'syncSource', 'repoURL') || textAt(hydrator, 'drySource', 'repoURL');
    return [{ repoURL, path: textAt(hydrator, 'syncSource', 'path'), targetRevision: textAt(hydrator, 'syncSource', 'targetBranch') }];
  }
  const many = listAt(application, 'spec', 'sources');
  const one = objectAt(application, 'spec', 'source');
  return many.length > 0 ? many : one === undefined ? [] : [one];
}

export function hasManySources(application: KubeObject): boolean {
  return objectAt(application, 'spec', 'sourceHydrator') === undefined && listAt(application, 'spec', 'sources').length > 0;
}

export function isAutomated(application: KubeObject): boolean {
  const automated = objectAt(application, 'spec', 'syncPolicy', 'automated');
  return automated !== undefined && automated.enabled !== false;
}

export function valueAt(object: JsonObject, ...path: readonly string[]): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path) value = isObject(value) ? own(value, name) : undefined;
  return value;
}

export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : '';
}

export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  const value = valueAt(object, ...path);
  return isObject(value) ? value : undefined;
}

export function listAt(object: JsonObject, ...path: readonly string[]): JsonObject[] {
  const value = valueAt(object, ...path);
  return isArray(value) ? value.filter(isObject) : [];
}

export function textsAt(object: JsonObject, ...path: readonly string[]): string[] {
  const value = valueAt(object, ...path);
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
