import type { JsonObject } from '../../../model/json/index.js';
import { has, items, maybe, text } from '../../resources/index.js';
import { configKey, dnsLabel, envName, qualifiedName, subdomain } from '../validation/name-rules.js';
import type { FieldErrors } from '../validation/field-errors.js';
import { quantityText } from '../validation/resource-lists.js';
import { nanos } from '../validation/quantities.js';

export const VOLUME_FIELD_PATHS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const ENV_FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
/** Field paths that exist at all; which of them may be used depends on the place. */
const KNOWN_FIELD_PATHS = [
  ...VOLUME_FIELD_PATHS,
  ...ENV_FIELD_PATHS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
];
const RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

export function checkEnv(to: FieldErrors, container: JsonObject, field: string): void {
  items(container, 'env').forEach((variable, index) => {
    const path = `${field}[${index}]`;
    const name = text(variable, 'name');
    if (name === '') to.required(`${path}.name`);
    else to.invalidEach(`${path}.name`, name, envName(name));
    const from = maybe(variable, 'valueFrom');
    if (from !== undefined) checkValueFrom(to, from, text(variable, 'value'), `${path}.valueFrom`);
  });
}

function checkValueFrom(to: FieldErrors, from: JsonObject, value: string, field: string): void {
  let sources = 0;
  for (const name of SOURCES) {
    const source = maybe(from, name);
    if (source === undefined) continue;
    sources++;
    if (name === 'fieldRef') checkFieldRef(to, source, ENV_FIELD_PATHS, `${field}.fieldRef`);
    else if (name === 'resourceFieldRef') checkResourceFieldRef(to, source, `${field}.resourceFieldRef`, 'env');
    else if (name === 'fileKeyRef') to.needs(source, `${field}.fileKeyRef`, 'key', 'volumeName', 'path');
    else checkKeyRef(to, source, `${field}.${name}`);
  }
  if (sources === 0)
    to.invalid(field, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`');
  else if (value !== '') to.invalid(field, '', 'may not be specified when `value` is not empty');
  else if (sources > 1) to.invalid(field, '', 'may not have more than one field specified at a time');
}

function checkKeyRef(to: FieldErrors, source: JsonObject, field: string): void {
  const name = text(source, 'name');
  to.invalidEach(`${field}.name`, name, subdomain(name));
  const key = text(source, 'key');
  if (key === '') to.required(`${field}.key`);
  else to.invalidEach(`${field}.key`, key, configKey(key));
}

export function checkFieldRef(to: FieldErrors, ref: JsonObject, allowed: readonly string[], field: string): void {
  const version = text(ref, 'apiVersion');
  const path = text(ref, 'fieldPath');
  if (version === '') return to.required(`${field}.apiVersion`);
  if (path === '') return to.required(`${field}.fieldPath`);
  const open = path.endsWith("']") ? path.slice(0, -2).indexOf("['", 1) : -1;
  const subscripted = open < 0 ? undefined : path.slice(0, open);
  const wrong = convertError(version, path, subscripted);
  if (wrong !== undefined) return to.invalid(`${field}.fieldPath`, path, `error converting fieldPath: ${wrong}`);
  if (subscripted !== undefined) {
    const key = path.slice(open + 2, -2);
    const name = subscripted === 'metadata.annotations' ? key.toLowerCase() : key;
    return to.invalidEach(field, name, qualifiedName(name));
  }
  const internal = path === 'spec.host' ? 'spec.nodeName' : path;
  if (!allowed.includes(internal)) to.unsupported(`${field}.fieldPath`, internal, allowed);
}

function convertError(version: string, path: string, subscripted: string | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (subscripted !== undefined) {
    return ['metadata.annotations', 'metadata.labels'].includes(subscripted)
      ? undefined
      : `field label does not support subscript: ${path}`;
  }
  return KNOWN_FIELD_PATHS.includes(path) || path === 'spec.host' ? undefined : `field label not supported: ${path}`;
}

export function checkResourceFieldRef(to: FieldErrors, ref: JsonObject, field: string, place: 'env' | 'volume'): void {
  const resource = text(ref, 'resource');
  const hugePages = /^(requests|limits)\.hugepages-/.test(resource);
  if (place === 'volume' && text(ref, 'containerName') === '') to.required(`${field}.containerName`);
  else if (resource === '') to.required(`${field}.resource`);
  else if (!RESOURCES.includes(resource) && !hugePages) to.unsupported(`${field}.resource`, resource, RESOURCES);
  checkDivisor(to, ref, resource, field);
}

function checkDivisor(to: FieldErrors, ref: JsonObject, resource: string, field: string): void {
  const divisor = quantityText(ref, 'divisor') ?? '0';
  if (nanos(divisor) === 0n) return;
  const kind = resource.replace(/^(limits|requests)\./, '');
  if (kind === 'cpu') {
    if (!['1m', '1'].includes(divisor))
      to.invalid(`${field}.divisor`, resource, "only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  const words: Record<string, string> = { memory: 'memory', 'ephemeral-storage': 'local ephemeral storage' };
  const word = kind.startsWith('hugepages-') ? 'hugepages' : words[kind];
  if (word !== undefined && !BYTE_DIVISORS.includes(divisor)) {
    to.invalid(
      `${field}.divisor`,
      resource,
      `only divisor's values ${BYTE_DIVISORS.join(', ')} are supported with the ${word} resource`,
    );
  }
}

export function checkEnvFrom(to: FieldErrors, container: JsonObject, field: string): void {
  items(container, 'envFrom').forEach((from, index) => {
    const path = `${field}[${index}]`;
    const prefix = text(from, 'prefix');
    if (prefix !== '') to.invalidEach(`${path}.prefix`, prefix, envName(prefix));
    let sources = 0;
    for (const name of ['configMapRef', 'secretRef']) {
      const source = maybe(from, name);
      if (source === undefined) continue;
      sources++;
      const value = text(source, 'name');
      if (value === '') to.required(`${path}.${name}.name`);
      else to.invalidEach(`${path}.${name}.name`, value, subdomain(value));
    }
    if (sources === 0) to.invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`');
    else if (sources > 1) to.invalid(field, '', 'may not have more than one field specified at a time');
  });
}

/** Names of resource claims that containers may use. */
export function checkResourceClaims(to: FieldErrors, spec: JsonObject, field: string): ReadonlySet<string> {
  const names = new Set<string>();
  items(spec, 'resourceClaims').forEach((claim, index) => {
    const path = `${field}[${index}]`;
    const name = text(claim, 'name');
    if (name === '') to.required(`${path}.name`);
    else if (names.has(name)) to.duplicate(`${path}.name`, name);
    else to.invalidEach(`${path}.name`, name, dnsLabel(name));
    if (name !== '') names.add(name);
    const given = ['resourceClaimName', 'resourceClaimTemplateName'].filter((key) => has(claim, key));
    const printed = {
      Name: name,
      ResourceClaimName: claim.resourceClaimName ?? null,
      ResourceClaimTemplateName: claim.resourceClaimTemplateName ?? null,
    };
    if (given.length === 2)
      to.invalid(path, printed, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    if (given.length === 0)
      to.invalid(path, printed, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    for (const key of given) to.invalidEach(`${path}.${key}`, text(claim, key), subdomain(text(claim, key)));
  });
  return names;
}
