import type { KubeObject } from '../../model/kubernetes/index.js';
import { maybe, text } from '../resources/index.js';

/** Versions of containerd whose words are known, by the names under which a person chooses them. */
export const CONTAINERD_VERSIONS = { '1.7': '1.7.28', '2.1': '2.1.4' } as const;

export type ContainerdVersion = keyof typeof CONTAINERD_VERSIONS;

/** The version that a node reports; the usual one where it reports another runtime or none. */
export function containerdOf(node: KubeObject | undefined): string {
  const runtime = text(maybe(node, 'status.nodeInfo'), 'containerRuntimeVersion');
  return /^containerd:\/\/(\d+\.\d+(?:\.\d+)?)/.exec(runtime)?.[1] ?? CONTAINERD_VERSIONS['1.7'];
}
