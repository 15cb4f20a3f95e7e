import { join } from 'node:path';
import { runCases } from '../testing/run-cases.js';
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
import { RESOURCE_QUOTA } from './resource-quota.js';

const cases = (name: string): string => join(import.meta.dirname, 'cases', name);

runCases('ReplicaSet', cases('replica-set'), [replicaSetController, RESOURCE_QUOTA]);
runCases('ReplicationController', cases('replication-controller'), [replicationController]);
runCases('Deployment', cases('deployment'), [replicaSetController, deploymentController, RESOURCE_QUOTA]);
runCases('StatefulSet', cases('stateful-set'), [statefulSetController]);
runCases('DaemonSet', cases('daemon-set'), [daemonSetController]);
runCases('Job', cases('job'), [jobController, ttlAfterFinishedController]);
runCases('CronJob', cases('cron-job'), [cronJobController]);
runCases('Endpoints', cases('endpoints'), [endpointsController]);
runCases('EndpointSlice', cases('endpoint-slice'), [endpointSliceController]);
runCases('PodDisruptionBudget', cases('disruption-budget'), [disruptionController, replicaSetController]);
runCases('HorizontalPodAutoscaler', cases('horizontal-pod-autoscaler'), [horizontalPodAutoscaler]);
