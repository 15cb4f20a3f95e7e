/** Group, version and kind; in a selector an empty part matches everything. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What an object is called, now or before a change. */
export interface ResId extends Gvk {
  readonly name: string;
  readonly namespace: string;
  /** Known to be cluster-scoped. Never so for an earlier id: its namespace says it instead. */
  readonly isClusterScoped: boolean;
}

const NOT_A_NAMESPACE = '_non_namespaceable_';

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const at = apiVersion.indexOf('/');
  return at < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
}

export function apiVersionOf({ group, version }: Gvk): string {
  return group === '' ? version : `${group}/${version}`;
}

export function gvkText({ group, version, kind }: Gvk): string {
  return `${kind || '[noKind]'}.${version || '[noVer]'}.${group || '[noGrp]'}`;
}

export function idText(id: ResId): string {
  return `${gvkText(id)}/${id.name || '[noName]'}.${id.namespace || '[noNs]'}`;
}

/** The namespace that counts: `default` for none, and a word that no namespace has for what is cluster-scoped. */
export function effectiveNamespace(id: ResId): string {
  if (id.isClusterScoped) return NOT_A_NAMESPACE;
  return id.namespace === '' ? 'default' : id.namespace;
}

export function isNotNamespaced(namespace: string): boolean {
  return namespace === NOT_A_NAMESPACE;
}

export function sameGvk(a: Gvk, b: Gvk): boolean {
  return a.kind === b.kind && a.group === b.group && a.version === b.version;
}

export function sameGvkn(a: ResId, b: ResId): boolean {
  return a.name === b.name && sameGvk(a, b);
}

export function sameId(a: ResId, b: ResId): boolean {
  return sameGvkn(a, b) && effectiveNamespace(a) === effectiveNamespace(b);
}

/** One text that is equal for equal ids. */
export function idKey(id: ResId): string {
  return `${id.group}\n${id.version}\n${id.kind}\n${id.name}\n${effectiveNamespace(id)}`;
}

export function isSelectedBy(gvk: Gvk, selector: Gvk): boolean {
  return (
    (selector.kind === '' || selector.kind === gvk.kind) &&
    (selector.group === '' || selector.group === gvk.group) &&
    (selector.version === '' || selector.version === gvk.version)
  );
}
