export const CONTROL_NAMESPACE = 'openshift-gitops';

/** Where the authors work, and where their repositories are served. */
export interface DocumentsPlace {
  readonly root: string;
  readonly gitUrl: string;
}

/** An Argosy as somebody starts it for documents about OpenShift GitOps. */
export interface DocumentsCluster {
  readonly kubeconfig: string;
  /** Its data directory, from which commands know it. */
  readonly data: string;
  readonly url: string;
  /** What its commands must be told, because no `argosy up` runs here that they could ask. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}
