import { visitField, type FieldSpec } from '../config/field-spec.js';
import type { NameReference } from '../config/transformer-config.js';
import { during, invalid } from '../fault.js';
import { effectiveNamespace, idText, isNotNamespaced, isSelectedBy, type Gvk, type ResId } from '../resource/res-id.js';
import type { ResMap } from '../resource/res-map.js';
import type { Resource } from '../resource/resource.js';
import { field, getField, setField, setScalar } from '../yaml/fields.js';
import { isPresent, scalar, type YamlNode } from '../yaml/node.js';

/** A field that may hold the name of an object of some kind. */
interface Reference {
  readonly spec: FieldSpec;
  readonly target: Gvk;
}

interface Candidate {
  readonly resource: Resource;
  readonly id: ResId;
  readonly previous: readonly ResId[];
}

/** Follows every object that was renamed or moved: whoever names it by an earlier name gets the present one. */
export function fixNameReferences(resources: ResMap, references: readonly NameReference[]): void {
  const all = resources.resources.map((resource) => ({ resource, original: resource.originalId }));
  const byKind = new Map<string, readonly Reference[]>();
  for (const { resource, original } of all) {
    const known = byKind.get(original.kind) ?? ofKind(references, original.kind);
    byKind.set(original.kind, known);
    const mine = known.filter(({ spec }) => isSelectedBy(original, spec));
    if (mine.length > 0) new Referrer(resource, resources).fix(mine);
  }
}

function ofKind(references: readonly NameReference[], kind: string): Reference[] {
  return references.flatMap((target) =>
    target.fieldSpecs.filter((spec) => spec.kind === '' || spec.kind === kind).map((spec) => ({ spec, target })),
  );
}

class Referrer {
  readonly #resource: Resource;
  readonly #resources: ResMap;
  #candidates: readonly Candidate[] | undefined;

  constructor(resource: Resource, resources: ResMap) {
    this.#resource = resource;
    this.#resources = resources;
  }

  fix(references: readonly Reference[]): void {
    for (const { spec, target } of references) {
      const { id } = this.#resource;
      const here: FieldSpec = { ...spec, group: id.group, version: id.version, kind: id.kind };
      during(
        () => `updating name reference in '${spec.path}' field of '${idText(this.#resource.id)}'`,
        () => {
          visitField(this.#resource.node, { spec: here, set: (node) => this.#set(node, spec, target) });
        },
      );
    }
  }

  /** Objects that it may refer to; found when the first field is. */
  #all(): readonly Candidate[] {
    this.#candidates ??= this.#resources
      .referableBy(this.#resource)
      .map((resource) => ({ resource, id: resource.id, previous: resource.previousIds }));
    return this.#candidates;
  }

  #set(node: YamlNode, spec: FieldSpec, target: Gvk): void {
    if (!isPresent(node)) return;
    if (node.kind === 'scalar') this.#setScalar(node, spec, target);
    else if (node.kind === 'map') this.#setMapping(node, spec, target);
    else {
      for (const item of node.items) {
        if (!isPresent(item)) continue;
        if (item.kind === 'scalar') this.#setScalar(item, spec, target);
        else if (item.kind === 'map') this.#setMapping(item, spec, target);
        else throw invalid('an element is expected to be either a string or a map of string');
      }
    }
  }

  #setScalar(node: YamlNode, spec: FieldSpec, target: Gvk): void {
    const referral = this.#select(node.value, this.#all(), spec, target, (a, b) => a.name === b.name);
    if (referral === undefined) return;
    referral.referredBy(this.#resource.id);
    const { name } = referral;
    if (name !== node.value && name !== '') setScalar(node, scalar(name));
  }

  /** A mapping with `name` and perhaps `namespace`, such as a subject of a role binding. */
  #setMapping(node: YamlNode, spec: FieldSpec, target: Gvk): void {
    const nameNode = getField(node, 'name');
    if (nameNode === undefined) throw invalid("path config error; no 'name' field in node");
    const namespaceNode = getField(node, 'namespace');
    const candidates = namespaceNode === undefined ? this.#all() : inNamespace(this.#all(), namespaceNode.value);
    const oldName = nameNode.value;
    const referral = this.#select(
      oldName,
      candidates,
      spec,
      target,
      (a, b) => a.name === b.name && a.namespace === b.namespace,
    );
    if (referral === undefined) return;
    referral.referredBy(this.#resource.id);
    const { name, namespace } = referral;
    if (name === oldName && namespace === '') return;
    setField(node, 'name', scalar(name));
    if (namespace !== '') setField(node, 'namespace', scalar(namespace));
  }

  #select(
    oldName: string,
    all: readonly Candidate[],
    spec: FieldSpec,
    target: Gvk,
    isSame: (a: Resource, b: Resource) => boolean,
  ): Resource | undefined {
    const referrer = this.#resource;
    const role = spec.path.endsWith('roleRef/name') ? roleOf(referrer) : undefined;
    const namespace = this.#namespaceFilter();
    let found = all
      .filter(({ previous }) => previous.some((id) => id.name === oldName))
      .filter(({ previous }) => previous.some((id) => isSelectedBy(id, target)))
      .filter(({ previous }) => role === undefined || previous.some((id) => isSelectedBy(id, role)))
      .filter(namespace);
    if (found.length === 1) return found[0]?.resource;
    found = found.filter(({ resource }) => resource.hasSameAffixes(referrer, true));
    if (found.length > 1) found = found.filter(({ resource }) => resource.hasSameAffixes(referrer, false));
    const [first, ...rest] = found;
    if (first === undefined || rest.every(({ resource }) => isSame(first.resource, resource))) return first?.resource;
    throw invalid(`found multiple possible referrals: ${found.map(({ resource }) => idText(resource.id)).join(', ')}`);
  }

  /**
   * Objects in its own namespace, cluster-scoped ones and service accounts; everything for what is cluster-scoped
   * itself.
   */
  #namespaceFilter(): (candidate: Candidate) => boolean {
    const { id } = this.#resource;
    if (id.isClusterScoped) return () => true;
    const namespace = effectiveNamespace(id);
    return ({ resource, id: other }) =>
      other.isClusterScoped || resource.kind === 'ServiceAccount' || effectiveNamespace(other) === namespace;
  }
}

function inNamespace(candidates: readonly Candidate[], namespace: string): readonly Candidate[] {
  if (isNotNamespaced(namespace)) return [];
  const before = candidates.filter(({ id, previous }) => effectiveNamespace(previous[0] ?? id) === namespace);
  return before.length > 0 ? before : candidates.filter(({ id }) => effectiveNamespace(id) === namespace);
}

/** The kind that a role binding's `roleRef` names. */
function roleOf(referrer: Resource): Gvk | undefined {
  const role = field(referrer.node, 'roleRef');
  const [group, kind] = [field(role, 'apiGroup'), field(role, 'kind')];
  return group === undefined || kind === undefined ? undefined : { group: group.value, version: '', kind: kind.value };
}
