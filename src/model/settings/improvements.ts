/** Where Argosy does better than Argo CD; each is one key `argosy.<name>` of argocd-cmd-params-cm. */
export interface Improvements {
  /** The next wave starts when the last one is healthy, not two seconds later. */
  readonly noWaveDelay: boolean;
  /** A verdict from before the controller of a resource saw its new generation does not count. */
  readonly generationGates: boolean;
  /** An Application has health of its own, so that waves of Applications wait. */
  readonly applicationHealth: boolean;
  /** The server is asked before anything is applied whether it would take each object. */
  readonly immutableDryRun: boolean;
  /** A newer commit ends a sync that waits. */
  readonly supersede: boolean;
  /** The message of an operation says since when it waits, and why a resource made it fail. */
  readonly sayWhy: boolean;
  /** Objects of a kind that the cluster does not know wait; the others are applied. */
  readonly partialProgress: boolean;
  /** An automatic sync that failed is tried again, later and later, without a new commit. */
  readonly retryFailedRevision: boolean;
  /** `argosy.dev/wait-timeout` ends the waiting for a resource. */
  readonly deadlines: boolean;
  /** What runs an image that a BuildConfig of the same application builds is applied when the image is there. */
  readonly awaitImages: boolean;
  /** Several controllers divide the applications of a cluster among them, not only clusters. */
  readonly shardByApplication: boolean;
}

export const IMPROVEMENTS: Improvements = {
  noWaveDelay: true,
  generationGates: true,
  applicationHealth: true,
  immutableDryRun: true,
  supersede: true,
  sayWhy: true,
  awaitImages: true,
  partialProgress: false,
  retryFailedRevision: false,
  deadlines: false,
  shardByApplication: false,
};

export const NO_IMPROVEMENTS: Improvements = {
  noWaveDelay: false,
  generationGates: false,
  applicationHealth: false,
  immutableDryRun: false,
  supersede: false,
  sayWhy: false,
  awaitImages: false,
  partialProgress: false,
  retryFailedRevision: false,
  deadlines: false,
  shardByApplication: false,
};

export const IMPROVEMENT_KEYS: Readonly<Record<keyof Improvements, string>> = {
  noWaveDelay: 'argosy.no-wave-delay',
  generationGates: 'argosy.generation-gates',
  applicationHealth: 'argosy.application-health',
  immutableDryRun: 'argosy.immutable-dry-run',
  supersede: 'argosy.supersede',
  sayWhy: 'argosy.say-why',
  partialProgress: 'argosy.partial-progress',
  retryFailedRevision: 'argosy.retry-failed-revision',
  deadlines: 'argosy.deadlines',
  awaitImages: 'argosy.await-images',
  shardByApplication: 'argosy.shard-by-application',
};
