import { valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { conditionIs, type Graph, hostNames, type Node, nodeText, selectedPods } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { brokenAgent } from '../network-agents.js';
import { deniedByPolicy, dnsObstacle, UNRESOLVED } from '../policies.js';
import type { ContainerFact } from './pod-facts.js';
import type { Crash } from './crash.js';

/** The name of the Service that has an address. */
export function nameOfAddress(address: string, graph: Graph): string {
  return (
    graph
      .once(
        'services by address',
        () =>
          new Map(
            graph.store
              .ofKind('', 'Service')
              .map(({ key, object }) => [textAt(object, 'spec', 'clusterIP'), `${key.name}.${key.namespace}.svc`]),
          ),
      )
      .get(address) ?? ''
  );
}

/** A word with a port is an address only if such a Service exists or the container is configured with it. */
export function namedByChance(
  [, host = '', port = '']: RegExpExecArray,
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  crash: Crash,
): Finding | undefined {
  const [service = '', namespace = pod.key.namespace] = host.split('.');
  const isKnown =
    graph.store.get({ group: '', kind: 'Service', namespace, name: service })?.object !== undefined ||
    hostNames(container.spec, container.path).some((each) => each.service === service);
  return isKnown ? hostFault(host, Number(port), pod, graph, container, crash) : undefined;
}

/** The program could not reach a host: a Service that is not there, does not serve, or does not have this port. */
export function hostFault(
  host: string,
  port: number | undefined,
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  crash: Crash,
): Finding | undefined {
  const { details, phase } = crash;
  const [name = '', second] = host.split('.');
  const namespace = second === undefined || second === '' ? pod.key.namespace : second;
  if (name === '' || /^\d+$/.test(name) || name === 'localhost') return undefined;
  const service = graph.store.refer({ group: '', kind: 'Service', namespace, name });
  const used = hostNames(container.spec, container.path).find((each) => each.service === name);
  const field = used === undefined ? `spec.template.${container.path}.env` : `spec.template.${used.field}`;
  if (service.state === 'ghost')
    return delegate('F02', pod, phase, `${nodeText(pod)} uses Service ${namespace}/${name}, which does not exist`, {
      ...details,
      field,
      target: service,
    });
  if (service.state === 'unknown') return undefined;
  const ports = servicePorts(service);
  if (port !== undefined && ports.length > 0 && !ports.includes(port))
    return leaf(
      'F02',
      pod,
      phase,
      `${nodeText(pod)} uses port ${port} of Service ${namespace}/${name}, which exposes ${ports.join(', ')}`,
      { ...details, field, fix: change(pod, graph, 'use a port of the Service') },
    );
  return (
    otherNameServers(pod, graph, service, crash) ??
    blockedOnTheWay(host, pod, graph, service, crash) ??
    delegate('F02', pod, phase, `${nodeText(pod)} cannot reach Service ${namespace}/${name}`, {
      ...details,
      target: service,
    })
  );
}

/** A pod that does not ask the name servers of the cluster does not find its Services. */
function otherNameServers(pod: Node, graph: Graph, service: Node, { details, phase }: Crash): Finding | undefined {
  const policy = textAt(pod.object, 'spec', 'dnsPolicy');
  if (policy !== 'None' && policy !== 'Default') return undefined;
  if (!details.evidence.some(({ value }) => UNRESOLVED.test(value))) return undefined;
  return leaf('G09', pod, phase, `${nodeText(pod)} uses DNS servers that do not know ${nodeText(service)}`, {
    ...details,
    field: `spec.template.spec.${policy === 'None' ? 'dnsConfig' : 'dnsPolicy'}`,
    evidence: [...details.evidence, fact(pod, 'spec.dnsPolicy', policy)],
    fix: change(pod, graph, 'set dnsPolicy to ClusterFirst, so that Service names resolve'),
  });
}

/** DNS, a NetworkPolicy or the node network blocks a pod from a Service. */
function blockedOnTheWay(
  host: string,
  pod: Node,
  graph: Graph,
  service: Node,
  { details, phase }: Crash,
): Finding | undefined {
  const isServing = selectedPods(service, graph).some((each) => conditionIs(each.object, 'Ready', 'True'));
  const between = dnsObstacle(graph, details) ?? (isServing ? deniedByPolicy(pod, service, graph) : undefined);
  if (between?.kind === 'names')
    return delegate(
      'G09',
      pod,
      phase,
      `${nodeText(pod)} cannot resolve ${host}, although ${nodeText(service)} exists`,
      { ...details, target: between.node, impact: 'infrastructure' },
    );
  if (between?.kind === 'policy') {
    const { node, field } = between;
    const rules = valueAt(node.object, 'spec', field === 'spec.ingress' ? 'ingress' : 'egress') ?? [];
    return leaf('G08', pod, phase, `${nodeText(node)} blocks traffic from ${nodeText(pod)} to ${nodeText(service)}`, {
      ...details,
      blamed: node,
      field,
      evidence: [...details.evidence, fact(node, field, rules)],
      fix: change(node, graph, `allow traffic from pods like ${pod.key.name} to ${service.key.name}`, { risk: 'none' }),
    });
  }
  const agent = isServing ? brokenAgent(textAt(pod.object, 'spec', 'nodeName'), graph) : undefined;
  if (agent === undefined) return undefined;
  return delegate(
    'F10',
    pod,
    phase,
    `${nodeText(pod)} cannot reach ${nodeText(service)}: ${nodeText(agent)} is down on its node`,
    { ...details, target: agent, impact: 'infrastructure' },
  );
}

export function servicePorts(service: Node): number[] {
  const ports = valueAt(service.object, 'spec', 'ports');
  return Array.isArray(ports)
    ? ports.map((each) => valueAt(each, 'port')).filter((each) => typeof each === 'number')
    : [];
}
