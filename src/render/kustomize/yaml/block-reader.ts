import { isBlank } from '../../../model/yaml/index.js';
import { inlineNode } from './flow-reader.js';
import { NO_PROPERTIES, NodeReader, type Properties } from './node-reader.js';
import type { Entry, YamlNode } from './node.js';
import { blockScalar } from './block-scalar.js';
import { COLON, DASH, QUESTION } from './scanner.js';

/** What stands around a block node. */
interface Around {
  /** The column of the collection around it, -1 for none. */
  readonly parent: number;
  /** A key or an entry may start here: at the start of a line, or after `- `. */
  readonly fresh: boolean;
  /** It is a mapping's value, so a list may stand in the column of its parent. */
  readonly inMapping: boolean;
}

/** The first document of a text; undefined where there is none. As in Go, what follows it is not read. */
export function readNode(text: string, firstLine = 1): YamlNode | undefined {
  const reader = new NodeReader(text, firstLine);
  reader.skip(false);
  const hasDirectives = directives(reader);
  const isMarked = reader.atMarker() && reader.code() === DASH;
  if (isMarked) reader.pos += 3;
  else if (hasDirectives) reader.failParse('did not find expected <document start>');
  const fresh = reader.skip(true) || !isMarked;
  if (!isMarked && reader.code() === 0) return undefined;
  if (!isMarked && reader.atMarker()) reader.failParse('did not find expected node content');
  const node = reader.atDocumentEnd()
    ? reader.scalar('', 'plain', NO_PROPERTIES)
    : blockNode(reader, { parent: -1, fresh, inMapping: false });
  reader.skip(true);
  if (!reader.atDocumentEnd()) reader.failParse('did not find expected <document start>');
  return node;
}

function directives(reader: NodeReader): boolean {
  const handles = new Map(reader.handles);
  let found = false;
  let hasVersion = false;
  while (reader.code() === 37 && reader.pos === reader.lineStart) {
    const at = reader.pos;
    const name = /^%(\w+)[ \t]*/.exec(reader.text.slice(at, at + 80));
    reader.pos += name?.[0].length ?? 1;
    if (name?.[1] === 'TAG') {
      const [handle, prefix] = reader.tagDirective();
      handles.set(handle, prefix);
    } else if (name?.[1] === 'YAML') {
      if (hasVersion) reader.failParse('found duplicate %YAML directive', at);
      hasVersion = true;
      const version = /^\d+\.\d+/.exec(reader.text.slice(reader.pos, reader.pos + 20))?.[0];
      if (version === undefined) reader.fail("did not find expected digit or '.' character", at);
      if (version !== '1.1') reader.failParse('found incompatible YAML document', at);
      reader.pos += version.length;
    } else reader.fail('found unknown directive name', at);
    reader.endLine(at);
    reader.skip(false);
    found = true;
  }
  reader.handles = handles;
  return found;
}

function blockNode(reader: NodeReader, around: Around): YamlNode {
  const at = reader.pos;
  const { column } = reader;
  if (reader.atProperty()) return withProperties(reader, around);
  if (reader.atIndicator(DASH)) {
    if (!around.fresh) reader.fail('block sequence entries are not allowed in this context');
    return blockSequence(reader, column, false, NO_PROPERTIES);
  }
  if (reader.atIndicator(QUESTION) || reader.atIndicator(COLON)) {
    if (!around.fresh) reader.fail('mapping values are not allowed in this context');
    return blockMapping(reader, column, NO_PROPERTIES);
  }
  const style = blockStyle(reader.code());
  if (style !== undefined) return reader.scalar(blockScalar(reader, around.parent), style, NO_PROPERTIES);
  const node = inlineNode(reader, around.parent + 1, false, NO_PROPERTIES);
  if (!atColon(reader)) return node;
  return mappingFrom(reader, column, { node, at }, around.fresh, NO_PROPERTIES);
}

function blockStyle(code: number): 'literal' | 'folded' | undefined {
  if (code === 124) return 'literal';
  return code === 62 ? 'folded' : undefined;
}

/** A key that was read before it was known to be one. */
interface FirstKey {
  readonly node: YamlNode;
  readonly at: number;
}

function mappingFrom(
  reader: NodeReader,
  column: number,
  first: FirstKey,
  fresh: boolean,
  properties: Properties,
): YamlNode {
  if (!fresh || !reader.passKey(first.at, false)) reader.fail('mapping values are not allowed in this context');
  return blockMapping(reader, column, properties, first.node);
}

function atColon(reader: NodeReader): boolean {
  let { pos } = reader;
  while (reader.text.charCodeAt(pos) === 32 || reader.text.charCodeAt(pos) === 9) pos++;
  return reader.text.charCodeAt(pos) === COLON && isBlank(reader.text.charCodeAt(pos + 1));
}

/** Properties before content on their line belong to a key if one starts there; else to the whole node. */
function withProperties(reader: NodeReader, around: Around): YamlNode {
  const at = reader.pos;
  const { column } = reader;
  const properties = reader.properties();
  if (reader.skip(true)) return onNextLine(reader, around, properties);
  const style = blockStyle(reader.code());
  if (style !== undefined) return reader.scalar(blockScalar(reader, around.parent), style, properties);
  if (reader.atIndicator(DASH)) reader.fail('block sequence entries are not allowed in this context');
  const isNothing = reader.code() === 0 || reader.atIndicator(COLON);
  const node = isNothing
    ? reader.scalar('', 'plain', properties)
    : inlineNode(reader, around.parent + 1, false, properties);
  return atColon(reader) ? mappingFrom(reader, column, { node, at }, around.fresh, NO_PROPERTIES) : node;
}

/** The node on the lines after its properties. */
function onNextLine(reader: NodeReader, around: Around, properties: Properties): YamlNode {
  const { parent } = around;
  const isIndentless = around.inMapping && reader.column === parent && reader.atIndicator(DASH);
  if (isIndentless) return blockSequence(reader, parent, true, properties);
  if (!isNodeHere(reader, parent, true)) return reader.scalar('', 'plain', properties);
  const { column, pos: at } = reader;
  if (reader.atIndicator(DASH)) return blockSequence(reader, column, false, properties);
  if (reader.atIndicator(QUESTION) || reader.atIndicator(COLON)) return blockMapping(reader, column, properties);
  const style = blockStyle(reader.code());
  if (style !== undefined) return reader.scalar(blockScalar(reader, parent), style, properties);
  const inner = reader.atProperty() ? reader.properties() : NO_PROPERTIES;
  if (inner !== NO_PROPERTIES && reader.skip(true)) return onNextLine(reader, around, { ...properties, ...inner });
  const { pos, lineStart } = reader;
  const node = inlineNode(reader, parent + 1, false, inner);
  if (atColon(reader)) return mappingFrom(reader, column, { node, at }, true, properties);
  // No key after all: the properties of both lines are those of the node itself.
  reader.pos = pos;
  reader.lineStart = lineStart;
  return inlineNode(reader, parent + 1, false, { ...properties, ...inner });
}

function blockSequence(reader: NodeReader, column: number, indentless: boolean, properties: Properties): YamlNode {
  const start = reader.pos;
  const node = reader.collection('seq', false, properties);
  for (;;) {
    reader.pos++;
    const broke = reader.skip(false);
    const isHere = isNodeHere(reader, column, broke);
    node.addItem(
      isHere
        ? blockNode(reader, { parent: column, fresh: true, inMapping: false })
        : reader.scalar('', 'plain', NO_PROPERTIES),
    );
    reader.skip(true);
    if (reader.atDocumentEnd() || reader.column < column) break;
    if (reader.column === column && reader.atIndicator(DASH)) continue;
    if (indentless && reader.column === column) break;
    reader.failParse("did not find expected '-' indicator", start);
  }
  return reader.finish(node, properties);
}

/** Whether a node follows an indicator: on its line, or deeper than its collection on a later one. */
function isNodeHere(reader: NodeReader, column: number, broke: boolean): boolean {
  if (!broke) return reader.code() !== 0;
  if (reader.atDocumentEnd()) return false;
  return reader.column > column || (reader.column === column && blockStyle(reader.code()) !== undefined);
}

function blockMapping(reader: NodeReader, column: number, properties: Properties, first?: YamlNode): YamlNode {
  const start = reader.lineStart;
  const node = reader.collection('map', false, properties);
  let key = first;
  for (;;) {
    if (key === undefined && (reader.atIndicator(QUESTION) || reader.atIndicator(COLON)))
      node.add(complexEntry(reader, column));
    else {
      key ??= readKey(reader, column);
      reader.pos++;
      node.addEntry(asKey(reader, key), valueOf(reader, column, reader.skip(true), false));
    }
    key = undefined;
    reader.skip(true);
    if (reader.atDocumentEnd() || reader.column < column) return reader.finish(node, properties);
    if (reader.column > column || reader.atIndicator(DASH)) reader.failParse('did not find expected key', start);
  }
}

/** Kustomize turns every document into JSON, which knows only texts as keys. */
function asKey(reader: NodeReader, key: YamlNode): YamlNode {
  if (key.kind !== 'scalar') reader.fail('invalid map key');
  return key;
}

function readKey(reader: NodeReader, column: number): YamlNode {
  const at = reader.pos;
  const properties = reader.atProperty() ? reader.properties() : NO_PROPERTIES;
  if (reader.skip(true) && properties !== NO_PROPERTIES) reader.fail("could not find expected ':'", at);
  const key = reader.atIndicator(COLON)
    ? reader.scalar('', 'plain', properties)
    : inlineNode(reader, column + 1, false, properties);
  if (!reader.passKey(at, false)) reader.fail("could not find expected ':'", at);
  return key;
}

/** The value after a colon, or null. */
function valueOf(reader: NodeReader, column: number, broke: boolean, fresh: boolean): YamlNode {
  if (isNodeHere(reader, column, broke))
    return blockNode(reader, { parent: column, fresh: broke || fresh, inMapping: true });
  const isList = broke && !reader.atDocumentEnd() && reader.column === column && reader.atIndicator(DASH);
  return isList ? blockSequence(reader, column, true, NO_PROPERTIES) : reader.scalar('', 'plain', NO_PROPERTIES);
}

/** `? key` and `: value`, which may be missing. */
function complexEntry(reader: NodeReader, column: number): Entry {
  if (!reader.atIndicator(QUESTION)) reader.failParse('did not find expected key');
  reader.pos++;
  const key = asKey(reader, valueOf(reader, column, reader.skip(false), true));
  reader.skip(true);
  if (reader.atDocumentEnd() || reader.column !== column || !reader.atIndicator(COLON))
    return { key, value: reader.scalar('', 'plain', NO_PROPERTIES) };
  reader.pos++;
  return { key, value: valueOf(reader, column, reader.skip(false), true) };
}
