import { equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { items, maybe, text } from '../../resources/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  ignoreNotFound,
} from '../../controller-runtime/index.js';
import { isNamespaceTerminating } from '../common/pod-control.js';
import { isReady } from '../common/pod-conditions.js';
import {
  addressesOf,
  hasClusterIp,
  HEADLESS,
  hostnameFor,
  isSelecting,
  podReference,
  podsOf,
  protocolOf,
  publishesUnready,
  servicesOfPod,
  specOf,
  targetPort,
  TRIGGER_TIME,
  triggerTime,
} from './service-pods.js';
import { PODS, SERVICES } from '../../../model/resources/index.js';

const ENDPOINTS = { group: '', plural: 'endpoints' } as const;
const COMPONENT = 'endpoint-controller';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const CAPACITY = 1000;

/** Keeps the Endpoints object of each Service with a selector. */
export const endpointsController: Controller = reconciler({
  name: COMPONENT,
  workClass: 'noting',
  watches: [
    { of: SERVICES, keys: ownKey },
    { of: PODS, keys: servicesOfPod },
    { of: ENDPOINTS, keys: ownKey },
  ],
  async reconcile({ namespace, name }, host) {
    const service = host.client.get(SERVICES, namespace, name);
    if (service) return isSelecting(service) ? reconcile(service, host) : undefined;
    const left = host.client.get(ENDPOINTS, namespace, name);
    // Only what this controller made goes with its service.
    if (left && own(left.metadata.labels ?? {}, MANAGED_BY) === COMPONENT)
      await ignoreNotFound(host.client.remove(ENDPOINTS, namespace, name));
  },
});

async function reconcile(service: KubeObject, host: ControllerHost): Promise<void> {
  const { namespace = '', name = '' } = service.metadata;
  const pods = podsOf(host, service, publishesUnready(service));
  const current = host.client.get(ENDPOINTS, namespace, name);
  const { subsets, truncated } = truncate(subsetsFor(service, pods));
  const labels: Record<string, string> = { ...service.metadata.labels };
  if (!hasClusterIp(service)) put(labels, HEADLESS, '');
  put(labels, MANAGED_BY, COMPONENT);
  if (current && equal(items(current, 'subsets'), subsets) && equal(current.metadata.labels, labels)) return;
  const annotations: Record<string, string> = { ...current?.metadata.annotations };
  put(annotations, TRIGGER_TIME, triggerTime(service, pods));
  if (truncated) put(annotations, OVER_CAPACITY, 'truncated');
  else Reflect.deleteProperty(annotations, OVER_CAPACITY);
  const endpoints: KubeObject = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { ...current?.metadata, name, namespace, labels, annotations },
    ...(subsets.length === 0 ? {} : { subsets }),
  };
  await write(host, service, endpoints, current !== undefined);
}

async function write(
  { client }: ControllerHost,
  { metadata: { namespace = '', name = '' } }: KubeObject,
  endpoints: KubeObject,
  exists: boolean,
): Promise<void> {
  try {
    await (exists ? client.update(ENDPOINTS, endpoints) : client.create(ENDPOINTS, endpoints));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isNamespaceTerminating(error)) return;
    const [reason, what] = exists
      ? ['FailedToUpdateEndpoint', 'update endpoint']
      : ['FailedToCreateEndpoint', 'create endpoint for service'];
    if (error.reason !== 'Conflict')
      client.event(endpoints, 'Warning', reason, `Failed to ${what} ${namespace}/${name}: ${error.message}`, COMPONENT);
    throw error;
  }
}

/** Addresses with the same ports share a subset. */
function subsetsFor(service: KubeObject, pods: readonly KubeObject[]): JsonObject[] {
  const groups = new Map<string, { ports: JsonObject[]; ready: JsonObject[]; unready: JsonObject[] }>();
  for (const pod of pods) {
    const ports = portsFor(service, pod);
    if (ports === undefined) continue;
    const group = groups.get(JSON.stringify(ports)) ?? { ports, ready: [], unready: [] };
    groups.set(JSON.stringify(ports), group);
    (publishesUnready(service) || isReady(pod) ? group.ready : group.unready).push(addressFor(service, pod));
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, unready }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready.sort(byAddress) }),
      ...(unready.length === 0 ? {} : { notReadyAddresses: unready.sort(byAddress) }),
      ...(ports.length === 0 ? {} : { ports }),
    }));
}

/** Undefined where the service has ports and the pod has none of them. */
function portsFor(service: KubeObject, pod: KubeObject): JsonObject[] | undefined {
  const wanted = items(specOf(service), 'ports');
  if (wanted.length === 0) return hasClusterIp(service) ? undefined : [];
  const found = wanted.flatMap((port) => {
    const number = targetPort(pod, port);
    const [name, appProtocol] = [text(port, 'name'), text(port, 'appProtocol')];
    return number === undefined
      ? []
      : [
          {
            ...(name === '' ? {} : { name }),
            port: number,
            protocol: protocolOf(port),
            ...(appProtocol === '' ? {} : { appProtocol }),
          },
        ];
  });
  return found.length === 0 ? undefined : found;
}

function addressFor(service: KubeObject, pod: KubeObject): JsonObject {
  const hostname = hostnameFor(pod, service);
  const nodeName = text(maybe(pod, 'spec'), 'nodeName');
  return {
    ip: addressesOf(pod)[0],
    ...(hostname === '' ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: podReference(pod),
  };
}

function byAddress(a: JsonObject, b: JsonObject): number {
  const parts = (address: JsonObject): string =>
    text(address, 'ip')
      .split('.')
      .map((part) => part.padStart(3, '0'))
      .join('.');
  return parts(a) < parts(b) ? -1 : 1;
}

/** The object holds a thousand addresses at most; ready ones come first. */
function truncate(subsets: readonly JsonObject[]): { subsets: JsonObject[]; truncated: boolean } {
  const total = subsets.reduce(
    (sum, subset) => sum + items(subset, 'addresses').length + items(subset, 'notReadyAddresses').length,
    0,
  );
  if (total <= CAPACITY) return { subsets: [...subsets], truncated: false };
  let room = CAPACITY;
  const cut = subsets.map((subset) => ({ ...subset }));
  for (const list of ['addresses', 'notReadyAddresses']) {
    for (const subset of cut) {
      const kept = items(subset, list).slice(0, room);
      room -= kept.length;
      if (kept.length > 0) put(subset, list, kept);
      else Reflect.deleteProperty(subset, list);
    }
  }
  return { subsets: cut, truncated: true };
}
