import { join } from 'node:path';
import { runCases } from '../testing/run-cases.js';
import { clusterRoleAggregation } from './cluster-role-aggregation.js';
import { garbageCollector } from './garbage-collector.js';
import { rootCaPublisher, serviceAccountController } from './namespace-contents.js';
import { namespaceController } from './namespace.js';
import { nodeLifecycleController } from './node-lifecycle.js';
import { podGarbageCollector } from './pod-garbage-collector.js';
import { secretTokens } from './secret-tokens.js';
import { taintEvictionController } from './taint-eviction.js';
import { ephemeralVolumeController } from './volumes/ephemeral-volumes.js';
import { volumeBinder, volumePhases } from './volumes/volume-binder.js';
import { claimProtection, volumeProtection } from './volumes/volume-protection.js';

const cases = (name: string): string => join(import.meta.dirname, 'cases', name);

runCases('garbage collector', cases('garbage-collector'), [garbageCollector]);
runCases('namespace controller', cases('namespace'), [namespaceController]);
runCases('volumes', cases('volumes'), [
  volumeBinder,
  volumePhases,
  claimProtection,
  volumeProtection,
  ephemeralVolumeController,
]);
runCases('nodes', cases('node'), [nodeLifecycleController, taintEvictionController, podGarbageCollector()]);
runCases('ClusterRole aggregation', cases('cluster-role'), [clusterRoleAggregation]);
runCases('service accounts', cases('service-account'), [
  serviceAccountController,
  rootCaPublisher('PEM'),
  secretTokens({ issueForSecret: ({ name, secret }) => `token of ${name} in ${secret}` }, 'PEM'),
]);
