import type { Json, JsonArray, JsonObject } from '../json/index.js';
import type { Composer } from './composer.js';
import { Mapping } from './mapping.js';
import { anchorName, atProperty, readProperties, type Properties } from './properties.js';
import { COLON, DASH, QUESTION, isBlank, isBreak } from './reader.js';
import { doubleQuoted, plainScalar, singleQuoted } from './scalar-text.js';

const COMMA = 44;
const CLOSE_LIST = 93;
const CLOSE_MAP = 125;
/** A key without `?` ends on its line, within this many characters. */
const MAX_KEY_LENGTH = 1024;

/** A scalar, an alias or a flow collection. `indent` is the least column of its further lines in block context. */
export function inlineNode(reader: Composer, indent: number, flow: boolean, properties?: Properties): Json {
  const at = reader.pos;
  const code = reader.text.charCodeAt(at);
  if (code === 91 || code === 123) {
    reader.open(properties?.anchor);
    return reader.close(properties?.anchor, code === 91 ? flowSequence(reader) : flowMapping(reader));
  }
  if (code === 42) {
    if (properties !== undefined) reader.fail('did not find expected node content');
    return reader.alias(anchorName(reader), at);
  }
  const plain = code !== 34 && code !== 39;
  if (plain && !startsPlain(reader, code, flow)) reader.fail(cannotStart(code));
  const text = plain ? plainScalar(reader, indent, flow) : quoted(reader, code);
  if (properties === undefined) return reader.scalar(text, plain);
  return reader.scalarWith(properties, text, plain);
}

function quoted(reader: Composer, code: number): string {
  return code === 34 ? doubleQuoted(reader) : singleQuoted(reader);
}

function startsPlain(reader: Composer, code: number, flow: boolean): boolean {
  if (code === DASH) return !isBlank(reader.text.charCodeAt(reader.pos + 1));
  if (code === QUESTION || code === COLON) return !flow && !isBlank(reader.text.charCodeAt(reader.pos + 1));
  return code !== 0 && !',[]{}#&*!|>\'"%@`'.includes(String.fromCharCode(code));
}

function cannotStart(code: number): string {
  return '@`%|>'.includes(String.fromCharCode(code)) && code !== 0
    ? 'found character that cannot start any token'
    : 'did not find expected node content';
}

/** Whether the node from `start` to here is a key: its colon follows on the same line. Stops at the colon. */
export function isKey(reader: Composer, start: number, flow: boolean): boolean {
  const { text } = reader;
  let { pos } = reader;
  while (text.charCodeAt(pos) === 32 || text.charCodeAt(pos) === 9) pos++;
  if (text.charCodeAt(pos) !== COLON || !(flow || isBlank(text.charCodeAt(pos + 1)))) return false;
  if (pos - start > MAX_KEY_LENGTH || reader.lineStart > start) return false;
  reader.pos = pos;
  return true;
}

function flowNode(reader: Composer): Json {
  if (reader.atMarker()) reader.fail('did not find expected node content');
  if (!atProperty(reader.text.charCodeAt(reader.pos))) return inlineNode(reader, 0, true);
  const properties = readProperties(reader);
  reader.skipFlow();
  if (reader.atMarker()) reader.fail('did not find expected node content');
  const code = reader.text.charCodeAt(reader.pos);
  if (code === COMMA || code === CLOSE_LIST || code === CLOSE_MAP || code === COLON) {
    return reader.scalarWith(properties, '', true);
  }
  return inlineNode(reader, 0, true, properties);
}

/** Passes the comma between two entries. True at the end of the collection. */
function atFlowEnd(reader: Composer, close: number, first: boolean): boolean {
  reader.skipFlow();
  if (!first && reader.text.charCodeAt(reader.pos) !== close) {
    if (reader.text.charCodeAt(reader.pos) !== COMMA)
      reader.fail(`did not find expected ',' or '${String.fromCharCode(close)}'`);
    reader.pos++;
    reader.skipFlow();
  }
  if (reader.text.charCodeAt(reader.pos) !== close) return false;
  reader.pos++;
  return true;
}

function flowSequence(reader: Composer): JsonArray {
  const items: JsonArray = [];
  reader.pos++;
  reader.enter();
  while (!atFlowEnd(reader, CLOSE_LIST, items.length === 0)) {
    reader.path[reader.depth] = items.length;
    const at = reader.pos;
    if (reader.text.charCodeAt(at) === QUESTION) {
      items.push(pair(reader, null));
      continue;
    }
    const value = flowNode(reader);
    items.push(isKey(reader, at, true) ? pair(reader, { key: value, at }) : reader.finite(value, at));
  }
  reader.leave();
  return reader.collection(items);
}

interface ReadKey {
  readonly key: Json;
  readonly at: number;
}

/** `[a: b]` holds a mapping with one entry; so does `[? a : b]`. */
function pair(reader: Composer, read: ReadKey | null): JsonObject {
  const mapping = new Mapping(reader);
  flowEntry(reader, mapping, read, CLOSE_LIST);
  return mapping.finish();
}

function flowMapping(reader: Composer): JsonObject {
  const mapping = new Mapping(reader);
  reader.pos++;
  for (let first = true; !atFlowEnd(reader, CLOSE_MAP, first); first = false) {
    const at = reader.pos;
    if (reader.text.charCodeAt(at) === QUESTION) {
      flowEntry(reader, mapping, null, CLOSE_MAP);
      continue;
    }
    const key = flowNode(reader);
    if (isKey(reader, at, true)) flowEntry(reader, mapping, { key, at }, CLOSE_MAP);
    else mapping.add(mapping.key(key, at), null, at, reader.pos);
  }
  return mapping.finish();
}

/** Reads the rest of an entry: from `?` when no key was read, else from the colon. */
function flowEntry(reader: Composer, mapping: Mapping, read: ReadKey | null, close: number): void {
  const at = read?.at ?? reader.pos;
  let key = read?.key ?? null;
  if (read === null) {
    reader.pos++;
    key = optionalNode(reader, close);
  }
  const name = mapping.key(key, at);
  reader.skipFlow();
  if (reader.text.charCodeAt(reader.pos) !== COLON) {
    mapping.add(name, null, at, reader.pos);
    return;
  }
  reader.pos++;
  reader.skipFlow();
  const valueAt = reader.pos;
  mapping.add(name, optionalNode(reader, close), at, valueAt);
}

function optionalNode(reader: Composer, close: number): Json {
  reader.skipFlow();
  const code = reader.text.charCodeAt(reader.pos);
  return code === COMMA || code === close || (code === COLON && isBreakOrBlank(reader))
    ? reader.scalar('', true)
    : flowNode(reader);
}

function isBreakOrBlank(reader: Composer): boolean {
  const next = reader.text.charCodeAt(reader.pos + 1);
  return isBlank(next) || isBreak(next);
}
