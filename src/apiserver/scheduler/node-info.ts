import { equal, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { count, items, maybe, number, sub, text } from '../resources/index.js';
import { addTo, amountsOf, podRequests, type Amounts } from './pod-requests.js';

/** A pod that has or seeks a node, with what the scheduler asks of it again and again. */
export interface PodInfo {
  readonly pod: KubeObject;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  readonly priority: number;
  /** Has rules that keep other pods away from where it runs. */
  readonly repels: boolean;
}

interface HostPort {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
}

export function podInfo(pod: KubeObject): PodInfo {
  const spec = sub(pod, 'spec');
  const anti = maybe(spec, 'affinity.podAntiAffinity');
  return {
    pod,
    requests: podRequests(pod),
    ports: hostPorts(spec),
    priority: number(spec, 'priority') ?? 0,
    repels: items(anti, 'requiredDuringSchedulingIgnoredDuringExecution').length > 0,
  };
}

function hostPorts(spec: JsonObject): HostPort[] {
  const containers = [
    ...items(spec, 'containers'),
    ...items(spec, 'initContainers').filter((each) => text(each, 'restartPolicy') === 'Always'),
  ];
  return containers
    .flatMap((container) => items(container, 'ports'))
    .flatMap((port) => {
      const number = count(port, 'hostPort');
      return number === 0
        ? []
        : [{ address: text(port, 'hostIP') || '0.0.0.0', protocol: text(port, 'protocol') || 'TCP', port: number }];
    });
}

/** A node with the pods on it and what they use. Pods that ended use nothing. */
export class NodeInfo {
  readonly pods = new Map<string, PodInfo>();
  readonly requested = new Map<string, bigint>();
  allocatable: Amounts;

  constructor(public node: KubeObject) {
    this.allocatable = amountsOf(maybe(node, 'status.allocatable'));
  }

  get name(): string {
    return this.node.metadata.name ?? '';
  }

  /** True where the change could let a pod in that was refused before. */
  update(node: KubeObject): boolean {
    const before = this.node;
    this.node = node;
    this.allocatable = amountsOf(maybe(node, 'status.allocatable'));
    return (
      !equal(before['spec'], node['spec']) ||
      !equal(before.metadata.labels, node.metadata.labels) ||
      !equal(maybe(before, 'status.allocatable'), maybe(node, 'status.allocatable'))
    );
  }

  add(facts: PodInfo): void {
    const uid = facts.pod.metadata.uid ?? '';
    this.remove(uid);
    this.pods.set(uid, facts);
    addTo(this.requested, facts.requests);
  }

  remove(uid: string): void {
    const facts = this.pods.get(uid);
    if (!facts) return;
    this.pods.delete(uid);
    addTo(this.requested, facts.requests, -1n);
  }

  /** The same node without some of its pods, to see what would fit. */
  without(uids: ReadonlySet<string>): NodeInfo {
    const copy = new NodeInfo(this.node);
    for (const [uid, facts] of this.pods) if (!uids.has(uid)) copy.add(facts);
    return copy;
  }

  free(resource: string): bigint {
    return (this.allocatable.get(resource) ?? 0n) - (this.requested.get(resource) ?? 0n);
  }

  hasPort(wanted: HostPort): boolean {
    for (const { ports } of this.pods.values()) if (ports.some((port) => collide(port, wanted))) return true;
    return false;
  }
}

function collide(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port &&
    a.protocol === b.protocol &&
    (a.address === b.address || a.address === '0.0.0.0' || b.address === '0.0.0.0')
  );
}
