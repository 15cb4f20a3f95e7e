import type { Change } from '../../cluster/index.js';
import { findNamespaceViolation, parseApplication, projectOf, type ApplicationId } from '../../model/argo/index.js';
import { Fault } from '../../model/faults/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import { compareText } from '../../model/go/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';
import { admitApplication, effectiveProject, type Admitted, type ReconcileContext } from '../delivery/index.js';
import { generateSet, type GenerateOptions } from '../generators/index.js';
import type { ChangeFeed } from './change-feed.js';
import { changeApplication } from './operations.js';

const REFRESH = 'argocd.argoproj.io/refresh';

/**
 * The Applications of the control plane's namespace and of those that `application.namespaces` allows. Reads come from
 * the watch cache.
 */
export class ApplicationService {
  readonly #context: ReconcileContext;
  readonly #changes: ChangeFeed;
  #sorted: readonly KubeObject[] | undefined;

  constructor(context: ReconcileContext, changes: ChangeFeed) {
    this.#context = context;
    this.#changes = changes;
    changes.applications.subscribe((change) => {
      this.#replace(change);
    });
    changes.settings.subscribe(() => {
      this.#sorted = undefined;
    });
  }

  /** Sorted by name, then by namespace. The same array until one of them changes. */
  list(): readonly KubeObject[] {
    return (this.#sorted ??= this.#context.controlPlane
      .applications()
      .filter(({ metadata }) => this.isApplicationNamespace(metadata.namespace ?? ''))
      .sort(byName));
  }

  find(namespace: string, name: string): KubeObject | undefined {
    return this.isApplicationNamespace(namespace) ? this.#context.controlPlane.application(namespace, name) : undefined;
  }

  isApplicationNamespace(namespace: string): boolean {
    const { controlNamespace, controlPlane } = this.#context;
    return (
      namespace === controlNamespace ||
      controlPlane.settings.applicationNamespaces.some((pattern) => matchesGlob(pattern, namespace))
    );
  }

  onChange(listener: (change: Change) => void): () => void {
    return this.#changes.applications.subscribe(listener);
  }

  /** Puts the server's answer to a write into the cache, so that the next read sees it. */
  recordWrite(application: KubeObject): void {
    this.#context.controlPlane.recordWrite(application);
  }

  /** Reads, changes and writes an Application; the next read sees the result. */
  async change(id: ApplicationId, change: (application: KubeObject) => KubeObject): Promise<KubeObject> {
    const written = await changeApplication(this.#context.cluster, id, change);
    this.recordWrite(written);
    return written;
  }

  /** Asks a controller to reconcile it. It changes nothing else. */
  async requestRefresh(id: ApplicationId, level: 'normal' | 'hard'): Promise<void> {
    this.recordWrite(
      await this.#context.cluster.patch(APPLICATIONS, id, {
        type: 'merge',
        body: { metadata: { annotations: { [REFRESH]: level } } },
      }),
    );
  }

  /** Whether its project may be used from the namespace of the application. */
  permitsNamespace(application: KubeObject): boolean {
    const { controlNamespace, controlPlane } = this.#context;
    const { namespace = '', name = '' } = application.metadata;
    if (namespace === controlNamespace) return true;
    const project = effectiveProject(projectOf(application), controlPlane);
    return (
      project === undefined || findNamespaceViolation(project, { name, namespace }, controlNamespace) === undefined
    );
  }

  /** The sources and the destination that its project allows; a Fault lists the violations. */
  admit(application: KubeObject): Admitted {
    const admission = admitApplication(application, this.#context);
    if (admission.kind === 'refused')
      throw new Fault('VALUE_INVALID', admission.conditions.map(({ message }) => message).join('; '));
    return admission.admitted;
  }

  /** Whether its destination is a known cluster. */
  hasCluster(application: KubeObject): boolean {
    try {
      this.#context.clusters.find(parseApplication(application).destination);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /** The Applications that an ApplicationSet generates now; nothing is written. */
  generate(set: KubeObject, options: GenerateOptions = {}): Promise<KubeObject[]> {
    return generateSet(set, this.#context, options);
  }

  #replace(change: Change): void {
    const index = change.type === 'updated' && this.#sorted !== undefined ? indexIn(this.#sorted, change.object) : -1;
    this.#sorted = index < 0 || change.type !== 'updated' ? undefined : this.#sorted?.with(index, change.object);
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.metadata.name ?? '', b.metadata.name ?? '') ||
    compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '')
  );
}

function indexIn(sorted: readonly KubeObject[], object: KubeObject): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const at = sorted[middle];
    const order = at === undefined ? 0 : byName(at, object);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return -1;
}
