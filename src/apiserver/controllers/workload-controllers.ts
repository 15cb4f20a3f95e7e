import type { Controller } from '../controller-runtime/index.js';
import { cronJobController } from './cron-job/cron-job-controller.js';
import { daemonSetController } from './daemon-set/daemon-set-controller.js';
import { deploymentController } from './deployment/deployment-controller.js';
import { disruptionController } from './disruption-budget.js';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.js';
import { jobController, ttlAfterFinishedController } from './job/job-controller.js';
import { endpointSliceController } from './service-endpoints/endpoint-slice-controller.js';
import { endpointsController } from './service-endpoints/endpoints-controller.js';
import { statefulSetController } from './stateful-set/stateful-set-controller.js';
import { replicaSetController, replicationController } from './replica-set/replica-set-controller.js';

/** The controllers that turn workloads into pods, and those that follow pods. */
export const WORKLOAD_CONTROLLERS: readonly Controller[] = [
  replicaSetController,
  replicationController,
  deploymentController,
  statefulSetController,
  daemonSetController,
  jobController,
  ttlAfterFinishedController,
  cronJobController,
  endpointsController,
  endpointSliceController,
  disruptionController,
  horizontalPodAutoscaler,
];
