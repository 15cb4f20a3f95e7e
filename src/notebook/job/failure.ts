/** Why an attempt failed. */
export interface Failure {
  /** A CamelCase reason, as in a condition. */
  readonly reason: string;
  /** What happened, in the original words. */
  readonly message: string;
  /** Whether another attempt may end otherwise. */
  readonly retry: boolean;
  /** The notebook's own failure: retried only on request. */
  readonly isNotebooks: boolean;
  readonly hint: string;
  /** Trouble before the notebook began is over sooner. */
  readonly isEarly: boolean;
}

interface Kind {
  readonly retry: boolean;
  readonly hint: string;
}

/** Every reason, whether it is worth another attempt, and what a person can do. */
const KINDS = {
  ImagePullBackOff: { retry: true, hint: 'check that the image exists and that the service account can pull it' },
  ErrImagePull: { retry: true, hint: 'check that the image exists and that the service account can pull it' },
  InvalidImageName: { retry: false, hint: 'correct spec.podConfig.containerImage' },
  CrashLoopBackOff: { retry: true, hint: 'see the log of the pod' },
  RunContainerError: { retry: true, hint: 'see the events of the pod' },
  CreateContainerError: { retry: true, hint: 'see the events of the pod' },
  CreateContainerConfigError: { retry: true, hint: 'check the Secrets and ConfigMaps that the job names' },
  SecurityContext: {
    retry: true,
    hint: 'use an image that runs as non-root, or a service account with more permissions',
  },
  RootImage: {
    retry: false,
    hint: 'set a numeric USER other than 0 in the image, or spec.podConfig.securityContext.runAsUser',
  },
  GitAuthenticationFailed: { retry: false, hint: 'check the Secret that credentialsSecret names' },
  GitRepositoryNotFound: { retry: false, hint: 'check spec.notebook.git.url' },
  GitRefNotFound: { retry: false, hint: 'check spec.notebook.git.ref: it must be a branch, tag or commit' },
  NotebookNotFound: { retry: false, hint: 'check spec.notebook.path: it is relative to the root of the repository' },
  GitNetworkError: { retry: true, hint: 'check that the cluster can reach the git server' },
  GitMissing: { retry: false, hint: 'use an image with git and Python' },
  PermissionDenied: { retry: false, hint: 'check the execute and write permissions of the image' },
  CommandNotFound: { retry: false, hint: 'use an image with Python' },
  OOMKilled: { retry: true, hint: 'raise resources.limits.memory of spec.podConfig' },
  InitContainerError: { retry: true, hint: 'see the log of the init container' },
  Evicted: { retry: true, hint: 'see the events of the node' },
  PodLost: { retry: true, hint: 'the pod was deleted while it ran' },
  PodRefused: { retry: true, hint: 'the message is the response of the API server' },
  Timeout: { retry: false, hint: 'raise spec.timeout, or make the notebook faster' },
  ConfigurationError: { retry: false, hint: 'correct the notebook or the job' },
  PythonMissing: {
    retry: false,
    hint: 'use an image with Python 3; nbclient and ipykernel run notebooks as Jupyter does',
  },
  RunnerTrouble: { retry: true, hint: 'see the log of the pod' },
  ResultsMissing: { retry: false, hint: 'use an image that runs the command of the pod' },
  LogsUnreadable: { retry: true, hint: 'check that the API server can read logs from the node' },
  NotebookFailed: { retry: false, hint: 'correct the cell' },
  DependencyMissing: { retry: false, hint: 'add the package to the image, or install it in the notebook' },
  ChecksFailed: { retry: false, hint: 'correct the cell, or the checks in spec.validationConfig' },
  ComparisonFailed: {
    retry: false,
    hint: 'see status.comparisonResult; update the golden notebook if the new outputs are correct',
  },
  Unknown: { retry: true, hint: 'see the log of the pod' },
} as const satisfies Record<string, Kind>;

export type FailureReason = keyof typeof KINDS;
export const FAILURE_REASONS = Object.keys(KINDS) as readonly FailureReason[];
const NOTEBOOKS: readonly FailureReason[] = ['NotebookFailed', 'DependencyMissing', 'ChecksFailed', 'ComparisonFailed'];

export function failure(reason: FailureReason, message: string, isEarly = false): Failure {
  return { reason, message, ...KINDS[reason], isNotebooks: NOTEBOOKS.includes(reason), isEarly };
}
