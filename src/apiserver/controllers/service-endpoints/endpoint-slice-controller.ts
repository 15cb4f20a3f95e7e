import { equal, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import { items, maybe, sub, text, texts } from '../../resources/index.js';
import type { WatchedObject } from '../../rest/index.js';
import {
  ownKey,
  reconciler,
  type Controller,
  type ControllerHost,
  type ObjectName,
  controllerReference,
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
import { NODES, PODS, SERVICES } from '../../../model/resources/index.js';

const SLICES = { group: 'discovery.k8s.io', plural: 'endpointslices' } as const;
const COMPONENT = 'endpoint-slice-controller';
const MANAGER = 'endpointslice-controller.k8s.io';
const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const ZONE = 'topology.kubernetes.io/zone';
const MAX_ENDPOINTS = 100;

/** Keeps the EndpointSlices of each Service with a selector. */
export const endpointSliceController: Controller = reconciler({
  name: COMPONENT,
  workClass: 'noting',
  watches: [
    { of: SERVICES, keys: ownKey },
    { of: PODS, keys: servicesOfPod },
    { of: SLICES, keys: serviceOfSlice },
  ],
  async reconcile({ namespace, name }, host) {
    const service = host.client.get(SERVICES, namespace, name);
    if (service && isSelecting(service) && service.metadata.deletionTimestamp === undefined)
      await reconcile(service, host);
  },
});

function serviceOfSlice({ object: { metadata } }: WatchedObject): ObjectName[] {
  const name = own(metadata.labels ?? {}, SERVICE_NAME);
  return own(metadata.labels ?? {}, MANAGED_BY) === MANAGER && typeof name === 'string'
    ? [{ namespace: metadata.namespace ?? '', name }]
    : [];
}

/** Endpoints that share a family and ports. */
interface Group {
  readonly addressType: string;
  readonly ports: readonly JsonObject[];
  readonly endpoints: JsonObject[];
}

async function reconcile(service: KubeObject, host: ControllerHost): Promise<void> {
  const { namespace, name } = service.metadata;
  const pods = podsOf(host, service, true);
  const existing = host.client
    .list(SLICES, namespace)
    .filter(
      ({ metadata: { labels = {}, deletionTimestamp } }) =>
        own(labels, SERVICE_NAME) === name && own(labels, MANAGED_BY) === MANAGER && deletionTimestamp === undefined,
    );
  const families = texts(specOf(service), 'ipFamilies');
  const groups = (families.length > 0 ? families : ['IPv4']).flatMap((family) =>
    groupsFor(host, service, pods, family),
  );
  const context = { host, service, labels: labelsFor(service), trigger: triggerTime(service, pods) };
  const kept = new Set<KubeObject>();
  for (const group of groups) await fill(context, group, existing, kept);
  for (const slice of existing)
    if (!kept.has(slice))
      await ignoreNotFound(host.client.remove(SLICES, slice.metadata.namespace ?? '', slice.metadata.name ?? ''));
}

function labelsFor(service: KubeObject): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries(service.metadata.labels ?? {}))
    if (![SERVICE_NAME, MANAGED_BY, HEADLESS].includes(key)) put(labels, key, value);
  if (!hasClusterIp(service)) put(labels, HEADLESS, '');
  put(labels, SERVICE_NAME, service.metadata.name ?? '');
  put(labels, MANAGED_BY, MANAGER);
  return labels;
}

/** By ports; a service without endpoints has one empty group, so that it still has a slice. */
function groupsFor(
  host: ControllerHost,
  service: KubeObject,
  pods: readonly KubeObject[],
  addressType: string,
): Group[] {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const addresses = addressesOf(pod).filter((ip) => ip.includes(':') === (addressType === 'IPv6'));
    if (addresses.length === 0) continue;
    const ports = portsFor(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointFor(host, service, pod, addresses));
  }
  return groups.size > 0 ? [...groups.values()] : [{ addressType, ports: [], endpoints: [] }];
}

function portsFor(service: KubeObject, pod: KubeObject): JsonObject[] {
  return items(specOf(service), 'ports').flatMap((port) => {
    const number = targetPort(pod, port);
    const appProtocol = text(port, 'appProtocol');
    return number === undefined
      ? []
      : [
          {
            name: text(port, 'name'),
            protocol: protocolOf(port),
            port: number,
            ...(appProtocol === '' ? {} : { appProtocol }),
          },
        ];
  });
}

function endpointFor(
  { client }: ControllerHost,
  service: KubeObject,
  pod: KubeObject,
  addresses: readonly string[],
): JsonObject {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const nodeName = text(maybe(pod, 'spec'), 'nodeName');
  const zone = nodeName === '' ? undefined : own(client.get(NODES, '', nodeName)?.metadata.labels ?? {}, ZONE);
  const hostname = hostnameFor(pod, service);
  return {
    addresses: [...addresses],
    conditions: { ready: publishesUnready(service) || (serving && !terminating), serving, terminating },
    ...(hostname === '' ? {} : { hostname }),
    targetRef: podReference(pod),
    ...(nodeName === '' ? {} : { nodeName }),
    ...(typeof zone === 'string' ? { zone } : {}),
  };
}

interface SliceContext {
  readonly host: ControllerHost;
  readonly service: KubeObject;
  readonly labels: Record<string, string>;
  readonly trigger: string;
}

/** Keeps endpoints where they are, fills gaps, and makes slices for the rest; slices left empty are not kept. */
async function fill(
  filling: SliceContext,
  { addressType, ports, endpoints }: Group,
  existing: readonly KubeObject[],
  kept: Set<KubeObject>,
): Promise<void> {
  const slices = existing.filter(
    (slice) => text(slice, 'addressType') === addressType && equal(items(slice, 'ports'), [...ports]),
  );
  const byUid = new Map(endpoints.map((endpoint) => [text(sub(endpoint, 'targetRef'), 'uid'), endpoint]));
  const contents = slices.map((slice) =>
    items(slice, 'endpoints').flatMap((endpoint) => {
      const uid = text(sub(endpoint, 'targetRef'), 'uid');
      const now = byUid.get(uid);
      byUid.delete(uid);
      return now ? [now] : [];
    }),
  );
  const rest = [...byUid.values()];
  for (const content of contents) content.push(...rest.splice(0, MAX_ENDPOINTS - content.length));
  if (endpoints.length === 0 && slices.length > 0) contents[0] = [];
  for (const [index, slice] of slices.entries()) {
    const content = contents[index] ?? [];
    if (content.length === 0 && !(endpoints.length === 0 && index === 0)) continue;
    kept.add(slice);
    if (!equal(items(slice, 'endpoints'), content) || !equal(slice.metadata.labels, filling.labels))
      await write(filling, sliceOf(filling, addressType, ports, content, slice), true);
  }
  if (endpoints.length === 0 && slices.length === 0)
    await write(filling, sliceOf(filling, addressType, ports, []), false);
  while (rest.length > 0)
    await write(filling, sliceOf(filling, addressType, ports, rest.splice(0, MAX_ENDPOINTS)), false);
}

function sliceOf(
  { service, labels, trigger }: SliceContext,
  addressType: string,
  ports: readonly JsonObject[],
  endpoints: readonly JsonObject[],
  current?: KubeObject,
): KubeObject {
  const { name = '', namespace } = service.metadata;
  const annotations = { ...current?.metadata.annotations, [TRIGGER_TIME]: trigger };
  const list = (values: readonly JsonObject[]): Json => (values.length === 0 ? null : [...values]);
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    addressType,
    endpoints: list(endpoints),
    ports: list(ports),
    metadata: current
      ? { ...current.metadata, labels, annotations }
      : {
          generateName: `${name}-`,
          namespace: namespace ?? '',
          labels,
          annotations,
          ownerReferences: [controllerReference(service)],
        },
  };
}

async function write({ host: { client }, service }: SliceContext, slice: KubeObject, exists: boolean): Promise<void> {
  try {
    await (exists ? client.update(SLICES, slice) : client.create(SLICES, slice));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isNamespaceTerminating(error)) return;
    const { namespace = '', name = '' } = service.metadata;
    if (error.reason !== 'Conflict')
      client.event(
        service,
        'Warning',
        'FailedToUpdateEndpointSlices',
        `Error updating Endpoint Slices for Service ${namespace}/${name}: ${error.message}`,
        COMPONENT,
      );
    throw error;
  }
}
