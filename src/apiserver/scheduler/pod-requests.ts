import { own, type JsonObject } from '../../model/json/index.js';
import { parseQuantity, quantityValue, type KubeObject } from '../../model/kubernetes/index.js';
import { items, maybe, sub, text } from '../resources/index.js';

/** Amounts by resource name: cpu in thousandths, everything else in whole units. */
export type Amounts = ReadonlyMap<string, bigint>;

export function amountsOf(list: JsonObject | undefined): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const name of Object.keys(list ?? {})) {
    const value = own(list ?? {}, name);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      amounts.set(name, quantityValue(parseQuantity(value), name === 'cpu' ? -3 : 0));
    }
  }
  return amounts;
}

export function addTo(total: Map<string, bigint>, more: Amounts, sign: 1n | -1n = 1n): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0n) + sign * amount);
}

/**
 * What a pod needs of its node: its containers together with its sidecars, or its hungriest init container with the
 * sidecars that started before it, whichever is more; plus overhead.
 */
export function podRequests(pod: KubeObject): Map<string, bigint> {
  const spec = sub(pod, 'spec');
  const total = new Map<string, bigint>();
  for (const container of items(spec, 'containers')) addTo(total, requestsOf(container));
  const sidecars = new Map<string, bigint>();
  const starting = new Map<string, bigint>();
  for (const container of items(spec, 'initContainers')) {
    const requests = requestsOf(container);
    if (text(container, 'restartPolicy') === 'Always') {
      addTo(total, requests);
      addTo(sidecars, requests);
      raise(starting, sidecars);
    } else {
      const together = new Map(sidecars);
      addTo(together, requests);
      raise(starting, together);
    }
  }
  raise(total, starting);
  for (const [name, amount] of amountsOf(maybe(spec, 'resources.requests'))) total.set(name, amount);
  addTo(total, amountsOf(maybe(spec, 'overhead')));
  return total;
}

function requestsOf(container: JsonObject): Map<string, bigint> {
  return amountsOf(maybe(container, 'resources.requests'));
}

function raise(total: Map<string, bigint>, other: Amounts): void {
  for (const [name, amount] of other) if (amount > (total.get(name) ?? 0n)) total.set(name, amount);
}
