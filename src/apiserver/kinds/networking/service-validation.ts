import { own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { checkAddress, checkCidr, familyOf } from '../validation/addresses.js';
import { checkEndpointAddress } from './endpoint-address.js';
import { count, has, items, maybe, number, pairs, sub, text, texts } from '../../resources/index.js';
import { checkLabels } from '../validation/label-selectors.js';
import { dnsLabel, portNumber, qualifiedName, subdomain } from '../validation/name-rules.js';
import { PROTOCOLS } from '../pod/containers.js';
import { checkPort } from '../pod/probes.js';
import { IMMUTABLE, type FieldErrors } from '../validation/field-errors.js';
import { isExternallyAccessible, isHeadless, needsHealthCheckPort } from './service-shape.js';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const ONCE = 'may not change once set';
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

export function checkService(to: FieldErrors, service: KubeObject): void {
  const spec = sub(service, 'spec');
  const ports = items(spec, 'ports');
  if (ports.length === 0 && !isHeadless(spec) && text(spec, 'type') !== 'ExternalName') to.required('spec.ports');
  checkType(to, spec);
  const names = new Set<string>();
  ports.forEach((port, index) => checkServicePort(to, port, `spec.ports[${index}]`, ports.length > 1, names));
  checkLabels(to, spec, 'selector', 'spec.selector');
  checkSessionAffinity(to, spec);
  checkClusterAddresses(to, spec);
  texts(spec, 'externalIPs').forEach((address, index) => {
    if (checkAddress(to, `spec.externalIPs[${index}]`, address))
      checkEndpointAddress(to, `spec.externalIPs[${index}]`, address);
  });
  to.oneOf(spec, 'spec', 'type', TYPES, 'required');
  checkDistinctPorts(to, spec, ports);
  checkBalancerFields(to, service, spec);
  checkTrafficPolicies(to, spec);
}

function checkType(to: FieldErrors, spec: JsonObject): void {
  const type = text(spec, 'type');
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    to.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`);
  }
  if (type !== 'ExternalName') return;
  for (const key of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    const value = own(spec, key);
    if (Array.isArray(value) ? value.length > 0 : value !== undefined)
      to.forbidden(`spec.${key}`, 'may not be set for ExternalName services');
  }
  const name = text(spec, 'externalName').replace(/\.$/, '');
  if (name === '') to.required('spec.externalName');
  else to.invalidEach('spec.externalName', name, subdomain(name));
}

function checkServicePort(
  to: FieldErrors,
  port: JsonObject,
  field: string,
  needsName: boolean,
  names: Set<string>,
): void {
  const name = text(port, 'name');
  if (needsName && name === '') to.required(`${field}.name`);
  else if (name !== '') {
    to.invalidEach(`${field}.name`, name, dnsLabel(name));
    if (names.has(name)) to.duplicate(`${field}.name`, name);
    names.add(name);
  }
  to.invalidEach(`${field}.port`, count(port, 'port'), portNumber(count(port, 'port')));
  to.oneOf(port, field, 'protocol', PROTOCOLS, 'required');
  checkPort(to, own(port, 'targetPort'), `${field}.targetPort`);
  if (has(port, 'appProtocol'))
    to.invalidEach(`${field}.appProtocol`, text(port, 'appProtocol'), qualifiedName(text(port, 'appProtocol')));
}

function checkSessionAffinity(to: FieldErrors, spec: JsonObject): void {
  to.oneOf(spec, 'spec', 'sessionAffinity', ['ClientIP', 'None'], 'required');
  if (text(spec, 'sessionAffinity') !== 'ClientIP') return;
  const timeout = number(maybe(spec, 'sessionAffinityConfig.clientIP'), 'timeoutSeconds');
  if (timeout !== undefined && (timeout <= 0 || timeout > 86400)) {
    to.invalid(
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
      timeout,
      'must be greater than 0 and less than 86400',
    );
  }
}

/** clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy must fit one another. */
export function checkClusterAddresses(to: FieldErrors, spec: JsonObject): void {
  if (text(spec, 'type') === 'ExternalName') return;
  const [single, addresses, families] = [text(spec, 'clusterIP'), texts(spec, 'clusterIPs'), texts(spec, 'ipFamilies')];
  if (single !== '' && addresses.length === 0) to.required('spec.clusterIPs');
  else if (single !== '' && addresses[0] !== single)
    to.invalid('spec.clusterIPs', addresses, 'first value must match `clusterIP`');
  else if (single === '' && addresses.length > 0)
    to.invalid('spec.clusterIPs', addresses, 'must be empty when `clusterIP` is not specified');
  families.forEach((family, index) => {
    if (!['IPv4', 'IPv6'].includes(family)) to.unsupported(`spec.ipFamilies[${index}]`, family, ['IPv4', 'IPv6']);
    if (families.indexOf(family) < index) to.duplicate(`spec.ipFamilies[${index}]`, family);
  });
  to.oneOf(spec, 'spec', 'ipFamilyPolicy', ['PreferDualStack', 'RequireDualStack', 'SingleStack']);
  const before = to.errors.length;
  addresses.forEach((address, index) => {
    if (index > 0 || address !== 'None') checkAddress(to, `spec.clusterIPs[${index}]`, address);
    else if (addresses.length > 1) to.invalid('spec.clusterIPs', addresses, "'None' must be the first and only value");
  });
  const sound = to.errors.length === before;
  if (addresses.length > 2) to.invalid('spec.clusterIPs', addresses, 'may only hold up to 2 values');
  if (!sound) return;
  if (addresses.length > 1 && new Set(addresses.map(familyOf)).size < 2)
    to.invalid('spec.clusterIPs', addresses, 'may specify no more than one IP for each IP family');
  if (isHeadless(spec)) return;
  addresses.forEach((address, index) => {
    const family = families[index];
    if (family !== undefined && family !== familyOf(address))
      to.invalid(
        `spec.clusterIPs[${index}]`,
        address,
        `expected an ${family} value as indicated by \`ipFamilies[${index}]\``,
      );
  });
}

function checkDistinctPorts(to: FieldErrors, spec: JsonObject, ports: readonly JsonObject[]): void {
  if (text(spec, 'type') === 'ClusterIP') {
    ports.forEach((port, index) => {
      if (count(port, 'nodePort') !== 0)
        to.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'");
    });
  }
  const taken = new Set<string>();
  ports.forEach((port, index) => {
    const node = count(port, 'nodePort');
    if (node === 0) return;
    const key = `${text(port, 'protocol')}/${node}`;
    if (taken.has(key)) to.duplicate(`spec.ports[${index}].nodePort`, node);
    taken.add(key);
  });
  const seen = new Set<string>();
  ports.forEach((port, index) => {
    const [protocol, number] = [text(port, 'protocol'), count(port, 'port')];
    const key = `${protocol}/${number}`;
    if (seen.has(key))
      to.duplicate(`spec.ports[${index}]`, {
        Name: '',
        Protocol: protocol,
        AppProtocol: null,
        Port: number,
        TargetPort: 0,
        NodePort: 0,
      });
    seen.add(key);
  });
}

function checkBalancerFields(to: FieldErrors, service: KubeObject, spec: JsonObject): void {
  const balanced = text(spec, 'type') === 'LoadBalancer';
  const ranges = texts(spec, 'loadBalancerSourceRanges');
  const annotation = new Map(pairs(service.metadata, 'annotations')).get(SOURCE_RANGES);
  if (ranges.length > 0) {
    if (!balanced) to.forbidden('spec.LoadBalancerSourceRanges', ONLY_BALANCED);
    ranges.forEach((range, index) => checkCidr(to, `spec.LoadBalancerSourceRanges[${index}]`, range.trim()));
  } else if (annotation !== undefined) {
    const field = `metadata.annotations[${SOURCE_RANGES}]`;
    if (!balanced) to.forbidden(field, ONLY_BALANCED);
    for (const range of annotation.trim() === '' ? [] : annotation.split(',')) checkCidr(to, field, range.trim());
  }
  if (has(spec, 'allocateLoadBalancerNodePorts') && !balanced)
    to.forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCED);
  if (!has(spec, 'loadBalancerClass')) return;
  if (balanced)
    to.invalidEach(
      'spec.loadBalancerClass',
      text(spec, 'loadBalancerClass'),
      qualifiedName(text(spec, 'loadBalancerClass')),
    );
  else to.forbidden('spec.loadBalancerClass', ONLY_BALANCED);
}

function checkTrafficPolicies(to: FieldErrors, spec: JsonObject): void {
  const external = text(spec, 'externalTrafficPolicy');
  if (isExternallyAccessible(spec)) to.oneOf(spec, 'spec', 'externalTrafficPolicy', ['Cluster', 'Local'], 'required');
  else if (external !== '')
    to.invalid('spec.externalTrafficPolicy', external, 'may only be set for externally-accessible services');
  const health = count(spec, 'healthCheckNodePort');
  if (!needsHealthCheckPort(spec)) {
    if (health !== 0)
      to.invalid(
        'spec.healthCheckNodePort',
        health,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      );
  } else if (health === 0) to.required('spec.healthCheckNodePort');
  else to.invalidEach('spec.healthCheckNodePort', health, portNumber(health));
  to.oneOf(spec, 'spec', 'internalTrafficPolicy', ['Cluster', 'Local']);
  if (has(spec, 'trafficDistribution'))
    to.oneOf(spec, 'spec', 'trafficDistribution', ['PreferClose', 'PreferSameZone', 'PreferSameNode']);
}

export function checkServiceUpdate(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const [spec, old] = [sub(next, 'spec'), sub(previous, 'spec')];
  if (text(spec, 'type') !== 'ExternalName' && text(old, 'type') !== 'ExternalName') {
    if (!(isHeadless(spec) && isHeadless(old))) checkKept(to, spec, old, 'clusterIPs', 'clusterIP');
    if (!isHeadless(spec) && !isHeadless(old)) checkKept(to, spec, old, 'ipFamilies', 'ipFamily');
  }
  if (text(spec, 'type') === 'LoadBalancer' && text(old, 'type') === 'LoadBalancer') {
    if (own(spec, 'loadBalancerClass') !== own(old, 'loadBalancerClass'))
      to.invalid('spec.loadBalancerClass', own(spec, 'loadBalancerClass') ?? null, ONCE);
    if (text(spec, 'loadBalancerClass') !== '')
      to.invalidEach(
        'spec.loadBalancerClass',
        text(spec, 'loadBalancerClass'),
        qualifiedName(text(spec, 'loadBalancerClass')),
      );
  } else if (has(spec, 'loadBalancerClass')) to.forbidden('spec.loadBalancerClass', ONLY_BALANCED);
  if (
    needsHealthCheckPort(old) &&
    needsHealthCheckPort(spec) &&
    count(old, 'healthCheckNodePort') !== count(spec, 'healthCheckNodePort')
  ) {
    to.forbidden('spec.healthCheckNodePort', IMMUTABLE);
  }
}

/** Addresses and families stay; the second may come and go with the policy. */
function checkKept(to: FieldErrors, spec: JsonObject, old: JsonObject, key: string, word: string): void {
  const [now, before] = [texts(spec, key), texts(old, key)];
  const at = (index: number): string => `spec.${key}[${key === 'ipFamilies' ? 0 : index}]`;
  if (now.length === before.length) {
    before.forEach((value, index) => {
      if (value !== now[index]) to.invalid(at(index), now, ONCE);
    });
    return;
  }
  if (now.length === 0) to.invalid(`spec.${key}[0]`, own(spec, key) ?? null, `primary ${word} can not be unset`);
  else if (before.length > 0 && now[0] !== before[0]) to.invalid(`spec.${key}[0]`, now, ONCE);
  if (before.length > now.length && now.length === 1 && text(spec, 'ipFamilyPolicy') !== 'SingleStack') {
    to.invalid(
      'spec.ipFamilyPolicy',
      own(spec, 'ipFamilyPolicy') ?? null,
      `must be set to 'SingleStack' when releasing the secondary ${word}`,
    );
  }
}

export function checkLoadBalancerStatus(to: FieldErrors, service: KubeObject): void {
  items(maybe(service, 'status.loadBalancer'), 'ingress').forEach((ingress, index) => {
    const field = `status.loadBalancer.ingress[${index}]`;
    const [ip, hostname] = [text(ingress, 'ip'), text(ingress, 'hostname')];
    if (ip !== '') checkAddress(to, `${field}.ip`, ip);
    if (hostname === '') return;
    to.invalidEach(`${field}.hostname`, hostname, subdomain(hostname));
    if (checkIsAddress(hostname)) to.invalid(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address');
  });
}

function checkIsAddress(name: string): boolean {
  return /^\d+(\.\d+){3}$/.test(name) || name.includes(':');
}
