import { isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { OWN_READERS, WIRE, Wire, WireError } from '../../model/protobuf/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { messageType, type MessageType, type WireField, type WireShape } from './table.js';

/** Each level costs a few frames of the stack. */
const MAX_DEPTH = 100;

const WIRE_OF: Readonly<Partial<Record<WireShape['kind'], number>>> = {
  i: WIRE.varint,
  l: WIRE.varint,
  u: WIRE.varint,
  b: WIRE.varint,
  d: WIRE.fixed64,
  f: WIRE.fixed32,
};

/** A message as a body of JSON would have it. Throws a WireError for bytes that are none. */
export function readMessage(bytes: Buffer, type: string): JsonObject {
  return readFields(new Wire(bytes), messageType(type), {}, 0);
}

function readFields(wire: Wire, type: MessageType, out: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new WireError('exceeded max depth');
  while (!wire.done) {
    const tag = wire.tag(type.name);
    const field = type.byNumber.get(tag.field);
    if (field === undefined) wire.skip(tag.type);
    else readField(wire, tag.type, field, out, depth);
  }
  return out;
}

function readField(wire: Wire, type: number, field: WireField, out: JsonObject, depth: number): void {
  const { name, shape } = field;
  if (shape.kind !== 'L') mustBe(wireTypeOf(shape), type, name);
  if (name === '') {
    if (shape.kind === 'S') readInline(wire.nested(), messageType(shape.type), out, depth);
    return;
  }
  const before = own(out, name);
  if (shape.kind === 'L') {
    const list = isArray(before) ? before : [];
    readElements(wire, type, { name, of: shape.of }, list, depth);
    if (list.length > 0) put(out, name, list);
  } else if (shape.kind === 'M') {
    const map = isObject(before) ? before : {};
    readEntry(wire.nested(), shape, map, depth);
    put(out, name, map);
  } else {
    const value = readValue(wire, shape, before, depth);
    // Go writes fields that are not pointers even if they are empty; a JSON body leaves them out.
    if (!field.isOmittedWhenEmpty || !isEmptyScalar(value)) put(out, name, value);
  }
}

/** A message that JSON merges into the one around it: that it is there says that its lists and maps are, even empty. */
function readInline(wire: Wire, type: MessageType, out: JsonObject, depth: number): void {
  for (const { name, shape } of type.fields)
    if (shape.kind === 'M' || shape.kind === 'L') put(out, name, shape.kind === 'M' ? {} : []);
  readFields(wire, type, out, depth + 1);
}

/** One element of a list, or several numbers in one run. */
function readElements(
  wire: Wire,
  type: number,
  { name, of }: { readonly name: string; readonly of: WireShape },
  list: Json[],
  depth: number,
): void {
  const expected = wireTypeOf(of);
  if (type === expected) list.push(readValue(wire, of, undefined, depth));
  else if (type === WIRE.bytes)
    for (const run = wire.nested(); !run.done; ) list.push(readValue(run, of, undefined, depth));
  else mustBe(expected, type, name);
}

/** One entry of a map: the key in 1, the value in 2; what is not there is empty. */
function readEntry(wire: Wire, { of }: Extract<WireShape, { kind: 'M' }>, map: JsonObject, depth: number): void {
  let key = '';
  let value: Json | undefined;
  while (!wire.done) {
    const { field, type } = wire.tag('entry');
    if (field === 1 && type === WIRE.bytes) key = wire.nested().rest().toString();
    else if (field === 2 && type === wireTypeOf(of)) value = readValue(wire, of, undefined, depth);
    else wire.skip(type);
  }
  put(map, key, value ?? emptyOf(of));
}

function emptyOf(shape: WireShape): Json {
  switch (shape.kind) {
    case 's':
    case 'y':
      return '';
    case 'b':
      return false;
    case 'S':
    case 'C':
    case 'M':
      return {};
    case 'L':
    case 'I':
      return [];
    default:
      return 0;
  }
}

function readValue(wire: Wire, shape: WireShape, before: Json | undefined, depth: number): Json {
  switch (shape.kind) {
    case 'i':
      return wire.int32();
    case 'l':
    case 'u':
      return wire.int64();
    case 'b':
      return wire.bool();
    case 'd':
      return wire.double();
    case 'f':
      return wire.float();
    case 's':
      return wire.nested().rest().toString();
    case 'y':
      return wire.nested().rest().toString('base64');
    case 'S':
      return readFields(wire.nested(), messageType(shape.type), isObject(before) ? before : {}, depth + 1);
    case 'C':
      return readOwn(wire.nested(), shape.type);
    case 'I':
      return readItems(wire.nested(), shape.of, depth);
    default:
      throw new RangeError('a list or map has no single value');
  }
}

/** A list that is a message: its elements are number 1. */
function readItems(wire: Wire, of: WireShape, depth: number): Json[] {
  const list: Json[] = [];
  while (!wire.done) {
    const { field, type } = wire.tag('items');
    if (field === 1) readElements(wire, type, { name: 'items', of }, list, depth + 1);
    else wire.skip(type);
  }
  return list;
}

const IGNORED = 'application.v1alpha1.OverrideIgnoreDiff';
const KNOWN_FIELD = 'application.v1alpha1.KnownTypeField';

/** The rules of a kind, which JSON has as YAML texts, as argocd-cm does. */
function readResourceOverride(wire: Wire): JsonObject {
  const out: JsonObject = {};
  const texts: Readonly<Record<number, string>> = { 1: 'health.lua', 3: 'actions' };
  const rules: Readonly<Record<number, string>> = { 2: 'ignoreDifferences', 6: 'ignoreResourceUpdates' };
  while (!wire.done) {
    const { field, type } = wire.tag('ResourceOverride');
    const [text, rule] = [texts[field], rules[field]];
    if (text !== undefined && type === WIRE.bytes) put(out, text, wire.nested().rest().toString());
    else if (rule !== undefined && type === WIRE.bytes)
      put(out, rule, writeYaml(readFields(wire.nested(), messageType(IGNORED), {}, 0)));
    else if (field === 4 && type === WIRE.bytes) {
      const known = isArray(out.knownTypeFields) ? out.knownTypeFields : [];
      out.knownTypeFields = [...known, readFields(wire.nested(), messageType(KNOWN_FIELD), {}, 0)];
    } else if (field === 5 && type === WIRE.varint) put(out, 'health.lua.useOpenLibs', wire.bool());
    else wire.skip(type);
  }
  return out;
}

function readOwn(wire: Wire, type: string): Json {
  if (type === 'application.v1alpha1.ResourceOverride') return readResourceOverride(wire);
  const read = OWN_READERS[type.split('.').slice(-2).join('.')];
  if (read === undefined) throw new RangeError(`there is no protobuf reader for ${type}`);
  return read(wire, () => {
    throw new RangeError(`${type} holds a schema`);
  });
}

function wireTypeOf({ kind }: WireShape): number {
  return WIRE_OF[kind] ?? WIRE.bytes;
}

function mustBe(expected: number, type: number, name: string): void {
  if (type !== expected) throw new WireError(`proto: wrong wireType = ${type} for field ${name}`);
}

function isEmptyScalar(value: Json): boolean {
  return value === '' || value === 0 || value === false;
}
