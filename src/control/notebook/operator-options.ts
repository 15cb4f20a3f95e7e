import type { Cluster, ClientDependencies } from '../../cluster/index.js';
import type { RepositoryAccess } from '../../source/index.js';
import type { NotebookImage } from '../../model/settings/index.js';
import type { Logger } from '../../model/logging/index.js';
import type { Metrics } from '../telemetry/index.js';

export interface NotebookOptions {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  /** Of the control plane: searched first for Applications. */
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** The files of the runner by name. */
  readonly runner: ReadonlyMap<string, string>;
  /** Whether this process leads: nothing is written by another. */
  readonly mayWrite: () => boolean;
  /** Unguessable, for each pod. */
  readonly nonce: () => string;
  readonly settings: NotebookSettings;
  /** The one image that notebooks run in, as the settings are now; undefined where each may choose. */
  readonly image?: () => NotebookImage | undefined;
  /** The commit that a ref of a repository means now. */
  readonly resolve: (url: string, ref: string, access: RepositoryAccess) => Promise<string>;
  /** Milliseconds between two looks for commits, as the settings are now. */
  readonly pollInterval?: () => number;
  /** Whether a notebook whose pod is only simulated succeeds, as the settings are now. */
  readonly passesSimulated?: () => boolean;
}

/** Options of an administrator, in the environment of the process. */
export interface NotebookSettings {
  /** Fetches repositories; empty: the image of the job does. */
  readonly gitImage: string;
  /** Pods that run at a time. */
  readonly maxPods: number;
  /** Namespaces that triggers of every job may reach. */
  readonly triggerNamespaces: readonly string[];
}

const DEFAULT_MAX_PODS = 20;

export function readNotebookSettings(environment: Readonly<Record<string, string | undefined>>): NotebookSettings {
  const pods = Number(environment['ARGOSY_NOTEBOOK_PODS'] ?? DEFAULT_MAX_PODS);
  return {
    gitImage: environment['GIT_INIT_IMAGE'] ?? '',
    maxPods: Number.isInteger(pods) && pods > 0 ? pods : DEFAULT_MAX_PODS,
    triggerNamespaces: (environment['ARGOSY_NOTEBOOK_TRIGGER_NAMESPACES'] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  };
}
