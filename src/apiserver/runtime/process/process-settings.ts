import type { Duplex } from 'node:stream';
import type { AllowedImage } from './allowed-image.js';
import type { ClusterAccess } from './cluster-access.js';
import type { Place } from './pod-network.js';
import type { PodNetworks } from './pod-networks.js';

/** How containers of some images run as processes of this machine. */
export interface ProcessSetup extends ClusterAccess {
  readonly images: readonly AllowedImage[];
  /** Where pods have their folders (`pods/`) and persistent volumes theirs (`volumes/`). */
  readonly data: string;
  /** What pods reach besides themselves and the API server. */
  readonly reachable: readonly Place[];
  readonly networks: PodNetworks;
  /** A connection of a pod to the API server. */
  accept(connection: Duplex): void;
  /** The loopback address at which the processes of a pod are reached, where it has no network of its own. */
  address(podIp: string): string;
}
