import type { ApplicationChange, ApplicationService } from '../../control/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { rbacNameOf, type VisibilityCache } from '../access/index.js';
import { ApplicationTexts } from './application-text.js';
import { byName } from './application-filter.js';

/**
 * All applications in the order in which lists show them, and their texts. Sorted again only when some came or went.
 */
export class ApplicationCache {
  readonly texts = new ApplicationTexts();
  readonly #desk: ApplicationService;
  #sorted: readonly KubeObject[] | undefined;
  readonly #visible = new WeakMap<
    VisibilityCache,
    { readonly of: readonly KubeObject[]; readonly found: readonly KubeObject[] }
  >();
  readonly #stop: readonly (() => void)[];

  constructor(desk: ApplicationService) {
    this.#desk = desk;
    this.#stop = [
      desk.onApplication((change) => {
        this.#note(change);
      }),
      desk.onSettings(() => {
        this.#sorted = undefined;
      }),
    ];
  }

  all(): readonly KubeObject[] {
    return (this.#sorted ??= this.#desk.applications().sort(byName));
  }

  /** Those that the caller may see. */
  visibleTo(view: VisibilityCache): readonly KubeObject[] {
    const of = this.all();
    const known = this.#visible.get(view);
    if (known?.of === of) return known.found;
    const { namespace } = this.#desk;
    const found = of.filter((application) => view.isVisible(rbacNameOf(application, namespace)));
    this.#visible.set(view, { of, found });
    return found;
  }

  #note(change: ApplicationChange): void {
    const place = change.type === 'updated' && this.#sorted !== undefined ? indexIn(this.#sorted, change.object) : -1;
    this.#sorted = place < 0 || change.type !== 'updated' ? undefined : this.#sorted?.with(place, change.object);
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }
}

function indexIn(sorted: readonly KubeObject[], object: KubeObject): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const at = sorted[middle];
    const order = at === undefined ? 0 : byName(at, object);
    if (order === 0) return middle;
    if (order < 0) from = middle + 1;
    else to = middle;
  }
  return -1;
}
