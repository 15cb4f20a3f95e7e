import { findDestinationViolation, findSourceViolation, type AppProject } from '../../model/argo/index.js';
import { matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { IN_CLUSTER, IN_CLUSTER_NAME } from '../cache/index.js';
import { effectiveProject, type ReconcileContext } from '../delivery/index.js';

/** The AppProjects of the control plane's namespace. */
export class ProjectService {
  readonly #context: ReconcileContext;

  constructor(context: ReconcileContext) {
    this.#context = context;
  }

  find(name: string): AppProject | undefined {
    return this.#context.controlPlane.project(name);
  }

  /** As it is stored; the same object until it changes. */
  findObject(name: string): KubeObject | undefined {
    return this.#context.controlPlane.projectObject(name);
  }

  objects(): KubeObject[] {
    return this.#context.controlPlane.projects().map(({ object }) => object);
  }

  /** Puts the server's answer to a write into the cache, so that the next read sees it. */
  recordWrite(project: KubeObject): void {
    this.#context.controlPlane.recordProjectWrite(project);
  }

  /** The global projects whose rules apply to this one too. */
  globalProjectsOf({ metadata: { labels = {} } }: KubeObject): KubeObject[] {
    const names = this.#context.controlPlane.settings.globalProjects
      .filter(({ selector }) => matchesLabels(selector, labels))
      .map(({ name }) => name);
    return this.objects().filter(({ metadata }) => names.includes(metadata.name ?? ''));
  }

  /** Whether applications of a project may deliver to a namespace of the control plane's cluster. */
  permitsNamespace(project: string, namespace: string): boolean {
    const found = effectiveProject(project, this.#context.controlPlane);
    const here = { server: IN_CLUSTER, name: IN_CLUSTER_NAME, namespace };
    return found !== undefined && findDestinationViolation(found, here) === undefined;
  }

  /** Whether applications of a project may use a repository. */
  permitsRepository(project: string, url: string): boolean {
    const found = effectiveProject(project, this.#context.controlPlane);
    return found !== undefined && findSourceViolation(found, url) === undefined;
  }
}
