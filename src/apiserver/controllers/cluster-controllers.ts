import { scheduler } from '../scheduler/scheduler.js';
import type { Controller } from './controller.js';
import { nodeLifecycleController } from './node-lifecycle.js';
import { taintEvictionController } from './taint-eviction.js';

/** Controllers of the cluster itself: where pods run, and what happens to nodes, volumes, namespaces and owned objects. */
export const CLUSTER_CONTROLLERS: readonly Controller[] = [nodeLifecycleController, taintEvictionController, scheduler];
