import type { ContainerLogs } from '../runtime/container-logs.js';
import { kubelet } from '../runtime/kubelet.js';
import { scheduler } from '../scheduler/scheduler.js';
import type { Controller } from './controller.js';
import { rootCaPublisher, serviceAccountController } from './namespace-contents.js';
import { nodeLifecycleController } from './node-lifecycle.js';
import { taintEvictionController } from './taint-eviction.js';

/** What controllers share with the rest of the server. */
export interface ControllerParts {
  readonly logs: ContainerLogs;
  /** The certificate authority that clients inside the cluster trust, in PEM. */
  readonly authority: string;
}

/** Controllers of the cluster itself: where pods run, and what happens to nodes, volumes, namespaces and owned objects. */
export function clusterControllers({ logs, authority }: ControllerParts): Controller[] {
  return [serviceAccountController, rootCaPublisher(authority), nodeLifecycleController, taintEvictionController, scheduler, kubelet({ logs })];
}
