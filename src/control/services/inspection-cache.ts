import type { KubeObject } from '../../model/kubernetes/index.js';
import { applyDifferences } from '../../diff/index.js';
import type { InspectOptions, InspectedResource, Inspection } from '../inspect/index.js';

/** Milliseconds: a page asks for the plan, the differences and the manifests at the same time. */
const MAX_AGE = 3000;
const MAX_ENTRIES = 30;
const CONCURRENCY = 4;

interface CachedInspection {
  readonly at: number;
  readonly inspection: Promise<Inspection>;
}

/** Inspects a few applications at a time; concurrent callers for the same one share the result. */
export class InspectionCache {
  readonly #entries = new Map<string, CachedInspection>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    private readonly inspect: (application: KubeObject, how: InspectOptions) => Promise<Inspection>,
    private readonly steady: () => number,
  ) {}

  get(application: KubeObject, how: InspectOptions): Promise<Inspection> {
    const { uid = '', resourceVersion = '' } = application.metadata;
    const key = JSON.stringify([uid, resourceVersion, how.revisions ?? [], application.spec ?? null]);
    const now = this.steady();
    const known = this.#entries.get(key);
    if (known !== undefined && how.hard !== true && now - known.at < MAX_AGE) return known.inspection;
    const inspection = this.#whenFree(() => this.inspect(application, how));
    this.#entries.set(key, { at: now, inspection });
    // A failed inspection is not cached.
    inspection.catch(() => {
      if (this.#entries.get(key)?.inspection === inspection) this.#entries.delete(key);
    });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
    return inspection;
  }

  async #whenFree<T>(act: () => Promise<T>): Promise<T> {
    if (this.#running >= CONCURRENCY)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    this.#running++;
    try {
      return await act();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}

/** What differs between git and the cluster, hooks aside. */
export function differingResources({ resources }: Inspection): InspectedResource[] {
  return resources.filter(
    (resource) =>
      !resource.isHook &&
      resource.status !== 'Synced' &&
      resource.status !== '' &&
      (resource.differences.length > 0 || resource.live === undefined || resource.target === undefined),
  );
}

/** The live object after a sync; undefined if the sync prunes it. */
export function predictSync({ live, target, differences }: InspectedResource): KubeObject | undefined {
  return live === undefined || target === undefined ? target : applyDifferences(live, target, differences);
}
