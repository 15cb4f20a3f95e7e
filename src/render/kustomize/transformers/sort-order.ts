import { compareText } from '../../../model/go/index.js';
import { DEFAULT_ORDER, gvkSortText, kindRanks } from '../config/field-spec.js';
import { invalid } from '../fault.js';
import type { SortOptions } from '../kustomization/types.js';
import { gvkText, sameGvk, type ResId } from '../resource/res-id.js';
import type { ResMap } from '../resource/res-map.js';

/** Orders the output as the kustomization says; without options it stays as it came. */
export function sortResources(resources: ResMap, options: SortOptions): void {
  const { order, legacySortOptions } = options;
  if (order !== 'legacy' && order !== 'fifo')
    throw invalid("the field 'sortOptions.order' must be one of [fifo, legacy]");
  if (order === 'fifo') {
    if (legacySortOptions !== undefined) {
      throw invalid(
        `the field 'sortOptions.legacySortOptions' is set but the selected sort order is '${order}', not 'legacy'`,
      );
    }
    return;
  }
  const { orderFirst, orderLast } = legacySortOptions ?? {
    orderFirst: DEFAULT_ORDER.first,
    orderLast: DEFAULT_ORDER.last,
  };
  const ranks = kindRanks(orderFirst, orderLast);
  const sorted = resources.resources
    .map((resource) => ({ resource, id: resource.id }))
    .sort((a, b) => compareIds(a.id, b.id, ranks));
  resources.replaceAll(sorted.map(({ resource }) => resource));
}

function compareIds(a: ResId, b: ResId, ranks: ReadonlyMap<string, number>): number {
  if (sameGvk(a, b)) return compareText(idSortText(a), idSortText(b));
  const rank = (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0);
  if (rank !== 0) return rank;
  const order = compareText(gvkSortText(a), gvkSortText(b));
  return a.kind === 'Namespace' && b.kind === 'Namespace' && (a.group === '' || b.group === '') ? -order : order;
}

function idSortText(id: ResId): string {
  return `${gvkText(id)}|${id.namespace || '~X'}|${id.name || '~N'}`;
}
