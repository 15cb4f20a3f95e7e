import { objectAt, objectsAt } from '../../model/json/index.js';
import type { Graph, Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { anyOf } from './any-of.js';

/** Agents of network plugins that enforce NetworkPolicies, by name or image. */
const ENFORCING_AGENT = anyOf(
  /(?:^|\/)(?:calico-node|canal|cilium|cilium-agent|weave-npc|antrea-agent|ovnkube-node|kube-router)\b/,
  /(?:^|\/)(?:azure-npm|anetd|kube-network-policies|aws-eks-nodeagent|aws-network-policy-agent)\b/,
  /calico\/node/,
);

/** What such plugins write on the nodes that they serve. */
const ENFORCING_NOTE = /^(?:projectcalico\.org|network\.cilium\.io|io\.cilium|k8s\.ovn\.org|node\.antrea\.io)/;
/** Flannel moves packets and knows no policies; distributions that enforce them beside it are known by version. */
const PLAIN_NOTE = /^flannel\.alpha\.coreos\.com\//;
const ENFORCING_VERSION = /\+(?:k3s|rke2)/;

export type Enforcement = 'enforced' | 'not enforced' | 'unknown';

/** Whether NetworkPolicies mean anything in this cluster: that depends on its network plugin alone. */
export function policyEnforcement(graph: Graph): Enforcement {
  return graph.once('whether network policies are enforced', () => {
    const nodes = graph.store.ofKind('', 'Node');
    const notes = nodes.flatMap(({ object }) => Object.keys(objectAt(object, 'metadata', 'annotations') ?? {}));
    const agents = [...graph.store.ofKind('apps', 'DaemonSet'), ...graph.store.ofKind('', 'Pod')];
    if (
      notes.some((note) => ENFORCING_NOTE.test(note)) ||
      nodes.some(({ object }) => ENFORCING_VERSION.test(textAt(object, 'status', 'nodeInfo', 'kubeletVersion'))) ||
      agents.some(isEnforcing)
    )
      return 'enforced';
    return notes.some((note) => PLAIN_NOTE.test(note)) ? 'not enforced' : 'unknown';
  });
}

function isEnforcing({ key, object }: Node): boolean {
  if (ENFORCING_AGENT.test(key.name)) return true;
  const spec = key.kind === 'Pod' ? objectAt(object, 'spec') : objectAt(object, 'spec', 'template', 'spec');
  return objectsAt(spec, 'containers').some((container) =>
    [textAt(container, 'name'), textAt(container, 'image')].some((text) => ENFORCING_AGENT.test(text)),
  );
}
