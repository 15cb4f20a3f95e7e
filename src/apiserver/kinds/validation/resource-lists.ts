import { own, type JsonObject } from '../../../model/json/index.js';
import { has, items, sub, text } from '../../resources/index.js';
import { dnsLabel, qualifiedName } from './name-rules.js';
import { compareQuantities, nanos, wholeUnits } from './quantities.js';
import type { FieldErrors } from './field-errors.js';

const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const QUOTA_NAMES = [
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...COUNTED,
];
const STANDARD = new Set([...QUOTA_NAMES, 'storage']);

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isQuotaHugePages(name: string): boolean {
  return isHugePages(name) || name.startsWith('requests.hugepages-');
}

export function isStandardQuotaName(name: string): boolean {
  return QUOTA_NAMES.includes(name) || isQuotaHugePages(name);
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;
}

/** May a request be below its limit? Not for devices and huge pages: they cannot be shared. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

/** The quantities of a list as sorted pairs. Numbers of old clients were made strings by the decoder. */
export function quantities(holder: JsonObject | undefined, path: string): [string, string][] {
  const list = sub(holder, path);
  return Object.keys(list)
    .sort()
    .map((name) => [name, quantityText(list, name) ?? '0']);
}

export function checkResourceName(to: FieldErrors, name: string, field: string): boolean {
  const complaints = qualifiedName(name);
  to.invalidEach(field, name, complaints);
  if (complaints.length > 0) return false;
  if (name.includes('/') || STANDARD.has(name) || isQuotaHugePages(name)) return true;
  to.invalid(field, name, 'must be a standard resource type or fully qualified');
  return false;
}

export function checkContainerResourceName(to: FieldErrors, name: string, field: string): void {
  checkResourceName(to, name, field);
  if (!name.includes('/')) {
    if (!COMPUTE.includes(name) && !isHugePages(name))
      to.invalid(field, name, 'must be a standard resource for containers');
  } else if (!isNative(name) && !isExtended(name))
    to.invalid(field, name, "doesn't follow extended resource name standard");
}

export function checkQuantity(to: FieldErrors, name: string, quantity: string, field: string): void {
  if (compareQuantities(quantity, '0') < 0) to.invalid(field, quantity, 'must be greater than or equal to 0');
  const wholeOnly = COUNTED.includes(name) || isExtended(name);
  if (wholeOnly && nanos(quantity) % 10n ** 9n !== 0n) to.invalid(field, quantity, 'must be an integer');
}

/** limits, requests and claims of one container. */
export function checkResources(
  to: FieldErrors,
  resources: JsonObject,
  field: string,
  claimNames: ReadonlySet<string>,
): void {
  const limits = quantities(resources, 'limits');
  const requests = quantities(resources, 'requests');
  for (const [name, quantity] of limits) {
    checkNamedQuantity(to, name, quantity, `${field}.limits[${name}]`);
    checkHugePages(to, name, quantity, `${field}.limits[${name}]`);
  }
  for (const [name, quantity] of requests) {
    checkNamedQuantity(to, name, quantity, `${field}.requests[${name}]`);
    checkAgainstLimit(to, resources, name, quantity, field);
    checkHugePages(to, name, quantity, `${field}.requests[${name}]`);
  }
  const names = [...limits, ...requests].map(([name]) => name);
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory'))
    to.forbidden(field, 'HugePages require cpu or memory');
  checkClaims(to, resources, `${field}.claims`, claimNames);
}

function checkNamedQuantity(to: FieldErrors, name: string, quantity: string, field: string): void {
  checkContainerResourceName(to, name, field);
  checkQuantity(to, name, quantity, field);
}

function checkHugePages(to: FieldErrors, name: string, quantity: string, field: string): void {
  if (!isHugePages(name)) return;
  const page = wholeUnits(name.slice('hugepages-'.length));
  if (page <= 0n || wholeUnits(quantity) % page !== 0n)
    to.invalid(field, quantity, `${quantity} is not positive integer multiple of ${name}`);
}

function checkAgainstLimit(
  to: FieldErrors,
  resources: JsonObject,
  name: string,
  quantity: string,
  field: string,
): void {
  const limits = sub(resources, 'limits');
  if (!has(limits, name)) {
    if (!isOvercommitAllowed(name))
      to.required(`${field}.limits`, 'Limit must be set for non overcommitable resources');
    return;
  }
  const limit = quantityText(limits, name) ?? '0';
  const order = compareQuantities(quantity, limit);
  if (order !== 0 && !isOvercommitAllowed(name))
    to.invalid(`${field}.requests`, quantity, `must be equal to ${name} limit of ${limit}`);
  else if (order > 0)
    to.invalid(`${field}.requests`, quantity, `must be less than or equal to ${name} limit of ${limit}`);
}

function checkClaims(to: FieldErrors, resources: JsonObject, field: string, claimNames: ReadonlySet<string>): void {
  const seen = new Set<string>();
  items(resources, 'claims').forEach((claim, index) => {
    const name = text(claim, 'name');
    if (name === '') return to.required(`${field}[${index}]`);
    const request = text(claim, 'request');
    if (request !== '') to.invalidEach(`${field}[${index}].request`, request, dnsLabel(request));
    const key = request === '' ? name : `${name}/${request}`;
    if (seen.has(name) || seen.has(key)) to.duplicate(`${field}[${index}]`, seen.has(name) ? name : key);
    seen.add(key);
    if (!claimNames.has(name)) {
      const known = claimNames.size === 0 ? ' which is empty' : `: ${[...claimNames].sort().join(', ')}`;
      to.notFound(`${field}[${index}]`, name, `must be one of the names in pod.spec.resourceClaims${known}`);
    }
  });
}

/** A quantity field that may be absent. */
export function quantityText(holder: JsonObject, key: string): string | undefined {
  const value = own(holder, key);
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}
