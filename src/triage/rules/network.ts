import { type JsonObject, isObject, numberAt, objectAt, objectsAt, own, valueAt } from '../../model/json/index.js';
import {
  containersOf,
  hostNames,
  selectedPods,
  TEMPLATES,
  type Graph,
  nodeText,
  type Node,
  conditionIs,
  conditionOf,
} from '../graph/index.js';
import { textAt, wordOf } from '../json/index.js';
import type { Finding } from '../findings/index.js';
import { intendedName } from './ghosts.js';
import { nearestName } from './nearest-name.js';
import { servicePorts } from './pods/crashes.js';
import { isolatingPolicy } from './policies.js';
import { act, change, delegate, fact, leaf, setting } from './make-finding.js';

/** A Service that leads nowhere: its selector, its ports, or its pods. */
export function serviceRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  if (textAt(object, 'spec', 'type') === 'ExternalName') return [];
  const balancer = loadBalancer(node, graph);
  if (balancer !== undefined) return [balancer];
  const selector = objectAt(object, 'spec', 'selector');
  if (selector === undefined || Object.keys(selector).length === 0) return [];
  const pods = selectedPods(node, graph);
  if (pods.length === 0) return noPods(node, graph, selector);
  const alive = pods.filter((pod) => textAt(pod.object, 'status', 'phase') === 'Running');
  for (const port of objectsAt(object, 'spec', 'ports')) {
    const finding = alive.length === 0 ? undefined : portFault(node, graph, port, alive);
    if (finding !== undefined) return [finding];
  }
  const ready = pods.find((pod) => conditionIs(pod.object, 'Ready', 'True'));
  const closed = ready === undefined ? undefined : isolatingPolicy(ready, graph);
  if (closed !== undefined)
    return [
      leaf(
        'G08',
        node,
        'serve',
        `nobody may reach ${nodeText(node)}: ${nodeText(closed)} lets nothing in to its pods, and no other policy does`,
        {
          blamed: closed,
          field: 'spec.ingress',
          evidence: [fact(closed, 'spec', valueAt(closed.object, 'spec'))],
          fix: change(closed, graph, 'let in whoever uses the Service', { risk: 'none' }),
        },
      ),
    ];
  return ready !== undefined || valueAt(object, 'spec', 'publishNotReadyAddresses') === true
    ? []
    : [
        delegate('G02', node, 'serve', `${nodeText(node)} has no pod that is ready`, {
          evidence: [fact(node, 'spec.selector', selector)],
        }),
      ];
}

/** Lines of a Corefile, each after the plugin whose block it stands in. */
function pluginLines(file: string): string[] {
  let plugin = '';
  return file
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (line === '}') plugin = '';
      else if (line.endsWith('{')) plugin = line.startsWith('.') ? '' : line.slice(0, -1);
      else return `${plugin}${line}`;
      return '';
    });
}

/** The name server of the cluster answers for names of Services with something else than what is there. */
export function corefileRules(node: Node, graph: Graph): readonly Finding[] {
  if (node.key.name !== 'coredns' || node.key.namespace !== 'kube-system') return [];
  const file = textAt(node.object, 'data', 'Corefile');
  const wrong = pluginLines(file).find(
    (line) =>
      (line.startsWith('template ') && /rcode (?:NXDOMAIN|SERVFAIL|REFUSED)/.test(line)) ||
      (line.startsWith('hosts ') && line.includes('.svc.')),
  );
  const isWithout = file !== '' && !file.split('\n').some((line) => line.trim().startsWith('kubernetes'));
  if (wrong === undefined && !isWithout) return [];
  return [
    leaf(
      'G09',
      node,
      'serve',
      wrong === undefined
        ? 'the name server of the cluster is not told to answer for names of Services'
        : `the name server of the cluster is told to answer wrongly: ${wrong}`,
      {
        impact: 'infrastructure',
        field: 'data.Corefile',
        evidence: [fact(node, 'data.Corefile', wrong ?? file)],
        fix: change(
          node,
          graph,
          'take this out of the Corefile; CoreDNS reads it again by itself where it has the reload plugin',
          { risk: 'none' },
        ),
      },
    ),
  ];
}

/** Clouds take a few minutes. */
const LOAD_BALANCER_TIMEOUT = 600_000;

function loadBalancer(node: Node, graph: Graph): Finding | undefined {
  if (
    textAt(node.object, 'spec', 'type') !== 'LoadBalancer' ||
    objectsAt(node.object, 'status', 'loadBalancer', 'ingress').length > 0
  )
    return undefined;
  const event = graph
    .events(node)
    .find(({ reason }) => /^(SyncLoadBalancerFailed|CreatingLoadBalancerFailed|AllocationFailed)$/.test(reason));
  const age = graph.time - Date.parse(textAt(node.object, 'metadata', 'creationTimestamp'));
  if (
    event === undefined &&
    age > LOAD_BALANCER_TIMEOUT &&
    graph.appsOf(node).some((app) => textAt(app.object, 'status', 'health', 'status') !== 'Healthy')
  )
    return leaf(
      'G03',
      node,
      'serve',
      `${nodeText(node)} has no load balancer, and nobody says that one is being made`,
      {
        evidence: [fact(node, 'status.loadBalancer', valueAt(node.object, 'status', 'loadBalancer') ?? null)],
        field: 'spec.type',
        fix: change(node, graph, 'install what makes load balancers in this cluster, or use another type', {
          risk: 'none',
        }),
      },
    );
  return event === undefined
    ? undefined
    : leaf('G03', node, 'serve', `${nodeText(node)} gets no load balancer: ${event.message}`, {
        evidence: [fact(node, `event ${event.reason}`, event.message)],
        field: 'spec.type',
        fix: act('correct the annotation or the quota that the message names', [], { where: 'outside' }),
      });
}

/** Nobody is selected although somebody is meant: pods differ in one label, or the workload is scaled to zero. */
function noPods(node: Node, graph: Graph, selector: JsonObject): Finding[] {
  if (graph.store.listing('', 'Pod', node.key.namespace) !== 'complete') return [];
  const workloads = ['Deployment', 'StatefulSet', 'DaemonSet'].flatMap((kind) =>
    graph.store.inNamespace('apps', kind, node.key.namespace),
  );
  const labelsOf = (workload: Node): JsonObject =>
    objectAt(workload.object, 'spec', 'template', 'metadata', 'labels') ?? {};
  const full = workloads.find((workload) =>
    Object.keys(selector).every((key) => own(labelsOf(workload), key) === own(selector, key)),
  );
  if (full !== undefined)
    return [
      delegate('G02', node, 'serve', `${nodeText(node)} has no pods`, {
        target: full,
        evidence: [fact(node, 'spec.selector', selector)],
        ...(numberAt(full.object, 'spec', 'replicas') === 0 ? { impact: 'note' as const } : {}),
      }),
    ];
  // A Service that an operator made leads to pods that it makes when it wants to.
  if (graph.owner(node) !== undefined || node.object?.metadata.ownerReferences !== undefined) return [];
  const near = workloads
    .map((workload) => ({ workload, meant: isMeant(node, workload), almost: isAlmost(selector, labelsOf(workload)) }))
    .filter(({ meant, almost }) => meant || almost)
    .sort((a, b) => Number(b.meant) - Number(a.meant) || (a.workload.id < b.workload.id ? -1 : 1))[0];
  if (near === undefined) return [];
  const wrong = Object.keys(selector).filter((key) => own(labelsOf(near.workload), key) !== own(selector, key));
  return [
    leaf(
      'G01',
      node,
      'serve',
      `the selector of ${nodeText(node)} means no pod: ${nodeText(near.workload)} has other labels ` +
        `(${wrong.join(', ')})`,
      {
        evidence: [
          fact(node, 'spec.selector', selector),
          fact(near.workload, 'spec.template.metadata.labels', labelsOf(near.workload)),
        ],
        field: 'spec.selector',
        fix: change(node, graph, 'select the labels that the pods have', {
          risk: 'none',
          edits: wrong.flatMap((key) =>
            typeof own(labelsOf(near.workload), key) === 'string'
              ? [setting(node, `spec.selector['${key}']`, own(labelsOf(near.workload), key) ?? '')]
              : [],
          ),
        }),
      },
    ),
  ];
}

/** By name, or because git delivers both for one application and there is one workload only. */
function isMeant(service: Node, workload: Node): boolean {
  return (
    workload.key.name === service.key.name ||
    service.key.name.startsWith(`${workload.key.name}-`) ||
    workload.key.name.startsWith(`${service.key.name}-`)
  );
}

/** The same keys, and what differs is a slip. */
function isAlmost(selector: JsonObject, labels: JsonObject): boolean {
  const different = Object.keys(selector).filter((key) => own(labels, key) !== own(selector, key));
  return (
    different.length < Math.max(2, Object.keys(selector).length) &&
    different.every((key) => {
      const value = own(labels, key);
      return typeof value === 'string' && nearestName(wordOf(own(selector, key)), [value]) !== undefined;
    })
  );
}

/** targetPort must be a port of the pods: a name that one has, or a number where they say which they open. */
function portFault(node: Node, graph: Graph, port: JsonObject, pods: readonly Node[]): Finding | undefined {
  const target = port.targetPort ?? port.port;
  const isNamed = typeof target === 'string' && !/^\d+$/.test(target);
  const opened = pods.flatMap((pod) =>
    containersOf(objectAt(pod.object, 'spec'), 'spec').flatMap(({ container }) => objectsAt(container, 'ports')),
  );
  if (opened.length === 0 && !isNamed) return undefined;
  const fitting = opened.filter((each) =>
    isNamed ? textAt(each, 'name') === target : numberAt(each, 'containerPort') === Number(target),
  );
  const index = objectsAt(node.object, 'spec', 'ports').indexOf(port);
  const evidence = [
    fact(node, `spec.ports[${index}].targetPort`, target ?? null),
    {
      of: 'Pods',
      path: 'spec.containers[].ports',
      value: opened
        .map((each) =>
          (
            `${textAt(each, 'name')} ` + `${numberAt(each, 'containerPort') ?? ''}/${textAt(each, 'protocol') || 'TCP'}`
          ).trim(),
        )
        .join(', '),
    },
  ];
  if (fitting.length === 0)
    return leaf('G01', node, 'serve', `${nodeText(node)} leads to port ${wordOf(target)}, which its pods do not open`, {
      evidence,
      field: `spec.ports[${index}].targetPort`,
      fix: change(node, graph, 'lead to a port that the pods open', {
        risk: 'none',
        edits: onlyPort(opened).map((one) => setting(node, `spec.ports[${index}].targetPort`, one)),
      }),
    });
  const protocol = textAt(port, 'protocol') || 'TCP';
  // Pods need not name every protocol of a port that they open, such as DNS over both.
  const isServed = objectsAt(node.object, 'spec', 'ports').some(
    (other) =>
      other !== port &&
      (other.targetPort ?? other.port) === target &&
      fitting.some((each) => (textAt(each, 'protocol') || 'TCP') === (textAt(other, 'protocol') || 'TCP')),
  );
  if (!isServed && fitting.every((each) => (textAt(each, 'protocol') || 'TCP') !== protocol))
    return leaf(
      'G01',
      node,
      'serve',
      `${nodeText(node)} speaks ${protocol} to port ${wordOf(target)}, which its pods open for ${textAt(fitting[0], 'protocol') || 'TCP'}`,
      {
        evidence,
        field: `spec.ports[${index}].protocol`,
        fix: change(node, graph, 'use the protocol of the pods', { risk: 'none' }),
      },
    );
  return undefined;
}

/** The number of the one port that is open; none where there are several. */
function onlyPort(opened: readonly JsonObject[]): number[] {
  const numbers = [...new Set(opened.flatMap((each) => numberAt(each, 'containerPort') ?? []))];
  return numbers.length === 1 ? numbers : [];
}

/**
 * Addresses in a template that cannot work: a Service that is there without this port, or one whose name is nearly
 * right.
 */
export function addressRules(node: Node, graph: Graph): readonly Finding[] {
  const path = TEMPLATES[`${node.key.group}/${node.key.kind}`];
  if (path === undefined || graph.owner(node) !== undefined) return [];
  const found: Finding[] = [];
  for (const { container, path: where } of containersOf(
    objectAt(node.object, ...path, 'spec'),
    [...path, 'spec'].join('.'),
  )) {
    for (const host of hostNames(container, where)) {
      const namespace = host.namespace === '' ? node.key.namespace : host.namespace;
      const service = graph.store.refer({ group: '', kind: 'Service', namespace, name: host.service });
      const told = {
        evidence: [fact(node, host.field, host.text)],
        field: host.field,
        fix: change(node, graph, 'correct the address'),
      };
      if (
        service.state === 'present' &&
        host.port !== undefined &&
        servicePorts(service).length > 0 &&
        !servicePorts(service).includes(host.port) &&
        textAt(service.object, 'spec', 'clusterIP') !== 'None'
      ) {
        found.push(
          leaf(
            'G12',
            node,
            'run',
            `${nodeText(node)} asks port ${host.port} of ${nodeText(service)}, which has ${servicePorts(service).join(', ')}`,
            told,
          ),
        );
      } else if (service.state === 'ghost') {
        const near = intendedName(service, graph);
        if (near !== undefined || host.namespace !== '')
          found.push(
            leaf(
              'G12',
              node,
              'run',
              `${nodeText(node)} names the Service ${namespace}/${host.service}, which does not ` +
                `exist${near === undefined ? '' : `; there is ${near}`}`,
              { ...told, suspect: true, ...(isWell(node) ? { impact: 'drift' as const } : {}) },
            ),
          );
      }
    }
  }
  return found.slice(0, 3);
}

function isWell({ object }: Node): boolean {
  return (numberAt(object, 'status', 'readyReplicas') ?? 0) >= (numberAt(object, 'spec', 'replicas') ?? 1);
}

/** Ingresses and routes refer to things by name; what is absent is the cause. */
export function ingressRules(node: Node, graph: Graph): readonly Finding[] {
  const ghosts = graph.edges(node).filter(({ to, hard }) => hard && to.state === 'ghost');
  const isMade = graph.owner(node) !== undefined;
  const found: Finding[] = ghosts.map(({ to, field }) =>
    leaf('G04', node, 'serve', `${nodeText(node)} refers to ${nodeText(to)}, which does not exist`, {
      evidence: [fact(node, field, to.key.name)],
      field,
      ...(isMade ? { impact: 'note' as const } : {}),
      ...(to.key.kind === 'Secret' ? { target: to } : {}),
      fix: change(node, graph, 'refer to what exists', { risk: 'none' }),
    }),
  );
  return [
    ...found.map((finding) => (finding.target === undefined ? finding : { ...finding, kind: 'delegating' as const })),
    ...wrongPorts(node, graph),
  ];
}

/** Backends of an Ingress whose Service is there and does not have the port. */
function wrongPorts(node: Node, graph: Graph): Finding[] {
  if (node.key.kind !== 'Ingress') return [];
  return objectsAt(node.object, 'spec', 'rules').flatMap((rule, at1) =>
    objectsAt(rule, 'http', 'paths').flatMap((path, at2) => {
      const backend = objectAt(path, 'backend', 'service');
      const service = graph.store.get({
        group: '',
        kind: 'Service',
        namespace: node.key.namespace,
        name: textAt(backend, 'name'),
      });
      const [number, name] = [numberAt(backend, 'port', 'number'), textAt(backend, 'port', 'name')];
      const ports = objectsAt(service?.object, 'spec', 'ports');
      if (
        ports.length === 0 ||
        (number === undefined && name === '') ||
        ports.some((each) => (number === undefined ? textAt(each, 'name') === name : numberAt(each, 'port') === number))
      )
        return [];
      const field = `spec.rules[${at1}].http.paths[${at2}].backend.service.port`;
      return [
        leaf(
          'G04',
          node,
          'serve',
          `${nodeText(node)} leads to port ${number ?? name} of Service ${textAt(backend, 'name')}, which ` +
            'does not have it',
          {
            evidence: [fact(node, field, valueAt(backend, 'port') ?? null)],
            field,
            fix: change(
              node,
              graph,
              `lead to a port of the Service: ${ports.map((each) => numberAt(each, 'port') ?? '').join(', ')}`,
              { risk: 'none' },
            ),
          },
        ),
      ];
    }),
  );
}

/** The mesh: what it refers to, and whether any pod is the gateway that it means. */
export function istioRules(node: Node, graph: Graph): readonly Finding[] {
  const found = [
    ...ingressRules(node, graph).map((finding) => ({ ...finding, rule: 'G07' })),
    ...subsetsOfNobody(node, graph),
  ];
  const selector = objectAt(node.object, 'spec', 'selector');
  if (
    node.key.kind !== 'Gateway' ||
    selector === undefined ||
    graph.store.listing('', 'Pod', node.key.namespace) !== 'complete'
  )
    return found;
  const labels = Object.fromEntries(Object.keys(selector).map((key) => [key, wordOf(own(selector, key))]));
  const isMeant = graph.store
    .ofKind('', 'Pod')
    .some(({ object }) =>
      Object.entries(labels).every(([key, value]) => textAt(object, 'metadata', 'labels', key) === value),
    );
  return isMeant
    ? found
    : [
        ...found,
        leaf('G07', node, 'serve', `the selector of ${nodeText(node)} means no pod, so nothing is its gateway`, {
          evidence: [fact(node, 'spec.selector', selector)],
          field: 'spec.selector',
          fix: change(node, graph, 'select the labels of an ingress gateway, or install one', { risk: 'none' }),
        }),
      ];
}

/** A route may lead to a subset of a Service; only a DestinationRule of that host says what the subset is. */
function subsetsOfNobody(node: Node, graph: Graph): Finding[] {
  const fullName = (host: string, namespace: string): string =>
    host.split('.').length > 1 ? host.split('.').slice(0, 2).join('.') : `${host}.${namespace}`;
  const known = graph.once(
    'subsets of the mesh',
    () =>
      new Map(
        graph.store
          .ofKind('networking.istio.io', 'DestinationRule')
          .map(({ key, object }) => [
            fullName(textAt(object, 'spec', 'host'), key.namespace),
            objectsAt(object, 'spec', 'subsets').map((subset) => textAt(subset, 'name')),
          ]),
      ),
  );
  return objectsAt(node.object, 'spec', 'http').flatMap((rule, r) =>
    objectsAt(rule, 'route').flatMap((route, t) => {
      const [host, subset] = [textAt(route, 'destination', 'host'), textAt(route, 'destination', 'subset')];
      const subsets = known.get(fullName(host, node.key.namespace)) ?? [];
      if (
        subset === '' ||
        subsets.includes(subset) ||
        graph.store.listing('networking.istio.io', 'DestinationRule', node.key.namespace) !== 'complete'
      )
        return [];
      const field = `spec.http[${r}].route[${t}].destination.subset`;
      return [
        leaf(
          'G07',
          node,
          'serve',
          `${nodeText(node)} leads to the subset ${subset} of ${host}, which no DestinationRule has`,
          {
            evidence: [
              fact(node, field, subset),
              { of: 'DestinationRules', path: 'spec.subsets[].name', value: subsets.join(', ') || 'none' },
            ],
            field,
            fix: change(node, graph, 'lead to a subset that there is, or add it to the DestinationRule', {
              risk: 'none',
            }),
          },
        ),
      ];
    }),
  );
}

export function openShiftRouteRules(node: Node, graph: Graph): readonly Finding[] {
  const refused = objectsAt(node.object, 'status', 'ingress')
    .flatMap((ingress) => objectsAt(ingress, 'conditions'))
    .find((condition) => textAt(condition, 'type') === 'Admitted' && textAt(condition, 'status') === 'False');
  if (refused === undefined) return ingressRules(node, graph);
  return [
    leaf(
      'G05',
      node,
      'serve',
      `the router does not take ${nodeText(node)}: ${textAt(refused, 'reason')} ${textAt(refused, 'message')}`,
      {
        evidence: [fact(node, 'status.ingress[].conditions[Admitted]', textAt(refused, 'reason'))],
        field: textAt(refused, 'reason') === 'HostAlreadyClaimed' ? 'spec.host' : 'spec',
        fix: change(node, graph, 'choose another host, or correct what the message names', { risk: 'none' }),
      },
    ),
  ];
}

/** Gateway API keeps its conditions in several places. */
export function gatewayRules(node: Node, graph: Graph): readonly Finding[] {
  const conditions = [
    ...objectsAt(node.object, 'status', 'conditions'),
    ...objectsAt(node.object, 'status', 'parents').flatMap((parent) => objectsAt(parent, 'conditions')),
    ...objectsAt(node.object, 'status', 'listeners').flatMap((listener) => objectsAt(listener, 'conditions')),
  ];
  const bad = conditions.find(
    (condition) =>
      ['Accepted', 'Programmed', 'ResolvedRefs'].includes(textAt(condition, 'type')) &&
      textAt(condition, 'status') === 'False',
  );
  if (bad === undefined) return [];
  const evidence = [
    fact(node, `status.conditions[${textAt(bad, 'type')}]`, `${textAt(bad, 'reason')}: ${textAt(bad, 'message')}`),
  ];
  const field = /Backend|RefNotPermitted/.test(textAt(bad, 'reason'))
    ? 'spec.rules[].backendRefs'
    : /Parent|Listener/.test(textAt(bad, 'reason'))
      ? 'spec.parentRefs'
      : 'spec';
  return [
    leaf('G06', node, 'serve', `${nodeText(node)} is not served: ${textAt(bad, 'reason')} ${textAt(bad, 'message')}`, {
      evidence,
      field,
      fix: change(node, graph, 'correct the reference that the reason names', { risk: 'none' }),
    }),
  ];
}

/** A webhook or an aggregated API whose Service has nobody behind it. */
export function backedRules(node: Node, graph: Graph): readonly Finding[] {
  if (node.key.kind === 'APIService') {
    const available = conditionOf(node.object, 'Available');
    if (textAt(available, 'status') !== 'False') return [];
    return [
      delegate('F12', node, 'serve', `the API ${node.key.name} does not answer: ${textAt(available, 'reason')}`, {
        impact: 'infrastructure',
        evidence: [
          fact(node, 'status.conditions[Available]', `${textAt(available, 'reason')}: ${textAt(available, 'message')}`),
        ],
      }),
    ];
  }
  const bad = graph
    .edges(node)
    .filter(
      ({ to }) =>
        to.key.kind === 'Service' && (to.state === 'ghost' || (to.object !== undefined && !servesAnything(to, graph))),
    );
  const blocks = objectsAt(node.object, 'webhooks').some((webhook) => textAt(webhook, 'failurePolicy') !== 'Ignore');
  return bad.length === 0
    ? []
    : [
        delegate('A16', node, 'serve', `the webhook ${node.key.name} has nobody who answers`, {
          impact: blocks ? 'infrastructure' : 'note',
          evidence: bad.map(({ to, field }) => fact(node, field, nodeText(to))),
        }),
      ];
}

function servesAnything(service: Node, graph: Graph): boolean {
  const selector = objectAt(service.object, 'spec', 'selector');
  return (
    !isObject(selector) ||
    graph.store.listing('', 'Pod', service.key.namespace) !== 'complete' ||
    selectedPods(service, graph).some((pod) => conditionIs(pod.object, 'Ready', 'True'))
  );
}
