import { RE2JS } from 're2js';
import type { AppProject, DestinationRule, KindRule } from './app-project.js';
import { matchesGlob, PathPattern, normalizeUrl } from '../formats/index.js';
import type { Key } from '../kubernetes/index.js';

/** A cluster as its Secret describes it, and a namespace in it. */
export interface ClusterDestination {
  readonly server: string;
  readonly name: string;
  readonly namespace: string;
  /** The Application named the cluster, so messages do too. */
  readonly isByName?: boolean;
  /** `project` of the cluster's Secret; empty for a cluster that is open to all projects. */
  readonly clusterProject?: string;
}

/** An object, as far as lists of kinds are concerned. */
export interface PlacedKind extends Key {
  readonly isNamespaced: boolean;
}

/** Why the project does not take sources from the repository; undefined where it does. */
export function findSourceViolation(project: AppProject, repoURL: string): string | undefined {
  const url = normalizeUrl(repoURL);
  let isAllowed = false;
  for (const rule of project.sourceRepos) {
    const pattern = isDeny(rule) ? `!${normalizeUrl(rule.slice(1))}` : normalizeUrl(rule);
    if (fits(pattern, url, '/')) isAllowed = true;
    else if (isDeny(pattern)) return refusal();
  }
  return isAllowed ? undefined : refusal();

  function refusal(): string {
    return `application repo ${repoURL} is not permitted in project '${project.name}'`;
  }
}

/** Why the project does not deliver to the destination; undefined where it does. */
export function findDestinationViolation(project: AppProject, destination: ClusterDestination): string | undefined {
  if (allows(project, destination)) return undefined;
  const cluster = destination.isByName === true ? destination.name : destination.server;
  return (
    `application destination server '${cluster}' and namespace '${destination.namespace}' do not match any of ` +
    `the allowed destinations in project '${project.name}'`
  );
}

/** Why the project does not let the object be delivered into the cluster; undefined where it does. */
export function findObjectViolation(
  project: AppProject,
  object: PlacedKind,
  cluster: Omit<ClusterDestination, 'namespace'>,
): string | undefined {
  if (!allowsKind(project, object))
    return `resource ${object.group}:${object.kind} is not permitted in project ${project.name}`;
  if (!object.isNamespaced || allows(project, { ...cluster, namespace: object.namespace })) return undefined;
  return `namespace ${object.namespace} is not permitted in project '${project.name}'`;
}

/** Why an Application may not belong to the project from where it stands; undefined where it may. */
export function findNamespaceViolation(
  project: AppProject,
  application: { readonly name: string; readonly namespace: string },
  controlNamespace: string,
): string | undefined {
  const { name, namespace } = application;
  if (namespace === '' || namespace === controlNamespace || matchesAny(project.sourceNamespaces, namespace))
    return undefined;
  return `application '${name}' in namespace '${namespace}' is not permitted to use project '${project.name}'`;
}

/**
 * An object that nobody manages and nobody misses: what every namespace has, or what the project says to leave alone.
 */
export function isIgnoredOrphan(project: AppProject, { group, kind, namespace, name }: Key): boolean {
  if (
    group === '' &&
    (`${kind}/${name}` === 'ServiceAccount/default' || `${kind}/${name}` === 'ConfigMap/kube-root-ca.crt')
  )
    return true;
  if (group === '' && `${kind}/${namespace}/${name}` === 'Service/default/kubernetes') return true;
  return (
    project.orphanedResources?.ignore.some(
      (rule) =>
        (rule.kind === '' || matchesGlob(rule.kind, kind)) &&
        matchesGlob(rule.group, group) &&
        (rule.name === '' || matchesGlob(rule.name, name)),
    ) ?? false
  );
}

function allows(project: AppProject, destination: ClusterDestination): boolean {
  if (!isAmongDestinations(project.destinations, destination)) return false;
  return !project.permitOnlyProjectScopedClusters || destination.clusterProject === project.name;
}

/** The order of the rules does not matter, but a rule with `!` that speaks of the destination ends it at once. */
function isAmongDestinations(
  rules: readonly DestinationRule[],
  { server, name, namespace }: ClusterDestination,
): boolean {
  let isAllowed = false;
  for (const rule of rules) {
    const fitsName = name !== '' && fits(rule.name, name);
    const fitsServer = server !== '' && fits(rule.server, server);
    const fitsNamespace = fits(rule.namespace, namespace);
    if ((fitsServer || fitsName) && fitsNamespace) isAllowed = true;
    else if ((!fitsName && isDeny(rule.name)) || (!fitsServer && isDeny(rule.server) && fitsNamespace)) return false;
    else if (!fitsNamespace && isDeny(rule.namespace) && fitsServer) return false;
  }
  return isAllowed;
}

function allowsKind(project: AppProject, object: PlacedKind): boolean {
  if (object.isNamespaced) {
    const { namespaceResourceWhitelist: allowed, namespaceResourceBlacklist: denied } = project;
    return (
      (allowed === undefined || isListed(allowed, { ...object, name: '' })) &&
      !isListed(denied, { ...object, name: '' })
    );
  }
  return isListed(project.clusterResourceWhitelist, object) && !isListed(project.clusterResourceBlacklist, object);
}

function isListed(
  rules: readonly KindRule[],
  { group, kind, name }: { readonly group: string; readonly kind: string; readonly name: string },
): boolean {
  return rules.some(
    (rule) =>
      matchesPath(rule.kind, kind) &&
      matchesPath(rule.group, group) &&
      (rule.name === '' || matchesPath(rule.name, name)),
  );
}

/** A pattern that cannot be read fits nothing. */
function matchesPath(pattern: string, text: string): boolean {
  if (pattern === '*') return !text.includes('/');
  try {
    return new PathPattern(pattern).matches(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

/** A pattern with `!` fits whatever the rest of it does not. */
function fits(pattern: string, text: string, separators = ''): boolean {
  if (isDeny(pattern)) return !matchesGlob(pattern.slice(1), text, separators);
  return pattern === '*' || matchesGlob(pattern, text, separators);
}

function isDeny(pattern: string): boolean {
  return pattern.startsWith('!');
}

/** Patterns, or expressions between slashes. */
function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some(
    (pattern) =>
      (pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/') && finds(pattern.slice(1, -1), text)) ||
      matchesGlob(pattern, text),
  );
}

function finds(expression: string, text: string): boolean {
  try {
    return RE2JS.compile(expression).test(text);
  } catch {
    // An expression of the user's that cannot be read fits nothing, as a pattern does.
    return false;
  }
}
