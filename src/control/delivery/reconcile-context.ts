import type { Assessment, Assessor } from '../../health/index.js';
import type { Clock, Cluster } from '../../cluster/index.js';
import type { Application } from '../../model/argo/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { Renderer } from '../manifests/index.js';
import type { Clusters, ControlPlaneCache, UnchangedCache } from '../cache/index.js';
import type { Comparer } from '../comparison/index.js';
import type { EventRecorder, Metrics } from '../telemetry/index.js';

/** Everything that a pass over an application works with. */
export interface ReconcileContext {
  readonly cluster: Cluster;
  readonly controlNamespace: string;
  readonly controlPlane: ControlPlaneCache;
  readonly clusters: Clusters;
  /** To the cluster that a Secret describes, whether or not it is there yet. */
  readonly connect: (secret: KubeObject) => Cluster;
  readonly renderer: Renderer;
  readonly comparer: Comparer;
  /** As the settings are now. */
  readonly assessor: () => Assessor;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Another controller delivers: look, and change nothing. */
  readonly isReadOnly: () => boolean;
  /**
   * The application comes from these repositories: called before they are read, so that no commit comes unseen between.
   */
  readonly watchRepositories: (application: KubeObject, repositories: ReadonlySet<string>) => void;
  readonly unchanged: UnchangedCache;
}

/** When to look at an application again although nothing happened. */
export interface RequeueAfter {
  readonly milliseconds?: number;
}

export function formatNow(desk: ReconcileContext): string {
  return formatTime(instantOf(desk.clock.now().getTime()));
}

export function logOf({ object: { metadata } }: Pick<Application, 'object'>, { log }: ReconcileContext): Logger {
  return log.child({ app: `${metadata.namespace ?? ''}/${metadata.name ?? ''}` });
}

export type Assess = (live: KubeObject) => Assessment | undefined;
