import type { Assessment, Assessor } from '../../health/index.js';
import type { Clock, Cluster } from '../../cluster/index.js';
import { formatTime, instantOf, type KubeObject } from '../../model/index.js';
import type { Workshop } from '../make-manifests.js';
import type { Clusters } from './clusters.js';
import type { Comparer } from './comparer.js';
import type { EventTeller } from './event-teller.js';
import type { Home } from './home.js';
import type { Metrics } from './metrics.js';
import type { SettledBook } from './settled-book.js';

/** Everything that a pass over an application works with. */
export interface Desk {
  readonly cluster: Cluster;
  readonly controlNamespace: string;
  readonly home: Home;
  readonly clusters: Clusters;
  /** To the cluster that a Secret describes, whether or not it is there yet. */
  readonly connect: (secret: KubeObject) => Cluster;
  readonly workshop: Workshop;
  readonly comparer: Comparer;
  /** As the settings are now. */
  readonly assessor: () => Assessor;
  readonly clock: Clock;
  readonly events: EventTeller;
  readonly metrics: Metrics;
  readonly report: (problem: string) => void;
  /** Another controller delivers: look, and change nothing. */
  readonly isReadOnly: () => boolean;
  /**
   * The application comes from these repositories: called before they are read, so that no commit comes unseen between.
   */
  readonly follow: (application: KubeObject, repositories: ReadonlySet<string>) => void;
  readonly settled: SettledBook;
}

/** When to look at an application again although nothing happened. */
export interface NextLook {
  readonly afterMilliseconds?: number;
}

export function nowText(desk: Desk): string {
  return formatTime(instantOf(desk.clock.now().getTime()));
}

export type Assess = (live: KubeObject) => Assessment | undefined;
