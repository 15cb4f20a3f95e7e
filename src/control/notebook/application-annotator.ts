import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError, type Cluster, type ClientDependencies } from '../../cluster/index.js';
import {
  applicationOf,
  mayReportTo,
  summaryOf,
  timeText,
  hasSummary,
  type ApplicationName,
} from '../../notebook/index.js';
import { createWorkQueue } from '../queue/index.js';
import { APPLICATIONS } from '../../model/resources/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

export interface ApplicationAnnotatorOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  /** Namespaces to search for Applications, in this order. */
  readonly namespaces: readonly string[];
  readonly jobs: () => readonly KubeObject[];
}

/** Many notebooks may end at once; the latest state is always written. */
const DEBOUNCE = 1000;

/** Keeps the two annotations about notebooks on each Application that has some. */
export class ApplicationAnnotator {
  readonly #options: ApplicationAnnotatorOptions;
  readonly #queue: WorkQueue;

  constructor(options: ApplicationAnnotatorOptions) {
    this.#options = options;
    const { clock, random, report } = options.world;
    this.#queue = createWorkQueue({
      clock,
      random,
      workers: 2,
      reconcile: (key) => this.#annotate(key),
      report: (key, error) => {
        report(`${key}: ${error instanceof Error ? error.message : String(error)}`);
      },
    });
  }

  open(): void {
    this.#queue.open();
  }

  pause(): Promise<void> {
    return this.#queue.pause();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** A job of its application began, ended or went. */
  changed(job: KubeObject): void {
    const application = applicationOf(job);
    if (application !== undefined) this.#queue.addAfter(keyOf(application), DEBOUNCE, 'event');
  }

  async #annotate(key: string): Promise<void> {
    const { cluster, world, namespaces } = this.#options;
    const jobs = this.#options.jobs().filter((job) => {
      const name = applicationOf(job);
      return name !== undefined && keyOf(name) === key;
    });
    const [namespace = '', name = ''] = key.split('/');
    const places =
      namespace === ''
        ? [...new Set([...namespaces, ...jobs.map(({ metadata }) => metadata.namespace ?? '')])]
        : [namespace];
    for (const place of places) {
      const application = await cluster.get(APPLICATIONS, { namespace: place, name });
      if (application === undefined) continue;
      const own = jobs.filter((job) => mayReportTo(application, job));
      // Anybody may write a label: an Application that none of the jobs belongs to never hears of them.
      if (own.length === 0 && !hasSummary(application)) continue;
      const annotations = summaryOf(own, application.metadata.annotations ?? {}, timeText(world.clock.now().getTime()));
      if (annotations !== undefined) await this.#write(application, annotations);
      return;
    }
  }

  async #write(
    { metadata: { namespace, name = '', uid } }: KubeObject,
    annotations: Readonly<Record<string, string>>,
  ): Promise<void> {
    try {
      await this.#options.cluster.patch(
        APPLICATIONS,
        { namespace, name },
        { type: 'merge', body: { metadata: { ...(uid === undefined ? {} : { uid }), annotations } } },
      );
    } catch (error) {
      // It was deleted in the meantime.
      if (error instanceof ClusterError && error.isNotFound) return;
      if (error instanceof Fault && error instanceof ClusterError && error.status === 403)
        return this.#options.world.report(
          `cannot annotate Application ${namespace ?? ''}/${name} with its notebooks: ${error.message}`,
        );
      throw error;
    }
  }
}

function keyOf({ namespace, name }: ApplicationName): string {
  return `${namespace}/${name}`;
}
