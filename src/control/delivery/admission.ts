import { Fault } from '../../model/faults/index.js';
import {
  mergeGlobalProjects,
  findDestinationViolation,
  findNamespaceViolation,
  findObjectViolation,
  findSourceViolation,
  parseApplication,
  type Application,
  type AppProject,
  type ClusterDestination,
} from '../../model/argo/index.js';
import { gvkOf, matchesLabels, keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import type { KnownCluster, ClusterCache, ControlPlaneCache } from '../cache/index.js';
import type { Condition } from '../comparison/index.js';
import type { ReconcileContext } from './reconcile-context.js';

/** An application whose spec is valid and whose project allows its sources and its destination. */
export interface Admitted {
  readonly application: Application;
  readonly project: AppProject;
  readonly cluster: KnownCluster;
  readonly destination: ClusterDestination;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly admitted: Admitted }
  | { readonly kind: 'refused'; readonly conditions: readonly Condition[] };

type AdmissionContext = Pick<ReconcileContext, 'controlPlane' | 'clusters' | 'controlNamespace'>;

/** Whether the application can be read and its project allows it. */
export function admitApplication(
  object: KubeObject,
  { controlPlane, clusters, controlNamespace }: AdmissionContext,
): Admission {
  try {
    const application = parseApplication(object);
    const project = effectiveProject(application.project, controlPlane);
    if (project === undefined)
      return rejected([`Application referencing project ${application.project} which does not exist`]);
    const cluster = clusters.find(application.destination);
    const destination: ClusterDestination = {
      server: cluster.server,
      name: cluster.name,
      namespace: application.destination.namespace,
      isByName: application.destination.server === '',
      clusterProject: cluster.project,
    };
    const violations = [
      ...(application.sources.length === 0
        ? ['spec.source and spec.sources are both missing: one of them must name a repository']
        : []),
      ...application.sources.flatMap((source) => sourceViolations(source, project)),
      findDestinationViolation(project, destination),
      findNamespaceViolation(project, application, controlNamespace),
    ].filter((violation) => violation !== undefined);
    return violations.length > 0
      ? rejected(violations)
      : { kind: 'admitted', admitted: { application, project, cluster, destination } };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return rejected([error.message]);
  }
}

function rejected(messages: readonly string[]): Admission {
  return { kind: 'refused', conditions: messages.map((message) => ({ type: 'InvalidSpecError', message })) };
}

function sourceViolations(source: Readonly<Record<string, unknown>>, project: AppProject): string[] {
  const { repoURL } = source;
  if (typeof repoURL !== 'string' || repoURL === '') return ['spec.source.repoURL is missing'];
  const violation = findSourceViolation(project, repoURL);
  return violation === undefined ? [] : [violation];
}

/** The project, merged with the global projects that match it. */
export function effectiveProject(name: string, controlPlane: ControlPlaneCache): AppProject | undefined {
  const project = controlPlane.project(name);
  if (project === undefined) return undefined;
  const globals = controlPlane.settings.globalProjects.filter(({ selector }) =>
    matchesLabels(selector, project.object.metadata.labels ?? {}),
  );
  if (globals.length === 0) return project;
  const all = controlPlane.projects();
  return mergeGlobalProjects(
    project,
    globals.flatMap(({ name: global }) => all.filter((each) => each.name === global)),
  );
}

/** Why the project does not allow an object; undefined if it does. */
export function violationIn(
  { project, destination }: Admitted,
  clusterCache: ClusterCache,
): (object: KubeObject) => string | undefined {
  return (object) => {
    const isNamespaced = clusterCache.kindOf(object)?.namespaced ?? true;
    const { group, kind } = gvkOf(object);
    return findObjectViolation(project, { ...keyOf(object), group, kind, isNamespaced }, destination);
  };
}

export function instanceName(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  controlNamespace: string,
): string {
  return namespace === controlNamespace ? name : `${namespace}_${name}`;
}
