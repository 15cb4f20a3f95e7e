import {
  addQuantities,
  canonicalQuantity,
  compareQuantities as compare,
  parseQuantity,
  quantityText as written,
  ZERO_QUANTITY,
  type Quantity,
} from '../../../model/kubernetes/index.js';
import { put, type JsonObject } from '../../../model/json/index.js';
import { ensure, has, items, maybe, text } from '../../resources/index.js';
import { compareQuantities } from '../validation/quantities.js';
import type { FieldErrors } from '../validation/field-errors.js';
import { checkQuantity, checkResourceName, isOvercommitAllowed, quantities } from '../validation/resource-lists.js';

type Amounts = Map<string, Quantity>;

function add(to: Amounts, list: readonly (readonly [string, string])[]): void {
  for (const [name, amount] of list) to.set(name, addQuantities(to.get(name) ?? ZERO_QUANTITY, parseQuantity(amount)));
}

function raise(to: Amounts, by: Amounts): void {
  for (const [name, amount] of by) if (compare(amount, to.get(name) ?? ZERO_QUANTITY) > 0) to.set(name, amount);
}

/** What the containers need together: the running ones, or the hungriest moment of initialisation. */
function aggregateRequests(spec: JsonObject): Amounts {
  const total: Amounts = new Map();
  for (const container of items(spec, 'containers')) add(total, quantities(container, 'resources.requests'));
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of items(spec, 'initContainers')) {
    const requests = quantities(container, 'resources.requests');
    if (text(container, 'restartPolicy') === 'Always') {
      add(total, requests);
      add(sidecars, requests);
      raise(peak, sidecars);
    } else {
      const during: Amounts = new Map(sidecars);
      add(during, requests);
      raise(peak, during);
    }
  }
  raise(total, peak);
  return total;
}

function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Requests of a whole pod come from its containers, else from its limits. */
export function podLevelDefaults(spec: JsonObject): void {
  const resources = maybe(spec, 'resources');
  if (resources === undefined || quantities(resources, 'limits').length === 0) return;
  const requests = ensure(resources, 'requests');
  for (const [name, amount] of aggregateRequests(spec)) {
    if (!has(requests, name) && isPodLevel(name) && isOvercommitAllowed(name)) put(requests, name, written(amount));
  }
  for (const [name, amount] of quantities(resources, 'limits'))
    if (!has(requests, name) && isPodLevel(name)) put(requests, name, amount);
}

/** Amounts finer than a thousandth are rounded up. */
export function roundAmounts(holder: JsonObject): void {
  for (const path of ['resources.limits', 'resources.requests']) {
    const list = maybe(holder, path);
    for (const [name, amount] of quantities(holder, path)) {
      const quantity = parseQuantity(amount);
      if (list !== undefined && quantity.scale < -3) put(list, name, canonicalQuantity(`${roundUp(quantity)}m`));
    }
  }
}

function roundUp({ amount, scale }: Quantity): bigint {
  const unit = 10n ** BigInt(-3 - scale);
  return amount < 0n ? amount / unit : (amount + unit - 1n) / unit;
}

/** How the kubelet would treat the pod when a node runs short. */
export function qosClass(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const holders = has(spec, 'resources') ? [spec] : [...items(spec, 'containers'), ...items(spec, 'initContainers')];
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  const counted = (holder: JsonObject, path: string): [string, string][] =>
    quantities(holder, path).filter(
      ([name, amount]) => (name === 'cpu' || name === 'memory') && compareQuantities(amount, '0') > 0,
    );
  let guaranteed = true;
  for (const holder of holders) {
    add(requests, counted(holder, 'resources.requests'));
    const limited = counted(holder, 'resources.limits');
    add(limits, limited);
    if (limited.length < 2) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const same =
    requests.size === limits.size &&
    [...requests].every(([name, amount]) => compare(amount, limits.get(name) ?? ZERO_QUANTITY) === 0);
  return guaranteed && same ? 'Guaranteed' : 'Burstable';
}

export function checkPodLevel(to: FieldErrors, spec: JsonObject, field: string): void {
  const resources = maybe(spec, 'resources');
  if (resources === undefined) return;
  if (text(maybe(spec, 'os'), 'name') === 'windows') return to.forbidden(field, 'may not be set for a windows pod');
  if (has(resources, 'claims')) to.forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level');
  for (const list of ['limits', 'requests']) {
    for (const [name, amount] of quantities(resources, list)) {
      const path = `${field}.${list}[${name}]`;
      if (checkResourceName(to, name, path) && !isPodLevel(name))
        to.unsupported(path, name, ['cpu', 'hugepages-', 'memory']);
      checkQuantity(to, name, amount, path);
    }
  }
  const limits = new Map(quantities(resources, 'limits'));
  for (const [name, amount] of quantities(resources, 'requests')) {
    const limit = limits.get(name);
    if (limit !== undefined && compareQuantities(amount, limit) > 0)
      to.invalid(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`);
  }
  checkAgainstContainers(to, spec, resources, field);
}

function checkAgainstContainers(to: FieldErrors, spec: JsonObject, resources: JsonObject, field: string): void {
  const [requests, limits] = [new Map(quantities(resources, 'requests')), new Map(quantities(resources, 'limits'))];
  for (const [name, total] of aggregateRequests(spec)) {
    const amount = requests.get(name);
    if (amount !== undefined && compare(total, parseQuantity(amount)) > 0) {
      to.invalid(
        `${field}.requests[${name}]`,
        amount,
        `must be greater than or equal to aggregate container requests of ${written(total)}`,
      );
    }
  }
  items(spec, 'containers').forEach((container, index) => {
    for (const [name, amount] of quantities(container, 'resources.limits')) {
      const limit = limits.get(name);
      if (limit !== undefined && compareQuantities(amount, limit) > 0) {
        to.invalid(
          `${field}.containers[${index}][${name}].limits`,
          amount,
          `must be less than or equal to pod limits of ${limit}`,
        );
      }
    }
  });
}
