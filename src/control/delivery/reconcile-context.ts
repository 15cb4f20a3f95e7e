import type { Assessment, Assessor } from '../../health/index.js';
import type { Clock, Cluster } from '../../cluster/index.js';
import type { Application } from '../../model/argo/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import type { Report, Snapshot } from '../../triage/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { Renderer } from '../manifests/index.js';
import type { Clusters, ControlPlaneCache, UnchangedCache } from '../cache/index.js';
import type { Comparer } from '../comparison/index.js';
import type { AuditTrail, EventRecorder, Metrics } from '../telemetry/index.js';

/** Everything that reconciles of all applications share. */
export interface ReconcileContext {
  readonly cluster: Cluster;
  readonly controlNamespace: string;
  readonly controlPlane: ControlPlaneCache;
  readonly clusters: Clusters;
  /** Connects to the cluster that a Secret describes, whether or not the Secret exists yet. */
  readonly connect: (secret: KubeObject) => Cluster;
  readonly renderer: Renderer;
  readonly comparer: Comparer;
  /** Health checks as the settings are now. */
  readonly assessor: () => Assessor;
  /** What is wrong in a snapshot, and why. */
  readonly triage: (snapshot: Snapshot) => Report;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly audit: AuditTrail;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Another controller delivers: compare, and write nothing. */
  readonly isReadOnly: () => boolean;
  /** Called before the repositories of an application are read, so that no commit in between is missed. */
  readonly watchRepositories: (application: KubeObject, repositories: ReadonlySet<string>) => void;
  readonly unchanged: UnchangedCache;
}

/** When to reconcile again even if nothing changes; without a time only a change enqueues the application. */
export interface RequeueAfter {
  readonly milliseconds?: number;
}

/** Of an Application: refresh it, `normal` or `hard`. Of a cluster Secret: read the cluster again. */
export const REFRESH_ANNOTATION = 'argocd.argoproj.io/refresh';

export function formatNow({ clock }: Pick<ReconcileContext, 'clock'>): string {
  return formatTime(instantOf(clock.now().getTime()));
}

export function logOf({ object: { metadata } }: Pick<Application, 'object'>, { log }: ReconcileContext): Logger {
  return log.child({ app: `${metadata.namespace ?? ''}/${metadata.name ?? ''}` });
}

export type Assess = (live: KubeObject) => Assessment | undefined;
