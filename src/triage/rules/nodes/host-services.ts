import type { Evidence, Finding, Fix } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import type { HostServiceFact } from '../../snapshot/index.js';
import { act, leaf, shellWord } from '../make-finding.js';

const COMPLAINT = /error|fail|fatal|panic|cannot|unable|expired|denied|refused|invalid|not found/i;

/** A service of the node's operating system that does not run; one that starts and ends again counts as well. */
export function stoppedService(node: Node, graph: Graph): HostServiceFact | undefined {
  const stopped = graph.hostServices.filter(
    (service) => isOf(service, node) && service.state !== 'active' && service.state !== 'reloading',
  );
  // Without its runtime the kubelet complains, too: what it stands on comes first.
  return stopped.find(({ unit }) => /containerd|crio|cri-o|docker/.test(unit)) ?? stopped[0];
}

function isOf({ node: name }: HostServiceFact, { key, object }: Node): boolean {
  return name === key.name || name === object?.metadata.labels?.['kubernetes.io/hostname'];
}

/** What systemd and the journal say of it. */
export function serviceEvidence(node: Node, { unit, says, lines }: HostServiceFact): Evidence[] {
  const told = lines.findLast((line) => COMPLAINT.test(line));
  return [
    { of: nodeText(node), path: `systemctl status ${unit}`, value: says },
    ...(told === undefined ? [] : [{ of: nodeText(node), path: `journalctl -u ${unit}`, value: told }]),
  ];
}

export function restartOf(node: Node, { unit }: HostServiceFact): Fix {
  return act(
    `on node ${node.key.name}: systemctl restart ${unit}, and read journalctl -u ${unit} for why it ended`,
    [],
    { where: 'outside', risk: 'restart', verify: `kubectl get node ${shellWord(node.key.name)}` },
  );
}

/** A node that counts as ready although a service that it needs does not run: it will not for long, or not for all. */
export function serviceDown(node: Node, graph: Graph): readonly Finding[] {
  const service = graph.hostServices.length === 0 ? undefined : stoppedService(node, graph);
  if (service === undefined) return [];
  return [
    leaf('F16', node, 'run', `${service.unit} does not run on node ${node.key.name}: ${service.says}`, {
      impact: 'infrastructure',
      field: service.unit,
      evidence: serviceEvidence(node, service),
      ...(service.since === undefined ? {} : { onset: service.since }),
      fix: restartOf(node, service),
    }),
  ];
}
