import { headKey, renderHead, type RenderedTargets } from './render-targets.js';
import type { CacheReader, CacheUpdate } from './reconcile-memory.js';
import type { Reconciliation } from './reconciliation.js';

/** Where the targets of the sources come from. At least one of the two is set. */
export interface HeadRequest {
  /** The last head, where it still counts. */
  readonly known?: RenderedTargets;
  /** The repositories are asked. If there is a known head too, only a retried operation wants newer revisions. */
  readonly render?: {
    /** Steady time from which an answer of a repository counts; as the settings say if undefined. */
    readonly askedSince: number | undefined;
    readonly isHard: boolean;
  };
}

/** The known head counts unless something changed that it was rendered from, or a refresh was requested. */
export function requestHead({ values, staleSince }: CacheReader, reconciliation: Reconciliation): HeadRequest {
  const { head, refresh } = values;
  const isRefreshing = refresh !== undefined && refresh.isRendered !== true;
  if (head !== undefined && !isRefreshing && staleSince === undefined && head.key === headKey(reconciliation))
    return { known: head };
  // An answer from before the refresh does not count, also when a reconcile failed since.
  const askedSince = refresh === undefined ? staleSince : Math.max(refresh.at, staleSince ?? 0);
  return { render: { askedSince, isHard: isRefreshing && refresh.kind === 'hard' } };
}

/** The head that was requested, with what the cache has to know of it. */
export async function renderRequestedHead(
  reconciliation: Reconciliation,
  { known, render }: HeadRequest,
  { values }: CacheReader,
): Promise<{ readonly head: RenderedTargets; readonly cache: CacheUpdate }> {
  if (render === undefined && known !== undefined) return { head: known, cache: {} };
  const { askedSince, isHard = false } = render ?? {};
  const head = await renderHead(reconciliation, {
    known: values.head,
    isHard,
    ...(askedSince === undefined ? {} : { maxAge: Math.max(0, reconciliation.context.clock.steady() - askedSince) }),
  });
  const refresh = values.refresh === undefined ? {} : { refresh: { ...values.refresh, isRendered: true } };
  return { head, cache: { head, answered: askedSince, ...refresh } };
}
