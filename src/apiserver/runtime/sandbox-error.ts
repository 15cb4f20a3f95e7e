import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LocalClient } from '../rest/index.js';
import { has, items, maybe, text } from '../resources/index.js';
import { containerdOf } from './containerd.js';

/** Why a node cannot make the sandbox of a pod, in the words of containerd; undefined where it can. */
export function sandboxError(client: LocalClient, pod: KubeObject, node: KubeObject | undefined): string | undefined {
  const name = text(maybe(pod, 'spec'), 'runtimeClassName');
  if (name === '') return undefined;
  const handler = text(client.get({ group: 'node.k8s.io', plural: 'runtimeclasses' }, '', name), 'handler');
  if (handler === '' || handlersOf(node).includes(handler)) return undefined;
  const why = `no runtime for ${JSON.stringify(handler)} is configured`;
  const isNew = Number(containerdOf(node).split('.')[0]) >= 2;
  const id = (pod.metadata.uid ?? '').replaceAll('-', '').padEnd(64, '0');
  return isNew ? `unable to get OCI runtime for sandbox "${id}": ${why}` : `failed to get sandbox runtime: ${why}`;
}

/** Those that a node reports; one that reports none has runc, and beside it what its devices need. */
function handlersOf(node: KubeObject | undefined): readonly string[] {
  const status = maybe(node, 'status');
  const reported = items(status, 'runtimeHandlers').map((handler) => text(handler, 'name'));
  if (reported.length > 0) return reported;
  return has(maybe(status, 'capacity') ?? {}, 'nvidia.com/gpu') ? ['runc', 'nvidia'] : ['runc'];
}
