import { equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  wide,
  count,
  ensure,
  fill,
  has,
  items,
  maybe,
  number,
  sub,
  text,
  texts,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { labelsText } from '../validation/label-selectors.js';
import { collectFieldErrors } from '../validation/field-errors.js';
import { isExternallyAccessible, needsClusterIP, needsHealthCheckPort, needsNodePorts } from './service-shape.js';
import { checkLoadBalancerStatus, checkService, checkServiceUpdate } from './service-validation.js';

/** Leading zeros are read as decimal today and will be refused one day. */
function addressWarnings(addresses: readonly string[]): string[] {
  return addresses.flatMap((address, index) => {
    const plain = /^\d+(\.\d+){3}$/.test(address) ? address.split('.').map(Number).join('.') : address;
    if (plain === address) return [];
    return [
      `spec.externalIPs[${index}]: non-standard IP address ${JSON.stringify(address)} will be considered ` +
        `invalid in a future Kubernetes release: use ${JSON.stringify(plain)}`,
    ];
  });
}

export const SERVICE = kind({
  columns: [
    NAME,
    column('Type', (service) => text(maybe(service, 'spec'), 'type')),
    column('Cluster-IP', (service) => texts(maybe(service, 'spec'), 'clusterIPs')[0] ?? '<none>'),
    column('External-IP', externalAddress),
    column('Port(s)', portsText),
    AGE,
    wide('Selector', (service) => labelsText(maybe(service, 'spec'), 'selector')),
  ],
  fields: { 'spec.clusterIP': '', 'spec.type': '' },
  strategy: {
    nameRule: 'label1035',
    warnings: (service) => addressWarnings(texts(sub(service, 'spec'), 'externalIPs')),
    defaults,
    prepareCreate(service) {
      service.status = { loadBalancer: {} };
      const spec = sub(service, 'spec');
      const single = text(spec, 'clusterIP');
      if (single !== '' && texts(spec, 'clusterIPs').length === 0) spec.clusterIPs = [single];
    },
    prepareUpdate(next, previous) {
      keepStatus(next, previous);
      keepAllocated(sub(next, 'spec'), sub(previous, 'spec'));
      alignClusterIPs(sub(next, 'spec'), sub(previous, 'spec'));
      dropWhatTypeForbids(next, previous);
    },
    validate: (service) => collectFieldErrors((to) => checkService(to, service)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkServiceUpdate(to, next, previous);
        checkService(to, next);
      }),
    validateStatusUpdate: (next) => collectFieldErrors((to) => checkLoadBalancerStatus(to, next)),
  },
});

function loadBalancerAddresses(service: KubeObject): string[] {
  const found = items(maybe(service, 'status.loadBalancer'), 'ingress').map(
    (ingress) => text(ingress, 'ip') || text(ingress, 'hostname'),
  );
  return [...new Set(found.filter((address) => address !== ''))].sort();
}

function externalAddress(service: KubeObject): string {
  const spec = sub(service, 'spec');
  const external = texts(spec, 'externalIPs');
  switch (text(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer':
      return [...loadBalancerAddresses(service), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return text(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function portsText(service: KubeObject): string {
  const ports = items(maybe(service, 'spec'), 'ports').map((port) => {
    const node = count(port, 'nodePort');
    return `${count(port, 'port')}${node > 0 ? `:${node}` : ''}/${text(port, 'protocol')}`;
  });
  return ports.join(',') || '<none>';
}

function defaults(service: KubeObject): void {
  const spec = ensure(service, 'spec');
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (spec.sessionAffinity === 'None') spec.sessionAffinityConfig = undefined;
  if (
    spec.sessionAffinity === 'ClientIP' &&
    number(maybe(spec, 'sessionAffinityConfig.clientIP'), 'timeoutSeconds') === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  }
  for (const port of items(spec, 'ports')) {
    fill(port, { protocol: 'TCP' });
    const target = own(port, 'targetPort');
    if (target === undefined || target === null || target === 0 || target === '') port.targetPort = own(port, 'port');
  }
  if (isExternallyAccessible(spec)) fill(spec, { externalTrafficPolicy: 'Cluster' });
  const type = text(spec, 'type');
  if (['NodePort', 'LoadBalancer', 'ClusterIP'].includes(type)) fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (type === 'ExternalName') spec.internalTrafficPolicy = undefined;
  if (type === 'LoadBalancer') {
    fill(spec, { allocateLoadBalancerNodePorts: true });
    for (const ingress of items(maybe(service, 'status.loadBalancer'), 'ingress'))
      if (text(ingress, 'ip') !== '') fill(ingress, { ipMode: 'VIP' });
  }
}

/** An update that leaves out what the server chose keeps it. */
function keepAllocated(spec: JsonObject, old: JsonObject): void {
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (text(spec, 'clusterIP') === '') spec.clusterIP = old.clusterIP;
    if (texts(spec, 'clusterIPs').length === 0 && spec.clusterIP === old.clusterIP) spec.clusterIPs = old.clusterIPs;
  }
  if (needsNodePorts(old) && needsNodePorts(spec)) keepNodePorts(spec, old);
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && count(spec, 'healthCheckNodePort') === 0)
    spec.healthCheckNodePort = old.healthCheckNodePort;
}

function keepNodePorts(spec: JsonObject, old: JsonObject): void {
  const portsOf = (from: JsonObject): number[] =>
    items(from, 'ports')
      .map((port) => count(port, 'nodePort'))
      .filter((port) => port !== 0);
  const used = new Set(portsOf(old).filter((port) => portsOf(spec).includes(port)));
  const byName = new Map(items(old, 'ports').map((port) => [text(port, 'name'), count(port, 'nodePort')]));
  for (const port of items(spec, 'ports')) {
    const before = byName.get(text(port, 'name')) ?? 0;
    if (count(port, 'nodePort') !== 0 || before === 0 || used.has(before)) continue;
    port.nodePort = before;
    used.add(before);
  }
}

/** `clusterIP` and `clusterIPs[0]` are one value; a client that knows only the first means both. */
function alignClusterIPs(spec: JsonObject, old: JsonObject): void {
  const [now, before] = [text(spec, 'clusterIP'), text(old, 'clusterIP')];
  if (texts(old, 'clusterIPs').length > 0 && texts(spec, 'clusterIPs').length === 0 && now === before)
    spec.clusterIPs = old.clusterIPs;
  if (now === before || !equal(own(spec, 'clusterIPs'), own(old, 'clusterIPs'))) return;
  spec.clusterIPs = before !== '' && now === '' ? undefined : [now];
}

/** Removes node ports unless the client asked for a new one. */
function dropNodePorts(spec: JsonObject, old: JsonObject): void {
  const before = new Set(items(old, 'ports').map((port) => count(port, 'nodePort')));
  const ports = items(spec, 'ports');
  if (!ports.every((port) => !has(port, 'nodePort') || before.has(count(port, 'nodePort')))) return;
  for (const port of ports) port.nodePort = undefined;
}

/** A change of type takes away what only the old type had, unless the client changed it too. */
function dropWhatTypeForbids(next: KubeObject, previous: KubeObject): void {
  const [spec, old] = [sub(next, 'spec'), sub(previous, 'spec')];
  const unchanged = (key: string): boolean => equal(own(spec, key), own(old, key));
  const dropUnchanged = (...keys: string[]): void => {
    for (const key of keys) if (unchanged(key)) put(spec, key, undefined);
  };
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (unchanged('clusterIP') && unchanged('clusterIPs')) spec.clusterIP = spec.clusterIPs = undefined;
    dropUnchanged('ipFamilies', 'ipFamilyPolicy');
  }
  if (needsNodePorts(old) && !needsNodePorts(spec)) dropNodePorts(spec, old);
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && unchanged('healthCheckNodePort'))
    spec.healthCheckNodePort = undefined;
  const wasBalanced = text(old, 'type') === 'LoadBalancer' && text(spec, 'type') !== 'LoadBalancer';
  if (wasBalanced) dropUnchanged('allocateLoadBalancerNodePorts', 'loadBalancerClass');
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && unchanged('externalTrafficPolicy'))
    spec.externalTrafficPolicy = undefined;
  if (text(spec, 'type') !== 'LoadBalancer') next.status = { ...sub(next, 'status'), loadBalancer: {} };
}
