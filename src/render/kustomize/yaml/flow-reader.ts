import { doubleQuoted, isBlank, plainScalar, singleQuoted } from '../../../model/yaml/index.js';
import { NO_PROPERTIES, type NodeReader, type Properties } from './node-reader.js';
import type { Entry, YamlNode } from './node.js';
import { COLON, DASH, QUESTION } from './scanner.js';

const COMMA = 44;
const CLOSE_LIST = 93;
const CLOSE_MAP = 125;

/**
 * A scalar, an alias or a collection in brackets. `indent` is the least column of its further lines in block context.
 */
export function inlineNode(reader: NodeReader, indent: number, flow: boolean, properties: Properties): YamlNode {
  const code = reader.code();
  switch (code) {
    case 91:
      return flowSequence(reader, properties);
    case 123:
      return flowMapping(reader, properties);
    case 42:
      if (properties !== NO_PROPERTIES) reader.failParse('did not find expected node content');
      return reader.alias();
    case 34:
      return reader.scalar(doubleQuoted(reader), 'double', properties);
    case 39:
      return reader.scalar(singleQuoted(reader), 'single', properties);
    default:
      if (!startsPlain(reader, code, flow)) {
        if (code !== 0 && '@`%|>'.includes(String.fromCharCode(code)))
          reader.fail('found character that cannot start any token');
        reader.failParse('did not find expected node content');
      }
      return reader.scalar(plainScalar(reader, indent, flow), 'plain', properties);
  }
}

function startsPlain(reader: NodeReader, code: number, flow: boolean): boolean {
  if (code === DASH) return !isBlank(reader.code(1));
  if (code === QUESTION || code === COLON) return !flow && !isBlank(reader.code(1));
  return code !== 0 && !',[]{}#&*!|>\'"%@`'.includes(String.fromCharCode(code));
}

function flowNode(reader: NodeReader): YamlNode {
  if (reader.atMarker()) reader.failParse('did not find expected node content');
  if (!reader.atProperty()) return inlineNode(reader, 0, true, NO_PROPERTIES);
  const properties = reader.properties();
  reader.skipFlow();
  const code = reader.code();
  const isNothing = code === COMMA || code === CLOSE_LIST || code === CLOSE_MAP || code === COLON;
  return isNothing ? reader.scalar('', 'plain', properties) : inlineNode(reader, 0, true, properties);
}

/** Passes the comma between two entries. True at the end of the collection. */
function atEnd(reader: NodeReader, close: number, start: number, first: boolean): boolean {
  reader.skipFlow();
  if (!first && reader.code() !== close) {
    if (reader.code() !== COMMA)
      reader.failParse(`did not find expected ',' or '${String.fromCharCode(close)}'`, start);
    reader.pos++;
    reader.skipFlow();
  }
  if (reader.code() !== close) return false;
  reader.pos++;
  return true;
}

function flowSequence(reader: NodeReader, properties: Properties): YamlNode {
  const node = reader.collection('seq', true, properties);
  const start = reader.pos++;
  while (!atEnd(reader, CLOSE_LIST, start, node.items.length === 0)) {
    const at = reader.pos;
    if (reader.code() === QUESTION) {
      node.addItem(pair(reader, undefined));
      continue;
    }
    const item = flowNode(reader);
    node.addItem(reader.passKey(at, true) ? pair(reader, item) : item);
  }
  return reader.finish(node, properties);
}

/** `[a: b]` holds a mapping with one entry; so does `[? a : b]`. */
function pair(reader: NodeReader, key: YamlNode | undefined): YamlNode {
  const node = reader.collection('map', true, NO_PROPERTIES);
  node.add(flowEntry(reader, key, CLOSE_LIST));
  return reader.finish(node, NO_PROPERTIES);
}

function flowMapping(reader: NodeReader, properties: Properties): YamlNode {
  const node = reader.collection('map', true, properties);
  const start = reader.pos++;
  for (let first = true; !atEnd(reader, CLOSE_MAP, start, first); first = false) {
    const at = reader.pos;
    if (reader.code() === QUESTION) {
      node.add(flowEntry(reader, undefined, CLOSE_MAP));
      continue;
    }
    const key = flowNode(reader);
    if (reader.passKey(at, true)) node.add(flowEntry(reader, key, CLOSE_MAP));
    else node.addEntry(checked(reader, key), reader.scalar('', 'plain', NO_PROPERTIES));
  }
  return reader.finish(node, properties);
}

/** Reads the rest of an entry: from `?` when no key was read, else from the colon. */
function flowEntry(reader: NodeReader, read: YamlNode | undefined, close: number): Entry {
  if (read === undefined) reader.pos++;
  const key = checked(reader, read ?? optionalNode(reader, close));
  reader.skipFlow();
  if (reader.code() !== COLON) return { key, value: reader.scalar('', 'plain', NO_PROPERTIES) };
  reader.pos++;
  reader.skipFlow();
  return { key, value: optionalNode(reader, close) };
}

/** Kustomize turns every document into JSON, which knows only texts as keys. */
function checked(reader: NodeReader, key: YamlNode): YamlNode {
  if (key.kind !== 'scalar') reader.fail('invalid map key');
  return key;
}

function optionalNode(reader: NodeReader, close: number): YamlNode {
  reader.skipFlow();
  const code = reader.code();
  const isNothing = code === COMMA || code === close || (code === COLON && isBlank(reader.code(1)));
  return isNothing ? reader.scalar('', 'plain', NO_PROPERTIES) : flowNode(reader);
}
