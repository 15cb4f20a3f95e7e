import type { KubeObject } from '../../model/kubernetes/index.js';

/** Which applications one person may see, decided once for each while the policies stay the same. */
export class VisibilityCache {
  readonly #known = new Map<string, boolean>();
  readonly #nameOf: (application: KubeObject) => string;
  readonly #mayGet: (name: string) => boolean;
  #last: { readonly of: readonly KubeObject[]; readonly visible: readonly KubeObject[] } | undefined;

  /** `nameOf`: the name of an application in policies. */
  constructor(nameOf: (application: KubeObject) => string, mayGet: (name: string) => boolean) {
    this.#nameOf = nameOf;
    this.#mayGet = mayGet;
  }

  /** The visible ones of a list; the same array for the same list. */
  filter(applications: readonly KubeObject[]): readonly KubeObject[] {
    if (this.#last?.of !== applications)
      this.#last = { of: applications, visible: applications.filter((each) => this.#isVisible(this.#nameOf(each))) };
    return this.#last.visible;
  }

  #isVisible(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const isVisible = this.#mayGet(name);
    this.#known.set(name, isVisible);
    return isVisible;
  }
}
