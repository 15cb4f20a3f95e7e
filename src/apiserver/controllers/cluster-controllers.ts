import type { ServiceAccountTokens } from '../access/index.js';
import {
  type ContainerdVersion,
  type ContainerLogs,
  kubelet,
  processRuntime,
  type ProcessSetup,
  type RunningContainers,
} from '../runtime/index.js';
import { scheduler } from '../scheduler/index.js';
import { clusterRoleAggregation } from './cluster-role-aggregation.js';
import type { Controller } from '../controller-runtime/index.js';
import { garbageCollector } from './garbage-collector.js';
import { namespaceController } from './namespace.js';
import { rootCaPublisher, serviceAccountController } from './namespace-contents.js';
import { nodeLifecycleController } from './node-lifecycle.js';
import { podGarbageCollector } from './pod-garbage-collector.js';
import { setAsideReporter } from './set-aside.js';
import { secretTokens } from './secret-tokens.js';
import { taintEvictionController } from './taint-eviction.js';
import { ephemeralVolumeController } from './volumes/ephemeral-volumes.js';
import { firstStorageClass } from './volumes/first-storage-class.js';
import { volumeBinder, volumePhases } from './volumes/volume-binder.js';
import { claimProtection, volumeProtection } from './volumes/volume-protection.js';

/** What controllers share with the rest of the server. */
export interface ControllerParts {
  readonly logs: ContainerLogs;
  /** Where containers that run are found. */
  readonly running?: RunningContainers;
  /** What signs tokens; without it Secrets that ask for one stay empty. */
  readonly tokens?: Pick<ServiceAccountTokens, 'issueForSecret'>;
  /** The certificate authority that clients inside the cluster trust, in PEM. */
  readonly authority: string;
  /** Images whose containers run as processes of this machine. */
  readonly processes?: ProcessSetup;
  readonly containerd?: ContainerdVersion;
}

/**
 * Controllers of the cluster itself: where pods run, and what happens to nodes, volumes, namespaces and owned objects.
 */
export function clusterControllers(parts: ControllerParts): Controller[] {
  const { logs, running, tokens, authority, processes, containerd } = parts;
  return [
    setAsideReporter,
    serviceAccountController,
    rootCaPublisher(authority),
    ...(tokens === undefined ? [] : [secretTokens(tokens, authority)]),
    namespaceController,
    garbageCollector,
    clusterRoleAggregation,
    nodeLifecycleController,
    taintEvictionController,
    podGarbageCollector(),
    firstStorageClass,
    volumeBinder,
    volumePhases,
    claimProtection,
    volumeProtection,
    ephemeralVolumeController,
    scheduler,
    kubelet({
      logs,
      ...(running === undefined ? {} : { running }),
      ...(containerd === undefined ? {} : { containerd }),
      ...(processes === undefined ? {} : { runtime: (host) => processRuntime(processes, host) }),
    }),
  ];
}
