import type { KubeObject } from '../../model/index.js';
import { asGitWants } from '../../diff/index.js';
import type { LookOptions } from '../inspect.js';
import type { InspectedResource, Inspection } from '../inspection.js';

/** So long an answer is given again: a page asks for the plan, the differences and the manifests at the same time. */
const FRESH = 3000;
const MOST_KEPT = 30;
const AT_ONCE = 4;

interface Kept {
  readonly at: number;
  readonly inspection: Promise<Inspection>;
}

/** Looks at applications, a few at a time; whoever asks for the same at the same time gets the same look. */
export class Inspections {
  readonly #kept = new Map<string, Kept>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    private readonly look: (application: KubeObject, how: LookOptions) => Promise<Inspection>,
    private readonly steady: () => number,
  ) {}

  get(application: KubeObject, how: LookOptions): Promise<Inspection> {
    const { uid = '', resourceVersion = '' } = application.metadata;
    const key = JSON.stringify([uid, resourceVersion, how.revisions ?? [], application.spec ?? null]);
    const now = this.steady();
    const known = this.#kept.get(key);
    if (known !== undefined && how.hard !== true && now - known.at < FRESH) return known.inspection;
    const inspection = this.#inTurn(() => this.look(application, how));
    this.#kept.set(key, { at: now, inspection });
    // A look that failed is not remembered.
    inspection.catch(() => {
      if (this.#kept.get(key)?.inspection === inspection) this.#kept.delete(key);
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return inspection;
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE)
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
export function differing({ resources }: Inspection): InspectedResource[] {
  return resources.filter(
    (resource) =>
      !resource.isHook &&
      resource.status !== 'Synced' &&
      resource.status !== '' &&
      (resource.differences.length > 0 || resource.live === undefined || resource.target === undefined),
  );
}

/** What a sync would make of the live object; undefined where it would be gone. */
export function predicted({ live, target, differences }: InspectedResource): KubeObject | undefined {
  return live === undefined || target === undefined ? target : asGitWants(live, target, differences);
}
