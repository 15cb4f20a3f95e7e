/** Why an attempt did not end well. */
export interface Failure {
  /** One word, as in a condition. */
  readonly reason: string;
  /** What happened, in the words of whoever said it. */
  readonly message: string;
  /** Whether another attempt may end otherwise. */
  readonly retry: boolean;
  /** The notebook's own fault: asked for, it is tried again too. */
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
  ImagePullBackOff: { retry: true, hint: 'check that the image exists and that the service account may pull it' },
  ErrImagePull: { retry: true, hint: 'check that the image exists and that the service account may pull it' },
  InvalidImageName: { retry: false, hint: 'correct spec.podConfig.containerImage' },
  CrashLoopBackOff: { retry: true, hint: 'see the log of the pod' },
  RunContainerError: { retry: true, hint: 'see the events of the pod' },
  CreateContainerError: { retry: true, hint: 'see the events of the pod' },
  CreateContainerConfigError: { retry: true, hint: 'check the Secrets and ConfigMaps that the job names' },
  SecurityContext: {
    retry: true,
    hint: 'choose an image that runs as a user other than root, or a service account that may do more',
  },
  GitAuthenticationFailed: { retry: false, hint: 'check the Secret that credentialsSecret names' },
  GitRepositoryNotFound: { retry: false, hint: 'check the address in spec.notebook.git.url' },
  GitRefNotFound: { retry: false, hint: 'check spec.notebook.git.ref: it is a branch, a tag or a commit' },
  NotebookNotFound: { retry: false, hint: 'check spec.notebook.path, from the root of the repository' },
  GitNetworkError: { retry: true, hint: 'check that the cluster reaches the git server' },
  GitMissing: { retry: false, hint: 'choose an image that has git and Python' },
  PermissionDenied: { retry: false, hint: 'check what the image may execute and where it may write' },
  CommandNotFound: { retry: false, hint: 'choose an image that has Python' },
  OOMKilled: { retry: true, hint: 'raise resources.limits.memory of spec.podConfig' },
  InitContainerError: { retry: true, hint: 'see the log of the init container' },
  Evicted: { retry: true, hint: 'see the events of the node' },
  PodLost: { retry: true, hint: 'the pod was deleted while it ran' },
  PodRefused: { retry: true, hint: "the message is the API server's own answer" },
  Timeout: { retry: false, hint: 'raise spec.timeout, or make the notebook faster' },
  ConfigurationError: { retry: false, hint: 'correct the notebook or the job as the message says' },
  PythonMissing: {
    retry: false,
    hint: 'choose an image with Python 3; nbclient and ipykernel run notebooks as Jupyter does',
  },
  RunnerTrouble: { retry: true, hint: 'see the log of the pod' },
  ResultsMissing: { retry: false, hint: 'choose an image that runs the command of the pod' },
  LogsUnreadable: { retry: true, hint: 'check that the API server reaches the logs of the node' },
  NotebookFailed: { retry: false, hint: 'correct the cell' },
  DependencyMissing: { retry: false, hint: 'add the package to the image, or install it in the notebook' },
  ChecksFailed: { retry: false, hint: 'correct the cell, or what spec.validationConfig asks for' },
  ComparisonFailed: {
    retry: false,
    hint: 'see status.comparisonResult, and update the golden notebook if the new outputs are right',
  },
  Unknown: { retry: true, hint: 'see the log of the pod' },
} as const satisfies Record<string, Kind>;

export type FailureReason = keyof typeof KINDS;
export const FAILURE_REASONS = Object.keys(KINDS) as readonly FailureReason[];
const NOTEBOOKS: readonly FailureReason[] = ['NotebookFailed', 'DependencyMissing', 'ChecksFailed', 'ComparisonFailed'];

export function failure(reason: FailureReason, message: string, isEarly = false): Failure {
  return { reason, message, ...KINDS[reason], isNotebooks: NOTEBOOKS.includes(reason), isEarly };
}
