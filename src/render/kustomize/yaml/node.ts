/**
 * How a node is written. A list or mapping is plain (block) or flow; a scalar is any of the others. `tagged` is a
 * scalar with its type before it, such as `!!int "5"`: then the type counts, and not how the text looks.
 */
export type NodeStyle = 'plain' | 'double' | 'single' | 'literal' | 'folded' | 'flow' | 'tagged';
export type NodeKind = 'scalar' | 'map' | 'seq';

export const NULL_TAG = '!!null';
export const STRING_TAG = '!!str';
export const INT_TAG = '!!int';
export const FLOAT_TAG = '!!float';
export const BOOL_TAG = '!!bool';
export const MERGE_TAG = '!!merge';
export const MAP_TAG = '!!map';

export interface Entry {
  key: YamlNode;
  value: YamlNode;
}

/** Most nodes are scalars, and have neither. */
const NO_ENTRIES: Entry[] = [];
const NO_ITEMS: YamlNode[] = [];

/**
 * A node of a YAML document. Nodes are changed in place and may stand in several places at once: Kustomize does so, and
 * a later change then shows in all of them. One class for all kinds, because a node may turn from null into a mapping.
 */
export class YamlNode {
  /** Of a mapping. Added to by `addEntry`. */
  entries: Entry[] = NO_ENTRIES;
  /** Of a list. Added to by `addItem`. */
  items: YamlNode[] = NO_ITEMS;

  constructor(
    public kind: NodeKind,
    /** In short form; '' for a scalar that is whatever its text looks like. */
    public tag: string,
    /** The text of a scalar. */
    public value: string,
    public style: NodeStyle = 'plain',
  ) {}

  addEntry(key: YamlNode, value: YamlNode): void {
    this.add({ key, value });
  }

  add(entry: Entry): void {
    if (this.entries === NO_ENTRIES) this.entries = [entry];
    else this.entries.push(entry);
  }

  addItem(item: YamlNode): void {
    if (this.items === NO_ITEMS) this.items = [item];
    else this.items.push(item);
  }

  /** Becomes what the other is. Nodes below are shared from then on. */
  become(other: YamlNode): void {
    this.kind = other.kind;
    this.tag = other.tag;
    this.value = other.value;
    this.style = other.style;
    if (this === other) return;
    this.entries = other.entries.length === 0 ? NO_ENTRIES : other.entries.map(({ key, value }) => ({ key, value }));
    this.items = other.items.length === 0 ? NO_ITEMS : [...other.items];
  }

  /** A copy that shares nothing. */
  copy(): YamlNode {
    const copy = new YamlNode(this.kind, this.tag, this.value, this.style);
    for (const { key, value } of this.entries) copy.addEntry(key.copy(), value.copy());
    for (const item of this.items) copy.addItem(item.copy());
    return copy;
  }

  get size(): number {
    return this.kind === 'map' ? this.entries.length : this.items.length;
  }
}

export function scalar(value: string, tag = ''): YamlNode {
  return new YamlNode('scalar', tag, value);
}

/** A node of a kind without content, as a missing field is created. */
export function emptyNode(kind: NodeKind): YamlNode {
  return new YamlNode(kind, '', '');
}

export function isNull(node: YamlNode): boolean {
  return node.tag === NULL_TAG;
}

/** There, and not null. */
export function isPresent(node: YamlNode | undefined): node is YamlNode {
  return node !== undefined && node.tag !== NULL_TAG;
}

/** Not there, null, or a mapping or list without content. */
export function isEmpty(node: YamlNode | undefined): boolean {
  return node === undefined || isNull(node) || (node.kind !== 'scalar' && node.size === 0);
}

export function isEmptyMap(node: YamlNode | undefined): boolean {
  return node === undefined || isNull(node) || (node.kind === 'map' && node.entries.length === 0);
}

/** A scalar that is a string, or that nobody has given a type. */
export function isText(node: YamlNode): boolean {
  return node.kind === 'scalar' && (node.tag === STRING_TAG || node.tag === '');
}

/** The text of a scalar; '' for null and for nothing. */
export function textOf(node: YamlNode | undefined): string {
  return node === undefined || isNull(node) ? '' : node.value;
}
