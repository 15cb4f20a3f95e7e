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

/**
 * An application that may be looked at: it can be read, and its project allows where it comes from and where it goes.
 */
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
    const objections = [
      ...(application.sources.length === 0
        ? ['spec.source and spec.sources are both missing: one of them must name a repository']
        : []),
      ...application.sources.flatMap((source) => sourceViolations(source, project)),
      findDestinationViolation(project, destination),
      findNamespaceViolation(project, application, controlNamespace),
    ].filter((objection) => objection !== undefined);
    return objections.length > 0
      ? rejected(objections)
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
  const objection = findSourceViolation(project, repoURL);
  return objection === undefined ? [] : [objection];
}

/** The project with what the global projects that match it add. */
export function effectiveProject(name: string, home: ControlPlaneCache): AppProject | undefined {
  const project = home.project(name);
  if (project === undefined) return undefined;
  const globals = home.settings.globalProjects.filter(({ selector }) =>
    matchesLabels(selector, project.object.metadata.labels ?? {}),
  );
  if (globals.length === 0) return project;
  const all = home.projects();
  return mergeGlobalProjects(
    project,
    globals.flatMap(({ name: global }) => all.filter((each) => each.name === global)),
  );
}

/** Why the project does not let an object be delivered; undefined where it does. */
export function violationIn(
  { project, destination }: Admitted,
  view: ClusterCache,
): (object: KubeObject) => string | undefined {
  return (object) => {
    const isNamespaced = view.kindOf(object)?.namespaced ?? true;
    const { group, kind } = gvkOf(object);
    return findObjectViolation(project, { ...keyOf(object), group, kind, isNamespaced }, destination);
  };
}

export function isReconcileSkipped({ metadata }: KubeObject): boolean {
  return /^(1|t|true)$/i.test(metadata.annotations?.['argocd.argoproj.io/skip-reconcile'] ?? '');
}

export function instanceName(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  controlNamespace: string,
): string {
  return namespace === controlNamespace ? name : `${namespace}_${name}`;
}
