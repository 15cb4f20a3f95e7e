import { isBlank } from '../../../model/yaml/index.js';
import { invalid } from '../fault.js';
import { MERGE_TAG, STRING_TAG, YamlNode, type NodeStyle } from './node.js';
import { resolveTag } from './resolve-tag.js';
import { Scanner } from './scanner.js';

/** The anchor and tag before a node. */
export interface Properties {
  readonly anchor?: string;
  /** In short form, such as `!!str`. */
  readonly tag?: string;
}

export const NO_PROPERTIES: Properties = {};
const CORE = 'tag:yaml.org,2002:';
/**
 * Copies that aliases may make in one document. Kustomize has no limit, and a text of a kilobyte can fill its memory.
 */
const MAX_COPIES = 400_000;

const NAME = /[0-9A-Za-z_-]*/y;
const HANDLE = /!(?:[0-9A-Za-z_-]*!)?/y;
const URI = /(?:[0-9A-Za-z_;/?:@&=+$,.!~*'()[\]-]|%[0-9A-Fa-f]{2})*/y;

/** Makes nodes of what the parsers find: tags, anchors and the copies that aliases stand for. */
export class NodeReader extends Scanner {
  readonly #anchors = new Map<string, YamlNode | undefined>();
  #copies = 0;
  /** Lists that an alias stands for cannot be merged into a mapping. */
  readonly aliasedLists = new WeakSet<YamlNode>();
  handles: ReadonlyMap<string, string> = new Map([
    ['!', '!'],
    ['!!', CORE],
  ]);

  scalar(text: string, style: NodeStyle, { anchor, tag }: Properties): YamlNode {
    const isTyped = tag !== undefined && tag !== STRING_TAG && tag !== MERGE_TAG;
    return this.anchored(
      anchor,
      new YamlNode('scalar', tag ?? defaultTag(text, style), text, isTyped ? 'tagged' : style),
    );
  }

  collection(kind: 'map' | 'seq', flow: boolean, { anchor, tag }: Properties): YamlNode {
    this.enter();
    // Known before its content, so that a node can be caught containing itself.
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    return new YamlNode(kind, tag ?? `!!${kind}`, '', flow ? 'flow' : 'plain');
  }

  finish(node: YamlNode, { anchor }: Properties): YamlNode {
    this.leave();
    if (node.kind === 'map') merge(this, node);
    return this.anchored(anchor, node);
  }

  anchored(anchor: string | undefined, node: YamlNode): YamlNode {
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  /** `*name`: a copy of the node that has the anchor. */
  alias(): YamlNode {
    const at = this.pos;
    const name = this.anchorName();
    const node = this.#anchors.get(name);
    if (node === undefined) {
      this.failPlain(
        this.#anchors.has(name) ? `anchor '${name}' value contains itself` : `unknown anchor '${name}' referenced`,
        at,
      );
    }
    this.#count(node, at);
    const copy = node.copy();
    if (copy.kind === 'seq') this.aliasedLists.add(copy);
    return copy;
  }

  #count(node: YamlNode, at: number): void {
    if (++this.#copies > MAX_COPIES) this.fail('document contains excessive aliasing', at);
    for (const { value } of node.entries) this.#count(value, at);
    for (const item of node.items) this.#count(item, at);
  }

  atProperty(): boolean {
    return this.code() === 38 || this.code() === 33;
  }

  /** `&anchor` and `!tag`, each at most once, in any order, on one line. */
  properties(): Properties {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (;;) {
      if (this.code() === 38 && anchor === undefined) anchor = this.anchorName();
      else if (this.code() === 33 && tag === undefined) tag = this.#tag();
      else break;
      const { pos } = this;
      this.skipBlanks();
      if (!this.atProperty()) {
        this.pos = pos;
        break;
      }
    }
    return { ...(anchor !== undefined && { anchor }), ...(tag !== undefined && tag !== '!' && { tag }) };
  }

  anchorName(): string {
    const start = this.pos++;
    const name = this.#take(NAME);
    const next = this.code();
    if (name === '' || !(isBlank(next) || '?:,]}%@`'.includes(String.fromCharCode(next)))) {
      this.fail('did not find expected alphabetic or numeric character', start);
    }
    return name;
  }

  #tag(): string {
    const start = this.pos;
    const tag = this.code(1) === 60 ? this.#verbatim() : this.#short();
    if (!isBlank(this.code()) && this.code() !== 44) this.fail('did not find expected whitespace or line break', start);
    return tag.startsWith(CORE) ? `!!${tag.slice(CORE.length)}` : tag;
  }

  #verbatim(): string {
    this.pos += 2;
    const uri = this.#uri();
    if (uri === '' || this.text.charAt(this.pos++) !== '>') this.fail("did not find the expected '>'");
    return uri;
  }

  #short(): string {
    const start = this.pos;
    const handle = this.#take(HANDLE);
    const suffix = this.#uri();
    if (handle === '!' && suffix === '') return '!';
    const prefix = this.handles.get(handle);
    if (prefix === undefined) this.fail('found undefined tag handle', start);
    return prefix + suffix;
  }

  /** What a `%TAG` directive says. */
  tagDirective(): readonly [string, string] {
    const handle = this.#take(HANDLE);
    this.skipBlanks();
    return [handle, this.#uri()];
  }

  #uri(): string {
    const uri = this.#take(URI);
    try {
      return uri.includes('%') ? decodeURIComponent(uri) : uri;
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      return this.fail('found an incorrect leading UTF-8 octet');
    }
  }

  #take(form: RegExp): string {
    form.lastIndex = this.pos;
    const text = form.exec(this.text)?.[0] ?? '';
    this.pos += text.length;
    return text;
  }
}

function defaultTag(text: string, style: NodeStyle): string {
  if (style !== 'plain') return '!!str';
  return text === '<<' ? MERGE_TAG : resolveTag(text);
}

/** Replaces `<<` by what it names: keys that are missing, of the first mapping that has them. */
function merge(reader: NodeReader, node: YamlNode): void {
  const merges = node.entries.filter(({ key }) => key.tag === MERGE_TAG);
  const [first] = merges;
  if (first === undefined) return;
  if (merges.length > 1) reader.fail('duplicate merge key');
  node.entries = node.entries.filter((entry) => entry !== first);
  const seen = new Set(node.entries.map(({ key }) => key.value));
  for (const source of sources(reader, first.value)) {
    for (const entry of source.entries) {
      if (seen.has(entry.key.value)) continue;
      seen.add(entry.key.value);
      node.add(entry);
    }
  }
}

function sources(reader: NodeReader, value: YamlNode): YamlNode[] {
  if (value.kind === 'map') return [value];
  if (reader.aliasedLists.has(value)) throw invalid('invalid map merge: received alias for a non-map value');
  if (value.kind === 'scalar') reader.fail('map merge requires map or sequence of maps as the value');
  return value.items.map((item) =>
    item.kind === 'map' ? item : reader.fail('map merge requires map or sequence of maps as the value'),
  );
}
