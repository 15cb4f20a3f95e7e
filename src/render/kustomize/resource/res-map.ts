import { invalid } from '../fault.js';
import { field } from '../yaml/fields.js';
import { nodeJson } from '../yaml/node-json.js';
import { isArray, isObject } from '../../../model/json/index.js';
import { quoteGo } from '../../../model/go/index.js';
import { takeDataFrom } from './data-map.js';
import { originOf, setOrigin } from './origin.js';
import { effectiveNamespace, idKey, idText, sameId, type ResId } from './res-id.js';
import type { Resource } from './resource.js';

/** The objects of a build, in the order in which they came; no two have the same id. */
export class ResMap {
  #list: Resource[] = [];

  constructor(resources: readonly Resource[] = []) {
    this.appendAll(resources);
  }

  get resources(): readonly Resource[] {
    return this.#list;
  }

  /** Sets the whole list, checking nothing. */
  replaceAll(resources: readonly Resource[]): void {
    this.#list = [...resources];
  }

  appendAll(resources: readonly Resource[]): void {
    const known = new Set(this.#list.map((resource) => idKey(resource.id)));
    for (const resource of resources) {
      const { id } = resource;
      if (known.has(idKey(id)))
        throw invalid(`may not add resource with an already registered id: ${idText(id)}`, resource.source.file);
      known.add(idKey(id));
      this.#list.push(resource);
    }
  }

  dropEmpty(): void {
    this.#list = this.#list.filter((resource) => !resource.isEmpty());
  }

  /** Those of which any id, present or previous, matches. */
  byAnyId(matches: (id: ResId) => boolean): Resource[] {
    return this.#list.filter(
      (resource) => !resource.isEmpty() && (matches(resource.id) || resource.previousIds.some(matches)),
    );
  }

  byId(id: ResId): Resource[] {
    return this.#list.filter((resource) => sameId(id, resource.id));
  }

  /** The one object that a patch means. */
  target(id: ResId): Resource {
    const found = this.byAnyId((other) => sameId(id, other));
    const [one] = found;
    if (found.length === 1 && one !== undefined) return one;
    const problem = found.length > 1 ? 'multiple matches' : 'no matches';
    throw invalid(`${problem} for Id ${idText(id)}; failed to find unique target for patch ${idText(id)}`);
  }

  /** Adds what a generator made: new, or over or into the one that is there. */
  absorb(resources: readonly Resource[]): void {
    for (const resource of resources) this.#absorbOne(resource);
  }

  #absorbOne(resource: Resource): void {
    const { id, behavior } = resource;
    const matches = this.byAnyId((other) => sameId(id, other));
    const [old] = matches;
    if (old === undefined) {
      if (behavior === 'merge' || behavior === 'replace')
        throw invalid(`id ${goId(id)} does not exist; cannot merge or replace`);
      this.appendAll([resource]);
      return;
    }
    if (matches.length > 1)
      throw invalid(
        `found multiple objects ${matches.map((match) => idText(match.id)).join(', ')} that could accept ` +
          `merge of ${idText(id)}`,
      );
    if (behavior !== 'merge' && behavior !== 'replace') {
      throw invalid(`id ${goId(id)} exists; can not use behavior: '${behavior}', behavior must be merge or replace`);
    }
    const origin = originOf(old);
    resource.takeMetadataFrom(old);
    if (behavior === 'merge') {
      takeDataFrom(resource, old);
      if (origin !== undefined) setOrigin(resource, origin);
    }
    this.#list[this.#list.indexOf(old)] = resource;
  }

  /**
   * The objects that another may refer to: those of its namespace, cluster-scoped ones, and a role binding's subjects.
   */
  referableBy(referrer: Resource): readonly Resource[] {
    const { id } = referrer;
    if (id.isClusterScoped) return this.#list;
    const namespace = effectiveNamespace(id);
    const others = subjectNamespaces(referrer);
    return this.#list.filter((resource) => {
      const candidate = resource.id;
      return (
        candidate.isClusterScoped || effectiveNamespace(candidate) === namespace || others.has(candidate.namespace)
      );
    });
  }
}

/** An id as Go prints the struct in these messages. */
function goId(id: ResId): string {
  const gvk =
    `resid.Gvk{Group:${quoteGo(id.group)}, Version:${quoteGo(id.version)}, Kind:${quoteGo(id.kind)}, ` +
    `isClusterScoped:${id.isClusterScoped}}`;
  return `resid.ResId{Gvk:${gvk}, Name:${quoteGo(id.name)}, Namespace:${quoteGo(id.namespace)}}`;
}

function subjectNamespaces(resource: Resource): ReadonlySet<string> {
  const found = new Set<string>();
  if (resource.kind !== 'RoleBinding') return found;
  const node = field(resource.node, 'subjects');
  const subjects = node === undefined ? null : nodeJson(node, false, 1);
  if (!isArray(subjects)) return found;
  for (const subject of subjects) {
    if (!isObject(subject) || subject.kind !== 'ServiceAccount' || subject.namespace === undefined) continue;
    if (typeof subject.namespace !== 'string')
      throw invalid(`Invalid Input: namespace is blank for resource "${idText(resource.id)}"\n`);
    found.add(subject.namespace);
  }
  return found;
}
