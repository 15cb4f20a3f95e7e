import type { KubeObject } from '../../model/index.js';
import type { NodeState, PodFacts } from './node-state.js';

/** Why a node does not take a pod. `final`: removing other pods from the node would not help. */
export interface Refusal {
  readonly reasons: readonly string[];
  readonly final: boolean;
}

/** The cluster as the scheduler sees it for one decision. */
export interface ClusterView {
  readonly nodes: readonly NodeState[];
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

/** What a filter says before it looks at any node. */
export type Prepared =
  | { readonly kind: 'skip' }
  /** No node will do, whatever it is. */
  | { readonly kind: 'reject'; readonly reason: string }
  | { readonly kind: 'check'; check(node: NodeState): Refusal | undefined };

export interface Filter {
  readonly name: string;
  prepare(pod: PodFacts, view: ClusterView): Prepared;
}

export const SKIP: Prepared = { kind: 'skip' };

export function check(test: (node: NodeState) => Refusal | undefined): Prepared {
  return { kind: 'check', check: test };
}

/** Never on this node, whoever leaves it. */
export function never(...reasons: string[]): Refusal {
  return { reasons, final: true };
}

/** Not while the pods that are there stay. */
export function notNow(...reasons: string[]): Refusal {
  return { reasons, final: false };
}
