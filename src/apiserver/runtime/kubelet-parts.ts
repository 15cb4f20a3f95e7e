import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Clock, LocalClient } from '../rest/index.js';
import type { ContainerLogs } from './container-logs.js';
import type { PodAddresses } from './pod-addresses.js';
import type { RunningContainers } from './running-containers.js';
import type { Runtime } from './runtime.js';

/** What the workers of all pods share. */
export interface KubeletParts {
  readonly client: LocalClient;
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly logs: ContainerLogs;
  readonly running: RunningContainers;
  readonly addresses: PodAddresses;
  /** Images that each node has. */
  readonly images: Map<string, Set<string>>;
  node(name: string): KubeObject | undefined;
}

/** An Event that a worker records. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
}
