import type { KubeObject } from '../../model/kubernetes/index.js';
import type { NodeInfo, PodInfo } from './node-info.js';

/** Why a node does not take a pod. `final`: removing other pods from the node would not help. */
export interface NodeRejection {
  readonly reasons: readonly string[];
  readonly isUnresolvable: boolean;
}

/** The cluster as the scheduler sees it for one decision. */
export interface ClusterSnapshot {
  readonly nodes: readonly NodeInfo[];
  claim(namespace: string, name: string): KubeObject | undefined;
  volume(name: string): KubeObject | undefined;
  volumes(): readonly KubeObject[];
  storageClass(name: string): KubeObject | undefined;
  namespaceLabels(name: string): Readonly<Record<string, string>>;
  /** How many volumes of each CSI driver a node can hold; undefined where there is no limit. */
  volumeLimit(node: string, driver: string): number | undefined;
  /** Handles of the volumes that VolumeAttachments hold on a node, by CSI driver. */
  attachedVolumes(node: string): ReadonlyMap<string, ReadonlySet<string>>;
}

/** The result of a filter before it checks any node. */
export type Prepared =
  | { readonly kind: 'skip' }
  /** No node will do, whatever it is. */
  | { readonly kind: 'reject'; readonly reason: string }
  | { readonly kind: 'check'; check(node: NodeInfo): NodeRejection | undefined };

export interface Filter {
  readonly name: string;
  prepare(pod: PodInfo, view: ClusterSnapshot): Prepared;
}

export const SKIP: Prepared = { kind: 'skip' };

export function check(test: (node: NodeInfo) => NodeRejection | undefined): Prepared {
  return { kind: 'check', check: test };
}

/** Never on this node, whoever leaves it. */
export function unresolvable(...reasons: string[]): NodeRejection {
  return { reasons, isUnresolvable: true };
}

/** Not while the pods that are there stay. */
export function unschedulable(...reasons: string[]): NodeRejection {
  return { reasons, isUnresolvable: false };
}
