import type { Cluster } from '../../cluster/index.js';
import type { Installation } from '../../install/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { CliHost } from '../host/index.js';

/** One thing that was looked at. `unknown` where the caller may not look. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly detail: string;
  /** What repairs it when it is applied. */
  readonly repair?: readonly KubeObject[];
}

/** What the checks share. */
export interface Examination {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly objects: readonly KubeObject[];
  readonly host: CliHost;
}
