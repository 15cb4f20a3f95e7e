import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { FieldError } from '../../errors/index.js';
import { addressNumber, familyOf, ipv4Text } from '../validation/addresses.js';
import { count, has, items, sub, text, texts } from '../../resources/index.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import {
  allocatesNodePorts,
  isHeadless,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePorts,
} from './service-shape.js';
import { checkClusterAddresses } from './service-validation.js';

/** What other services hold already. */
export interface TakenAddresses {
  readonly clusterIPs: ReadonlySet<string>;
  readonly nodePorts: ReadonlySet<number>;
}

export interface ServiceNetwork {
  /** The IPv4 range of cluster IPs: `10.0.0.0/24`. */
  readonly cidr: string;
  readonly nodePorts: readonly [number, number];
}

/** Does a service hold or want addresses of the cluster? */
export function needsServiceAddresses(service: KubeObject): boolean {
  return needsClusterIP(sub(service, 'spec')) || needsNodePorts(sub(service, 'spec'));
}

/**
 * Fills in ipFamilies, ipFamilyPolicy, clusterIPs and node ports. Runs after prepareCreate or prepareUpdate and before
 * validate, as the real server does. `taken` must not hold what `previous` had. Changes only `service`.
 */
export function allocateServiceAddresses(
  service: KubeObject,
  previous: KubeObject | undefined,
  taken: TakenAddresses,
  network: ServiceNetwork,
): FieldError[] {
  const spec = sub(service, 'spec');
  return collectFieldErrors((to) => {
    if (needsClusterIP(spec)) {
      setFamilies(to, spec, previous === undefined ? undefined : sub(previous, 'spec'));
      if (to.errors.length === 0 && !isHeadless(spec)) setClusterIP(to, spec, taken.clusterIPs, network.cidr);
    }
    if (to.errors.length === 0) setNodePorts(to, spec, taken.nodePorts, network.nodePorts);
  });
}

function setFamilies(to: FieldErrors, spec: JsonObject, old: JsonObject | undefined): void {
  const bare = text(spec, 'clusterIP') === 'None' && Object.keys(sub(spec, 'selector')).length === 0;
  if (!has(spec, 'ipFamilyPolicy')) {
    const policy = bare ? 'RequireDualStack' : 'SingleStack';
    spec.ipFamilyPolicy = old !== undefined && has(old, 'ipFamilyPolicy') ? old.ipFamilyPolicy : policy;
  }
  checkClusterAddresses(to, spec);
  if (to.errors.length > 0) return;
  const policy = text(spec, 'ipFamilyPolicy');
  const families = texts(spec, 'ipFamilies');
  const many = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (policy === 'SingleStack' && texts(spec, 'clusterIPs').length === 2)
    to.invalid('spec.ipFamilyPolicy', policy, `${many} cluster IPs are specified`);
  if (policy === 'SingleStack' && families.length === 2)
    to.invalid('spec.ipFamilyPolicy', policy, `${many} IP families are specified`);
  texts(spec, 'clusterIPs').forEach((address, index) => {
    if (address === 'None' || index < families.length) return;
    if (familyOf(address) === 'IPv4') families.push('IPv4');
    else to.invalid(`spec.clusterIPs[${index}]`, texts(spec, 'clusterIPs'), 'IPv6 is not configured on this cluster');
  });
  if (to.errors.length > 0) return;
  if (!bare) {
    if (policy === 'RequireDualStack')
      to.invalid('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services');
    families.forEach((family, index) => {
      if (family !== 'IPv4') to.invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster');
    });
  }
  if (families.length === 0) families.push('IPv4');
  if (bare && families.length < 2 && policy !== 'SingleStack') families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec.ipFamilies = families;
}

function setClusterIP(to: FieldErrors, spec: JsonObject, taken: ReadonlySet<string>, cidr: string): void {
  const [base = '', bits = '0'] = cidr.split('/');
  const size = 1n << BigInt(32 - Number(bits));
  const first = (addressNumber(base) / size) * size;
  const wanted = texts(spec, 'clusterIPs')[0] ?? '';
  if (wanted !== '') {
    const at = addressNumber(wanted) - first;
    const fail = (why: string): void =>
      to.invalid('spec.clusterIPs', texts(spec, 'clusterIPs'), `failed to allocate IP ${wanted}: ${why}`);
    if (at <= 0n || at >= size - 1n) fail('the provided network does not match the current range');
    else if (taken.has(wanted)) fail('provided IP is already allocated');
    return;
  }
  const found = freeAddress(first, size, taken);
  if (found === undefined) return to.internal('failed to allocate a serviceIP: range is full');
  spec.clusterIP = found;
  spec.clusterIPs = [found];
}

/** The lower part of the range is left to people who choose an address; it is used last. */
function freeAddress(first: bigint, size: bigint, taken: ReadonlySet<string>): string | undefined {
  const reserved = BigInt(Math.min(Math.max(16, Number(size / 16n)), 256));
  const start = size > reserved + 2n ? reserved + 1n : 1n;
  for (let offset = start; offset < size - 1n; offset++)
    if (!taken.has(ipv4Text(first + offset))) return ipv4Text(first + offset);
  for (let offset = 1n; offset < start; offset++)
    if (!taken.has(ipv4Text(first + offset))) return ipv4Text(first + offset);
  return undefined;
}

function setNodePorts(
  to: FieldErrors,
  spec: JsonObject,
  taken: ReadonlySet<number>,
  range: readonly [number, number],
): void {
  const used = new Set(taken);
  const claim = (port: number, field: string): void => {
    if (port < range[0] || port > range[1]) {
      to.invalid(
        field,
        port,
        `provided port is not in the valid range. The range of valid ports is ${range[0]}-${range[1]}`,
      );
    } else if (used.has(port)) to.invalid(field, port, 'provided port is already allocated');
    used.add(port);
  };
  const next = (): number => {
    let port = range[0];
    while (used.has(port)) port++;
    if (port > range[1]) to.internal('failed to allocate a nodePort: range is full');
    used.add(port);
    return port;
  };
  if (needsNodePorts(spec)) assignPorts(spec, claim, next);
  if (!needsHealthCheckPort(spec)) return;
  const health = count(spec, 'healthCheckNodePort');
  if (health === 0) spec.healthCheckNodePort = next();
  else claim(health, 'spec.healthCheckNodePort');
}

/** One port number over several protocols shares one node port. */
function assignPorts(spec: JsonObject, claim: (port: number, field: string) => void, next: () => number): void {
  const byPort = new Map<number, number>();
  const ports = items(spec, 'ports');
  ports.forEach((port, index) => {
    const asked = count(port, 'nodePort');
    if (asked === 0 && !allocatesNodePorts(spec)) return;
    const number = count(port, 'port');
    const shared = byPort.get(number);
    if (shared === undefined) {
      const wanted =
        asked !== 0
          ? asked
          : count(
              ports.find((other) => count(other, 'port') === number && count(other, 'nodePort') !== 0),
              'nodePort',
            );
      if (wanted !== 0) claim(wanted, `spec.ports[${index}].nodePort`);
      port.nodePort = wanted !== 0 ? wanted : next();
      byPort.set(number, count(port, 'nodePort'));
    } else if (asked === 0) port.nodePort = shared;
    else if (asked !== shared) claim(asked, `spec.ports[${index}].nodePort`);
  });
}
