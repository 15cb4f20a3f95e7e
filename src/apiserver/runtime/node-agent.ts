import { equal, own, put, type JsonObject } from '../../model/json/index.js';
import { formatMicroTime, instantOf } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type ControllerHost, ignoreNotFound } from '../controller-runtime/index.js';
import { ensure, items, maybe, text } from '../resources/index.js';
import { timestamp } from '../rest/index.js';
import { CONTAINERD_VERSIONS, type ContainerdVersion } from './containerd.js';
import { firstNodes, healthyConditions, NODE_CAPACITY, NODE_INFO } from './first-nodes.js';
import { LEASES, NODES } from '../../model/resources/index.js';

const LEASE_NAMESPACE = 'kube-node-lease';
/** Milliseconds between two heartbeats of a node's Lease; every eighth one also updates the node's status. */
const HEARTBEAT = 40_000;
const BEATS_PER_STATUS = 8;

export const RUNTIME_ANNOTATION = 'argosy.dev/runtime';

/** Every node is simulated, unless its annotation `argosy.dev/runtime` is `none`. */
export function isSimulated(node: KubeObject | undefined): boolean {
  return (
    node !== undefined &&
    node.metadata.annotations?.[RUNTIME_ANNOTATION] !== 'none' &&
    node.metadata.deletionTimestamp === undefined
  );
}

/**
 * The nodes' own part of the kubelet: makes the first ones, fills in what a node reports of itself, and keeps leases
 * alive.
 */
export class NodeAgent {
  #cancel: () => void = () => undefined;
  #beats = 0;
  #closed = false;
  readonly #promised = new Map<string, string>();

  constructor(
    readonly host: ControllerHost,
    readonly containerd: ContainerdVersion,
  ) {}

  /** A cluster without any node gets its first ones. */
  async start(): Promise<void> {
    const { client } = this.host;
    if (client.list(NODES).length === 0) for (const node of firstNodes()) await client.create(NODES, node);
    this.#beat();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  /**
   * Completes what a node says of itself; what is there stays, so that a user's node keeps its own capacity or trouble.
   */
  async register(node: KubeObject): Promise<void> {
    const { client, clock } = this.host;
    const name = node.metadata.name ?? '';
    if (!isSimulated(node)) return;
    await client.edit(NODES, '', name, (copy) => initializeNode(copy, () => this.#rangeFor(name)));
    const now = timestamp(clock.now());
    await client.edit(
      NODES,
      '',
      name,
      (copy) => {
        const status = ensure(copy, 'status');
        const next = completed(status, copy, now, this.containerd);
        if (equal(status, next)) return false;
        copy['status'] = next;
        return true;
      },
      'status',
    );
    if (!client.get(LEASES, LEASE_NAMESPACE, name)) await this.#renew(node);
  }

  /** A range that no node has and none was promised: nodes register side by side. */
  #rangeFor(name: string): string {
    const nodes = this.host.client.list(NODES);
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const other of this.#promised.keys()) if (!names.has(other)) this.#promised.delete(other);
    const range =
      this.#promised.get(name) ??
      freeRange(new Set([...nodes.map((node) => text(maybe(node, 'spec'), 'podCIDR')), ...this.#promised.values()]));
    this.#promised.set(name, range);
    return range;
  }

  #beat(): void {
    if (this.#closed) return;
    this.#cancel = this.host.clock.after(HEARTBEAT, () => {
      this.#beats += 1;
      this.#tick().catch((error: unknown) => {
        this.host.log.error('kubelet: heartbeat', { error });
      });
      this.#beat();
    });
  }

  async #tick(): Promise<void> {
    const nodes = this.host.client.list(NODES).filter(isSimulated);
    await Promise.all(nodes.map((node) => this.#renew(node)));
    if (this.#beats % BEATS_PER_STATUS === 0) await Promise.all(nodes.map((node) => this.#sendHeartbeat(node)));
  }

  async #renew(node: KubeObject): Promise<void> {
    const { client, clock } = this.host;
    const name = node.metadata.name ?? '';
    const renewTime = formatMicroTime(instantOf(clock.now().getTime()));
    const renewed = await client.edit(LEASES, LEASE_NAMESPACE, name, (lease) => {
      ensure(lease, 'spec')['renewTime'] = renewTime;
    });
    if (renewed || !client.get({ group: '', plural: 'namespaces' }, '', LEASE_NAMESPACE)) return;
    await client.create(LEASES, {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        name,
        namespace: LEASE_NAMESPACE,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid ?? '' }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: HEARTBEAT / 1000, renewTime },
    });
  }

  async #sendHeartbeat(node: KubeObject): Promise<void> {
    const now = timestamp(this.host.clock.now());
    await ignoreNotFound(
      this.host.client.edit(
        NODES,
        '',
        node.metadata.name ?? '',
        (copy) => {
          for (const condition of items(maybe(copy, 'status'), 'conditions')) condition['lastHeartbeatTime'] = now;
        },
        'status',
      ),
    );
  }
}

/** The labels that a kubelet gives its node, and a range for its pods. False where all is there. */
function initializeNode(node: KubeObject, freeRangeOf: () => string): boolean {
  const name = node.metadata.name ?? '';
  const labels: Record<string, string> = {
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
  };
  const missing = Object.keys(labels).filter((label) => node.metadata.labels?.[label] === undefined);
  node.metadata.labels = { ...labels, ...node.metadata.labels };
  if (text(maybe(node, 'spec'), 'podCIDR') !== '') return missing.length > 0;
  const range = freeRangeOf();
  ensure(node, 'spec')['podCIDR'] = range;
  ensure(node, 'spec')['podCIDRs'] = [range];
  return true;
}

function completed(status: JsonObject, node: KubeObject, now: string, containerd: ContainerdVersion): JsonObject {
  const name = node.metadata.name ?? '';
  const conditions = items(status, 'conditions');
  const types = conditions.map((condition) => text(condition, 'type'));
  const addresses = items(status, 'addresses');
  const hasAddress = addresses.some((address) => text(address, 'type') === 'InternalIP');
  return {
    ...status,
    addresses: hasAddress
      ? addresses
      : [
          { type: 'InternalIP', address: addressFor(node) },
          ...addresses,
          ...(addresses.length === 0 ? [{ type: 'Hostname', address: name }] : []),
        ],
    allocatable: filled({ ...maybe(status, 'capacity'), ...maybe(status, 'allocatable') }),
    capacity: filled(maybe(status, 'capacity')),
    conditions: [
      ...conditions,
      ...healthyConditions(now).filter((condition) => !types.includes(text(condition, 'type'))),
    ],
    daemonEndpoints: maybe(status, 'daemonEndpoints') ?? { kubeletEndpoint: { Port: 10250 } },
    nodeInfo:
      text(maybe(status, 'nodeInfo'), 'kubeletVersion') === ''
        ? {
            ...NODE_INFO,
            containerRuntimeVersion: `containerd://${CONTAINERD_VERSIONS[containerd]}`,
            machineID: (node.metadata.uid ?? '').replaceAll('-', ''),
            systemUUID: node.metadata.uid ?? '',
            bootID: node.metadata.uid ?? '',
          }
        : (status['nodeInfo'] ?? {}),
  };
}

function filled(amounts: JsonObject | undefined): JsonObject {
  const all: JsonObject = {};
  for (const [from, names] of [
    [amounts ?? {}, Object.keys(amounts ?? {})],
    [NODE_CAPACITY, Object.keys(NODE_CAPACITY)],
  ] as const) {
    for (const name of names) if (own(all, name) === undefined) put(all, name, own(from, name));
  }
  return all;
}

/** An address of the nodes' network, from the node's pod range, so that no two nodes have the same. */
function addressFor(node: KubeObject): string {
  const [, block = '244', index = '1'] =
    /^10\.(24[4-9]|25[0-5])\.(\d+)\.0\/24$/.exec(text(maybe(node, 'spec'), 'podCIDR')) ?? [];
  return `172.18.${Number(block) - 243}.${index}`;
}

function freeRange(taken: ReadonlySet<string>): string {
  for (let index = 0; ; index++) {
    const range = `10.${244 + (index >> 8)}.${index & 255}.0/24`;
    if (!taken.has(range)) return range;
  }
}
