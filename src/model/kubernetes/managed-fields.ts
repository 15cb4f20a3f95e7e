import { Fault } from '../faults/index.js';
import { isObject, own, put, type Json, type JsonObject } from '../json/index.js';
import { compareElements, elementText, parseElement, type FieldPath, type PathElement } from './path-element.js';

/** What a set says about one element: whether it is itself a member, and which paths below it are. */
export interface FieldNode {
  readonly element: PathElement;
  readonly member: boolean;
  readonly children: FieldSet | undefined;
}

/** Deeper sets are refused: no schema nests so far, and recursion must not end the process. */
const MAX_DEPTH = 2000;

/**
 * A set of field paths: what one manager owns. Every operation but `insert` gives a new set; parts are shared between
 * sets and copied only when one of them is inserted into, so no operation changes a set it was given.
 */
export class FieldSet {
  #nodes: Map<string, FieldNode>;
  #shared = false;
  #order: readonly FieldNode[] | undefined;

  private constructor(nodes: Map<string, FieldNode>) {
    this.#nodes = nodes;
  }

  static empty(): FieldSet {
    return new FieldSet(new Map());
  }

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = FieldSet.empty();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** A set of these nodes. A node that is no member and has nothing below it is left out. */
  static fromNodes(nodes: Iterable<FieldNode>): FieldSet {
    const map = new Map<string, FieldNode>();
    for (const node of nodes) {
      const children = node.children === undefined || node.children.isEmpty() ? undefined : node.children.#share();
      if (node.member || children !== undefined)
        map.set(
          elementText(node.element),
          children === node.children ? node : { element: node.element, member: node.member, children },
        );
    }
    return new FieldSet(map);
  }

  /** Adds one path; its parents do not become members. The empty path is nobody's and is ignored. */
  insert(path: FieldPath): void {
    const element = path[0];
    if (element === undefined) return;
    this.#unshare();
    this.#order = undefined;
    const text = elementText(element);
    const node = this.#nodes.get(text);
    if (path.length === 1) {
      if (node?.member !== true) this.#nodes.set(text, { element, member: true, children: node?.children });
      return;
    }
    const children = node?.children ?? FieldSet.empty();
    if (node?.children === undefined) this.#nodes.set(text, { element, member: node?.member ?? false, children });
    children.insert(path.slice(1));
  }

  has(path: FieldPath): boolean {
    const last = path.length - 1;
    if (last < 0) return false;
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the loop walks down from this set
    let set: FieldSet | undefined = this;
    for (const [depth, element] of path.entries()) {
      const node: FieldNode | undefined = set.#nodes.get(elementText(element));
      if (depth === last) return node?.member === true;
      set = node?.children;
      if (set === undefined) return false;
    }
    return false;
  }

  /** The node of one element, to walk a set beside a value. */
  node(element: PathElement): FieldNode | undefined {
    return this.#nodes.get(elementText(element));
  }

  /** The paths below an element, without it. Empty where there are none. */
  withPrefix(element: PathElement): FieldSet {
    const children = this.#nodes.get(elementText(element))?.children;
    return children === undefined ? FieldSet.empty() : children.#share();
  }

  union(other: FieldSet): FieldSet {
    if (other.#nodes.size === 0) return this.#share();
    if (this.#nodes.size === 0) return other.#share();
    const nodes = FieldSet.#copy(this.#nodes);
    for (const [text, theirs] of other.#nodes) {
      const ours = nodes.get(text);
      nodes.set(text, {
        element: theirs.element,
        member: theirs.member || ours?.member === true,
        children: FieldSet.#both(ours?.children, theirs.children),
      });
    }
    return new FieldSet(nodes);
  }

  /** Members of both. */
  intersection(other: FieldSet): FieldSet {
    return this.#combine(other, (ours, theirs) => {
      if (theirs === undefined) return undefined;
      const children =
        ours.children !== undefined && theirs.children !== undefined
          ? ours.children.intersection(theirs.children)
          : undefined;
      return { member: ours.member && theirs.member, children };
    });
  }

  /** Members of this set that the other has not. A member of the other does not take what is below it. */
  difference(other: FieldSet): FieldSet {
    return this.#combine(other, (ours, theirs) => {
      if (theirs === undefined) return ours;
      const children =
        ours.children !== undefined && theirs.children !== undefined
          ? ours.children.difference(theirs.children)
          : ours.children;
      return { member: ours.member && !theirs.member, children };
    });
  }

  /** Members of this set that the other has not; a member of the other also takes everything below it. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#combine(other, (ours, theirs) => {
      if (theirs === undefined) return ours;
      if (theirs.member) return undefined;
      const children =
        ours.children !== undefined && theirs.children !== undefined
          ? ours.children.recursiveDifference(theirs.children)
          : ours.children;
      return { member: ours.member, children };
    });
  }

  /** Members with no member below them. */
  leaves(): FieldSet {
    const nodes: FieldNode[] = [];
    for (const node of this.#nodes.values()) {
      nodes.push({
        element: node.element,
        member: node.member && node.children === undefined,
        children: node.children?.leaves(),
      });
    }
    return FieldSet.fromNodes(nodes);
  }

  isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  /** How many paths are members. */
  size(): number {
    let count = 0;
    for (const node of this.#nodes.values()) count += Number(node.member) + (node.children?.size() ?? 0);
    return count;
  }

  equals(other: FieldSet): boolean {
    if (this.#nodes === other.#nodes) return true;
    if (this.#nodes.size !== other.#nodes.size) return false;
    for (const [text, ours] of this.#nodes) {
      const theirs = other.#nodes.get(text);
      if (theirs?.member !== ours.member) return false;
      if (ours.children === undefined || theirs.children === undefined) {
        if (ours.children !== theirs.children) return false;
      } else if (!ours.children.equals(theirs.children)) return false;
    }
    return true;
  }

  /** The nodes of this level, in the order in which FieldsV1 lists them. */
  nodes(): readonly FieldNode[] {
    this.#order ??= [...this.#nodes.values()].sort((a, b) => compareElements(a.element, b.element));
    return this.#order;
  }

  /** Every member, in the order the API server reports them: the members of a level, then what is below each. */
  *paths(prefix: FieldPath = []): Generator<FieldPath, void, undefined> {
    for (const { element, member } of this.nodes()) if (member) yield [...prefix, element];
    for (const { element, children } of this.nodes())
      if (children !== undefined) yield* children.paths([...prefix, element]);
  }

  #share(): FieldSet {
    this.#shared = true;
    const twin = new FieldSet(this.#nodes);
    twin.#shared = true;
    twin.#order = this.#order;
    return twin;
  }

  #unshare(): void {
    if (!this.#shared) return;
    this.#nodes = FieldSet.#copy(this.#nodes);
    this.#shared = false;
  }

  #combine(
    other: FieldSet,
    keep: (ours: FieldNode, theirs: FieldNode | undefined) => Pick<FieldNode, 'member' | 'children'> | undefined,
  ): FieldSet {
    const nodes = new Map<string, FieldNode>();
    for (const [text, ours] of this.#nodes) {
      const kept = keep(ours, other.#nodes.get(text));
      if (kept === undefined) continue;
      const children = kept.children === undefined || kept.children.isEmpty() ? undefined : kept.children.#share();
      if (kept.member || children !== undefined)
        nodes.set(text, { element: ours.element, member: kept.member, children });
    }
    return new FieldSet(nodes);
  }

  static #both(ours: FieldSet | undefined, theirs: FieldSet | undefined): FieldSet | undefined {
    if (theirs === undefined) return ours;
    return ours === undefined ? theirs.#share() : ours.union(theirs);
  }

  static #copy(nodes: ReadonlyMap<string, FieldNode>): Map<string, FieldNode> {
    const copy = new Map(nodes);
    for (const [text, node] of nodes)
      if (node.children !== undefined) copy.set(text, { ...node, children: node.children.#share() });
    return copy;
  }
}

/** Reads the `fieldsV1` of a managedFields entry. Element kinds that are not known are skipped. */
export function parseFieldsV1(json: JsonObject): FieldSet {
  return readLevel(json, 0).set;
}

function readLevel(json: Json | undefined, depth: number): { set: FieldSet; member: boolean } {
  if (json === undefined || json === null) return { set: FieldSet.empty(), member: true };
  if (!isObject(json)) throw new Fault('VALUE_INVALID', 'fieldsV1: every value must be an object');
  if (depth > MAX_DEPTH) throw new Fault('VALUE_INVALID', `fieldsV1: nested deeper than ${MAX_DEPTH} levels`);
  const nodes: FieldNode[] = [];
  let member = false;
  for (const key of Object.keys(json)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const below = readLevel(own(json, key), depth + 1);
    nodes.push({ element, member: below.member, children: below.set });
  }
  // A level that names nothing stands for the element itself.
  return { set: FieldSet.fromNodes(nodes), member: member || nodes.length === 0 };
}

/** The `fieldsV1` value of a set, in canonical form and order. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  return writeLevel(set, false);
}

function writeLevel(set: FieldSet, self: boolean): JsonObject {
  const out: JsonObject = {};
  if (self) out['.'] = {};
  for (const { element, member, children } of set.nodes()) {
    put(out, elementText(element), children === undefined ? {} : writeLevel(children, member));
  }
  return out;
}
