import { Fault } from '../../model/faults/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ClusterError, type Clock, type Cluster } from '../../cluster/index.js';
import type { JobEvent } from '../../notebook/index.js';
import { EVENTS } from '../../model/resources/index.js';

const SOURCE = 'jupyter-notebook-validator-operator';
const MAX_RECORDED = 10_000;

/** Records each event once: its name is deterministic, and the server rejects duplicates. */
export class JobEventRecorder {
  readonly #recorded = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(
    readonly cluster: Cluster,
    readonly clock: Clock,
    readonly report: (problem: string) => void,
  ) {}

  record(about: KubeObject, notices: readonly JobEvent[]): void {
    for (const notice of notices) {
      const name = `${about.metadata.namespace ?? ''}/${notice.name}`;
      if (this.#recorded.has(name)) continue;
      if (this.#recorded.size >= MAX_RECORDED) this.#recorded.clear();
      this.#recorded.add(name);
      // One after the other: news wait for work.
      this.#last = this.#last.then(() => this.#write(about, notice, name));
    }
  }

  async #write(
    { apiVersion, kind, metadata }: KubeObject,
    { name, type, reason, message, labels }: JobEvent,
    key: string,
  ): Promise<void> {
    const { namespace = '', uid = '', resourceVersion = '' } = metadata;
    const time = formatTime(instantOf(this.clock.now().getTime()));
    try {
      await this.cluster.create(
        EVENTS,
        {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { namespace, name, ...(labels === undefined ? {} : { labels: { ...labels } }) },
          involvedObject: { apiVersion, kind, namespace, name: metadata.name ?? '', uid, resourceVersion },
          type,
          reason,
          message,
          source: { component: SOURCE },
          reportingComponent: SOURCE,
          reportingInstance: 'controller',
          firstTimestamp: time,
          lastTimestamp: time,
          count: 1,
        },
        { limits: { tries: 2 } },
      );
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error instanceof ClusterError && error.isAlreadyExists) return;
      if (error.retry) this.#recorded.delete(key);
      this.report(`cannot record an event for ${namespace}/${metadata.name ?? ''}: ${error.message}`);
    }
  }
}
