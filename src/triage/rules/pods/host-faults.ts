import { objectAt, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import {
  conditionIs,
  type Graph,
  type HostSetting,
  hostSettings,
  type Node,
  nodeText,
  selectedPods,
} from '../../graph/index.js';
import { textAt, textsAt } from '../../json/index.js';
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
    hostSettings(container.spec, container.path, pod, graph).some((each) => each.service === service);
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
  const used = hostSettings(container.spec, container.path, pod, graph).find((each) => each.service === name);
  const field = `spec.template.${used?.reference ?? `${container.path}.env`}`;
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
  return foreignNames(pod, graph, service, details, phase);
}

/**
 * A pod whose name servers do not know the Services that it is configured with: whatever it says about that, it cannot
 * find them. A pod on the network of its node has the name servers of the node unless it says otherwise.
 */
export function namesOutside(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { details, phase }: Crash,
): Finding | undefined {
  const policy = textAt(pod.object, 'spec', 'dnsPolicy');
  const isOnHost = valueAt(pod.object, 'spec', 'hostNetwork') === true;
  if (policy !== 'None' && !(policy === 'Default' && !isOnHost)) return undefined;
  const [service] = hostSettings(container.spec, container.path, pod, graph)
    .map((host) => serviceOf(pod, host, graph))
    .filter(({ state }) => state === 'present');
  return service === undefined || asksClusterDns(pod, graph)
    ? undefined
    : foreignNames(pod, graph, service, details, phase);
}

/** One of the name servers that a pod was given is the Service of the cluster's DNS. */
function asksClusterDns(pod: Node, graph: Graph): boolean {
  const addresses = graph.store
    .inNamespace('', 'Service', 'kube-system')
    .filter(({ key }) => /dns/.test(key.name))
    .map(({ object }) => textAt(object, 'spec', 'clusterIP'));
  return textsAt(pod.object, 'spec', 'dnsConfig', 'nameservers').some((server) => addresses.includes(server));
}

function foreignNames(
  pod: Node,
  graph: Graph,
  service: Node,
  details: Crash['details'],
  phase: Crash['phase'],
): Finding {
  const policy = textAt(pod.object, 'spec', 'dnsPolicy');
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

/** A connection that was refused, in the words of programs that do not say where. */
export const REFUSED =
  /connection refused|communications link failure|ECONNREFUSED|could not connect to server|connect timed out/i;

/**
 * The program does not say which server refused it: of those that it is configured with, the one that cannot answer. A
 * port that its Service does not expose is proof, also if the other servers are well.
 */
export function refusedSomewhere(
  pod: Node,
  graph: Graph,
  container: ContainerFact,
  { line, details, phase }: Crash,
): Finding | undefined {
  if (!REFUSED.test(line)) return undefined;
  const hosts = hostSettings(container.spec, container.path, pod, graph);
  for (const host of hosts) {
    const wrong = wrongPort(pod, host, graph);
    if (wrong !== undefined)
      return {
        ...wrong,
        ...details,
        ...(host.holder === pod ? { field: `spec.template.${host.portField ?? host.field}` } : {}),
        phase,
        evidence: [...details.evidence, ...wrong.evidence],
      };
  }
  const away = hosts.map((host) => serviceOf(pod, host, graph)).filter((service) => isAway(service, graph));
  const [target] = away;
  if (target === undefined || new Set(away).size > 1) return undefined;
  return delegate('F02', pod, phase, `${nodeText(pod)} cannot reach ${nodeText(target)}: ${line}`, {
    ...details,
    target,
  });
}

/** A Service that is not there, or has no pod that is ready. */
function isAway(service: Node, graph: Graph): boolean {
  if (service.state === 'ghost') return true;
  if (service.object === undefined || objectAt(service.object, 'spec', 'selector') === undefined) return false;
  return !selectedPods(service, graph).some(({ object }) => conditionIs(object, 'Ready', 'True'));
}

/** The Service that an address means, which need not exist. */
export function serviceOf(node: Node, host: HostSetting, graph: Graph): Node {
  const namespace = host.namespace === '' ? node.key.namespace : host.namespace;
  return graph.store.refer({ group: '', kind: 'Service', namespace, name: host.service });
}

/** A Service that is there and does not have the port. A Service without a cluster address leads to the pods' own. */
export function wrongPort(node: Node, host: HostSetting, graph: Graph): Finding | undefined {
  const service = serviceOf(node, host, graph);
  const ports = servicePorts(service);
  if (
    service.state !== 'present' ||
    host.port === undefined ||
    ports.length === 0 ||
    ports.includes(host.port) ||
    textAt(service.object, 'spec', 'clusterIP') === 'None' ||
    selectedPods(service, graph).some((pod) => graph.top(pod) === node)
  )
    return undefined;
  const field = host.portField ?? host.field;
  const say = `${nodeText(node)} uses port ${host.port} of ${nodeText(service)}, which exposes ${ports.join(', ')}`;
  return leaf('G12', node, 'run', host.holder === node ? say : `${say} (${field} of ${nodeText(host.holder)})`, {
    evidence: [
      fact(host.holder, field, host.portField === undefined ? host.text : String(host.port)),
      fact(service, 'spec.ports[].port', ports.join(', ')),
    ],
    field,
    ...(host.holder === node ? {} : { blamed: host.holder }),
    fix: change(host.holder, graph, `correct the port: ${nodeText(service)} exposes ${ports.join(', ')}`),
  });
}
