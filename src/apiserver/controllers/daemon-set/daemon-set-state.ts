import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { ControllerHost } from '../../controller-runtime/index.js';

/** One pass over a DaemonSet. */
export interface DaemonSetState {
  readonly host: ControllerHost;
  readonly set: KubeObject;
  readonly hash: string;
  readonly nodes: readonly KubeObject[];
  readonly byNode: ReadonlyMap<string, readonly KubeObject[]>;
  readonly now: Date;
}
