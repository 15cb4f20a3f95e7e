import type { Json, JsonArray, JsonObject } from '../json/index.js';
import { blockScalar } from './block-scalar.js';
import type { Composer } from './composer.js';
import { inlineNode, isKey } from './flow.js';
import { Mapping } from './mapping.js';
import { atProperty, readProperties, type Properties } from './properties.js';
import { COLON, DASH, QUESTION } from './reader.js';

/** A key that has been read before it was known to be one. */
interface FirstKey {
  readonly value: Json;
  readonly at: number;
}

/**
 * The node at the place, in block context. `parent` is the column of the block collection around it, -1 for none;
 * `fresh` says that a key or an entry may start here: at the start of a line, or after `- `. `inMapping` allows a
 * list in the column of its parent.
 */
export function blockNode(reader: Composer, parent: number, fresh: boolean, inMapping = false): Json {
  const code = reader.text.charCodeAt(reader.pos);
  if (atProperty(code)) return nodeWithProperties(reader, parent, fresh, inMapping);
  if (code === DASH && reader.atIndicator(DASH)) {
    if (!fresh) reader.fail('block sequence entries are not allowed in this context');
    return blockSequence(reader, reader.column, false);
  }
  if ((code === QUESTION || code === COLON) && reader.atIndicator(code)) {
    if (!fresh) reader.fail(`mapping ${code === COLON ? 'values' : 'keys'} are not allowed in this context`);
    return blockMapping(reader, reader.column);
  }
  if (code === 124 || code === 62) return reader.scalar(blockScalar(reader, parent), false);
  const at = reader.pos;
  const column = reader.column;
  const value = inlineNode(reader, parent + 1, false);
  if (!followedByColon(reader)) return value;
  if (!fresh || !isKey(reader, at, false)) reader.fail('mapping values are not allowed in this context');
  return blockMapping(reader, column, { value, at });
}

function followedByColon(reader: Composer): boolean {
  const { text } = reader;
  let { pos } = reader;
  while (text.charCodeAt(pos) === 32 || text.charCodeAt(pos) === 9) pos++;
  if (text.charCodeAt(pos) !== COLON) return false;
  const next = text.charCodeAt(pos + 1);
  return next === 32 || next === 10 || next === 9 || next === 0 || next === 0x2028 || next === 0x2029;
}

/** Properties before the content on their line belong to a key if one starts there; else to the whole node. */
function nodeWithProperties(reader: Composer, parent: number, fresh: boolean, inMapping: boolean): Json {
  const at = reader.pos;
  const column = reader.column;
  const properties = readProperties(reader);
  if (reader.skip(true)) return propertiedLines(reader, parent, properties, inMapping);
  const code = reader.text.charCodeAt(reader.pos);
  if (code === 124 || code === 62) return reader.scalarWith(properties, blockScalar(reader, parent), false);
  if (code === DASH && reader.atIndicator(DASH)) reader.fail('block sequence entries are not allowed in this context');
  const isEmpty = code === 0 || (code === COLON && reader.atIndicator(COLON));
  const value = isEmpty ? emptyNode(reader, properties) : inlineNode(reader, parent + 1, false, properties);
  if (!followedByColon(reader)) return value;
  if (!fresh || !isKey(reader, at, false)) reader.fail('mapping values are not allowed in this context');
  return blockMapping(reader, column, { value, at });
}

function emptyNode(reader: Composer, properties: Properties): Json {
  return reader.scalarWith(properties, '', true);
}

/** The node on the lines after its properties. */
function propertiedLines(reader: Composer, parent: number, properties: Properties, inMapping: boolean): Json {
  const isIndentless = inMapping && reader.column === parent && reader.atIndicator(DASH);
  if (!isIndentless && !isNodeHere(reader, parent, true)) return emptyNode(reader, properties);
  const code = reader.text.charCodeAt(reader.pos);
  if (isIndentless || code === DASH || code === QUESTION || code === COLON) {
    reader.open(properties.anchor);
    return reader.close(
      properties.anchor,
      isIndentless ? blockSequence(reader, parent, true) : blockNode(reader, parent, true),
    );
  }
  if (atProperty(code)) return furtherProperties(reader, parent, properties);
  if (code === 124 || code === 62) return reader.scalarWith(properties, blockScalar(reader, parent), false);
  const at = reader.pos;
  const column = reader.column;
  reader.open(properties.anchor);
  if (isScalarAlone(reader, parent, code)) return inlineNode(reader, parent + 1, false, properties);
  const value = inlineNode(reader, parent + 1, false);
  if (!followedByColon(reader) && (code === 91 || code === 123)) return reader.close(properties.anchor, value);
  if (!isKey(reader, at, false)) reader.fail('mapping values are not allowed in this context');
  return reader.close(properties.anchor, blockMapping(reader, column, { value, at }));
}

/** A second line of properties: those of a key, or the missing half of the first line's. */
function furtherProperties(reader: Composer, parent: number, outer: Properties): Json {
  const { pos } = reader;
  const inner = readProperties(reader);
  const broke = reader.skip(true);
  const code = reader.text.charCodeAt(reader.pos);
  const isBlock = code === 124 || code === 62;
  if (!broke && !isBlock && code !== 0 && !isScalarAlone(reader, parent, code)) {
    reader.pos = pos;
    reader.open(outer.anchor);
    return reader.close(outer.anchor, blockNode(reader, parent, true));
  }
  const isOverlap =
    (inner.anchor !== undefined && outer.anchor !== undefined) || (inner.tag !== undefined && outer.tag !== undefined);
  if (isOverlap) reader.fail('did not find expected node content', pos);
  const both = { ...outer, ...inner };
  if (broke) return propertiedLines(reader, parent, both, false);
  if (isBlock) return reader.scalarWith(both, blockScalar(reader, parent), false);
  return code === 0 ? emptyNode(reader, both) : inlineNode(reader, parent + 1, false, both);
}

/** Reads ahead to see whether the node here is a scalar or alias and not the key of a mapping, and comes back. */
function isScalarAlone(reader: Composer, parent: number, code: number): boolean {
  if (code === 91 || code === 123) return false;
  const { pos, lineStart } = reader;
  inlineNode(reader, parent + 1, false);
  const isAlone = !followedByColon(reader);
  reader.pos = pos;
  reader.lineStart = lineStart;
  return isAlone;
}

function blockSequence(reader: Composer, column: number, indentless: boolean): JsonArray {
  const items: JsonArray = [];
  reader.enter();
  for (;;) {
    reader.pos++;
    reader.path[reader.depth] = items.length;
    const broke = reader.skip(false);
    const at = reader.pos;
    items.push(
      reader.finite(isNodeHere(reader, column, broke) ? blockNode(reader, column, true) : reader.scalar('', true), at),
    );
    reader.skip(true);
    if (reader.atDocumentEnd() || reader.column < column) break;
    if (reader.column > column) reader.fail("did not find expected '-' indicator");
    if (!reader.atIndicator(DASH)) {
      if (indentless) break;
      reader.fail("did not find expected '-' indicator");
    }
  }
  reader.leave();
  return reader.collection(items);
}

/**
 * Whether a node follows an indicator: on the same line, or deeper than its collection on a later one. A block scalar
 * may start in the collection's own column.
 */
function isNodeHere(reader: Composer, column: number, broke: boolean): boolean {
  const code = reader.text.charCodeAt(reader.pos);
  if (!broke) return code !== 0;
  return (
    !reader.atDocumentEnd() && (reader.column > column || (reader.column === column && (code === 124 || code === 62)))
  );
}

function blockMapping(reader: Composer, column: number, first?: FirstKey): JsonObject {
  const mapping = new Mapping(reader);
  let read = first;
  for (;;) {
    if (read === undefined && (reader.atIndicator(QUESTION) || reader.atIndicator(COLON)))
      complexEntry(reader, mapping, column);
    else {
      const { value, at } = read ?? readKey(reader, column);
      const name = mapping.key(value, at);
      reader.pos++;
      const broke = reader.skip(true);
      const valueAt = reader.pos;
      mapping.add(name, valueOf(reader, column, broke, false), at, valueAt);
    }
    read = undefined;
    reader.skip(true);
    if (reader.atDocumentEnd() || reader.column < column) return mapping.finish();
    if (reader.column > column || reader.atIndicator(DASH)) reader.fail('did not find expected key');
  }
}

function readKey(reader: Composer, column: number): FirstKey {
  const at = reader.pos;
  let value: Json;
  if (atProperty(reader.text.charCodeAt(at))) {
    const properties = readProperties(reader);
    if (reader.skip(true)) reader.fail("could not find expected ':'", at);
    value = reader.atIndicator(COLON)
      ? emptyNode(reader, properties)
      : inlineNode(reader, column + 1, false, properties);
  } else value = inlineNode(reader, column + 1, false);
  if (!isKey(reader, at, false)) reader.fail("could not find expected ':'", at);
  return { value, at };
}

/** The value after a colon, or null; a list may stand in the column of its mapping. */
function valueOf(reader: Composer, column: number, broke: boolean, fresh: boolean): Json {
  if (isNodeHere(reader, column, broke)) return blockNode(reader, column, broke || fresh, true);
  if (broke && !reader.atDocumentEnd() && reader.column === column && reader.atIndicator(DASH))
    return blockSequence(reader, column, true);
  return reader.scalar('', true);
}

/** `? key` and `: value`, either of which may be missing. */
function complexEntry(reader: Composer, mapping: Mapping, column: number): void {
  const at = reader.pos;
  let key: Json = reader.scalar('', true);
  if (reader.atIndicator(QUESTION)) {
    reader.pos++;
    key = valueOf(reader, column, reader.skip(false), true);
    reader.skip(true);
  }
  const name = mapping.key(key, at);
  if (reader.atDocumentEnd() || reader.column !== column || !reader.atIndicator(COLON)) {
    mapping.add(name, null, at, reader.pos);
    return;
  }
  reader.pos++;
  const broke = reader.skip(false);
  const valueAt = reader.pos;
  mapping.add(name, valueOf(reader, column, broke, true), at, valueAt);
}
