import { isZeroQuantity, type KubeObject, type Quantity } from '../../model/kubernetes/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { has, items, maybe, text } from '../resources/index.js';
import { amountsAt, largestOf, sumOf, type Amounts } from './amounts.js';

export interface PodResourcesOptions {
  /** Count what a resize still holds or already has, and the overhead of the runtime, as quota counts a pod. */
  readonly asCharged: boolean;
}

type List = 'requests' | 'limits';

/**
 * What a pod asks for as a whole: containers and sidecars together, or more where an init container needs more while
 * it runs. Amounts at the level of the pod go before those of its containers.
 */
export function podResources(pod: KubeObject, list: List, { asCharged }: PodResourcesOptions): Map<string, Quantity> {
  const spec = maybe(pod, 'spec');
  const ask = (container: JsonObject, mayResize: boolean): Amounts =>
    asCharged && mayResize ? chargedTo(pod, container, list) : amountsAt(container, `resources.${list}`);
  const running = items(spec, 'containers').map((container) => ask(container, true));
  const sidecars: Amounts[] = [];
  const starting: Amounts[] = [];
  for (const container of items(spec, 'initContainers')) {
    const stays = text(container, 'restartPolicy') === 'Always';
    const own = ask(container, stays);
    if (stays) sidecars.push(own);
    starting.push(sumOf(stays ? sidecars : [own, ...sidecars]));
  }
  const total = largestOf([sumOf([...running, ...sidecars]), ...starting]);
  for (const [name, quantity] of amountsAt(spec, `resources.${list}`)) {
    if (['cpu', 'memory'].includes(name) || (asCharged && name.startsWith('hugepages-'))) total.set(name, quantity);
  }
  return asCharged ? withOverhead(total, amountsAt(spec, 'overhead'), list) : total;
}

function withOverhead(total: Map<string, Quantity>, overhead: Amounts, list: List): Map<string, Quantity> {
  if (list === 'requests') return sumOf([total, overhead]);
  const limited = [...overhead].filter(([name]) => !isZeroQuantity(total.get(name) ?? NONE));
  return sumOf([total, new Map(limited)]);
}

const NONE: Quantity = { amount: 0n, scale: 0, format: 'decimal' };

/** While a resize is under way, the larger of what is wanted and what the container still has. */
function chargedTo(pod: KubeObject, container: JsonObject, list: List): Amounts {
  const wanted = amountsAt(container, `resources.${list}`);
  const status = maybe(pod, 'status');
  const found = [...items(status, 'containerStatuses'), ...items(status, 'initContainerStatuses')].find(
    (each) => text(each, 'name') === text(container, 'name'),
  );
  if (found === undefined || !has(found, 'resources')) return wanted;
  const held =
    list === 'requests'
      ? [amountsAt(found, 'resources.requests'), amountsAt(found, 'allocatedResources')]
      : [amountsAt(found, 'resources.limits')];
  const pending = items(status, 'conditions').find((condition) => text(condition, 'type') === 'PodResizePending');
  return largestOf(text(pending, 'reason') === 'Infeasible' ? held : [wanted, ...held]);
}
