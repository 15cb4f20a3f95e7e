import type { ResourceType } from './resource-type.js';

/** Every resource that the server serves now: the built-in ones and those of established CRDs. */
export class TypeCatalog {
  readonly #byPath = new Map<string, ResourceType>();
  readonly #custom = new Map<string, readonly ResourceType[]>();
  readonly #listeners = new Set<() => void>();
  readonly #since = new Map<string, number>();
  #all: readonly ResourceType[];
  #generation = 1;

  constructor(readonly builtin: readonly ResourceType[]) {
    this.#all = builtin;
    for (const type of builtin) this.#byPath.set(pathOf(type.group, type.version, type.plural), type);
  }

  /** Raised by every change; caches of discovery and OpenAPI are keyed by it. */
  get generation(): number {
    return this.#generation;
  }

  /** Built-in resources in discovery order, then custom ones by group, version and name. */
  get all(): readonly ResourceType[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#byPath.get(pathOf(group, version, plural));
  }

  /** The preferred version of a resource. */
  preferred(group: string, plural: string): ResourceType | undefined {
    return this.#all.find((type) => type.group === group && type.plural === plural);
  }

  byKind(group: string, version: string, kind: string): ResourceType | undefined {
    return this.#all.find(
      (type) => type.group === group && type.kind === kind && (version === '' || type.version === version),
    );
  }

  hasGroup(group: string): boolean {
    return this.#all.some((type) => type.group === group);
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.#all.some((type) => type.group === group && type.version === version);
  }

  /** The revision before which a resource did not exist, so that nobody can have watched it. */
  servedSince(type: ResourceType): number {
    return type.custom ? (this.#since.get(`${type.plural}.${type.group}`) ?? 0) : 0;
  }

  /**
   * Serves the types of one CRD, known since `revision`, in place of those it had before; an empty list stops serving
   * it.
   */
  setCustom(crdName: string, types: readonly ResourceType[], revision = 0): void {
    if (types.length === 0) this.#since.delete(crdName);
    else if (!this.#since.has(crdName)) this.#since.set(crdName, revision);
    for (const old of this.#custom.get(crdName) ?? []) this.#byPath.delete(pathOf(old.group, old.version, old.plural));
    if (types.length === 0) this.#custom.delete(crdName);
    else this.#custom.set(crdName, types);
    for (const type of types) this.#byPath.set(pathOf(type.group, type.version, type.plural), type);
    const custom = [...this.#custom.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, list]) => list);
    this.#all = [...this.builtin, ...custom];
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): { close(): void } {
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }
}

function pathOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
