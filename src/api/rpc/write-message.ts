import { isArray, isObject, own, textAt, type Json, type JsonObject } from '../../model/json/index.js';
import { OWN_WRITERS, WIRE, WireWriter } from '../../model/protobuf/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { messageType, type MessageType, type WireField, type WireShape } from './table.js';

/** An answer that would be JSON, as a message. What the message has no field for is left out. */
export function writeMessage(value: JsonObject, type: string): Buffer {
  const writer = new WireWriter();
  writeFields(writer, value, messageType(type));
  return writer.done();
}

function writeFields(writer: WireWriter, value: JsonObject, type: MessageType): void {
  for (const field of type.fields) {
    if (field.name === '') writeInline(writer, value, field);
    else {
      const given = own(value, field.name);
      if (given !== undefined && given !== null) writeField(writer, field.number, field.shape, given, field.name);
      else if (field.isRequired) writeField(writer, field.number, field.shape, emptyOf(field.shape), field.name);
    }
  }
}

/** What JSON merges into the message around it is there if one of its fields is. */
function writeInline(writer: WireWriter, value: JsonObject, { number, shape }: WireField): void {
  if (shape.kind !== 'S') return;
  const inner = messageType(shape.type);
  if (inner.fields.some(({ name }) => (own(value, name) ?? null) !== null))
    writeField(writer, number, shape, value, '');
}

function writeField(writer: WireWriter, number: number, shape: WireShape, value: Json, name: string): void {
  if (shape.kind === 'L') {
    const list = isArray(value) ? value : [];
    for (let index = list.length - 1; index >= 0; index--)
      writeField(writer, number, shape.of, list[index] ?? emptyOf(shape.of), name);
    return;
  }
  if (shape.kind === 'M') {
    for (const [key, item] of Object.entries(isObject(value) ? value : {}).toReversed()) {
      const before = writer.size;
      writeField(writer, 2, shape.of, item ?? emptyOf(shape.of), name);
      writeField(writer, 1, shape.key, key, name);
      writer.lengthSince(before, number);
    }
    return;
  }
  const before = writer.size;
  const type = writeValue(writer, shape, value, name);
  if (type === WIRE.bytes) writer.lengthSince(before, number);
  else writer.tag(number, type);
}

/** Gives the wire type; what has a length gets it from the caller. */
function writeValue(writer: WireWriter, shape: WireShape, value: Json, name: string): number {
  switch (shape.kind) {
    case 'b':
      writer.varint(value === true ? 1 : 0);
      return WIRE.varint;
    case 'i':
    case 'l':
    case 'u':
      writer.varint(integerOf(value, name));
      return WIRE.varint;
    case 'd':
      writer.double(Number(value));
      return WIRE.fixed64;
    case 'f':
      writer.float(Number(value));
      return WIRE.fixed32;
    case 's':
      writer.text(textOf(value, name));
      return WIRE.bytes;
    case 'y':
      writer.raw(Buffer.from(textOf(value, name), 'base64'));
      return WIRE.bytes;
    default:
      writeContent(writer, shape, value, name);
      return WIRE.bytes;
  }
}

function writeContent(writer: WireWriter, shape: WireShape, value: Json, name: string): void {
  if (shape.kind === 'S') {
    if (!isObject(value)) throw mismatch(name, 'an object', value);
    writeFields(writer, value, messageType(shape.type));
  } else if (shape.kind === 'C' && shape.type === RESOURCE_OVERRIDE) {
    if (!isObject(value)) throw mismatch(name, 'an object', value);
    writeResourceOverride(writer, value);
  } else if (shape.kind === 'C') {
    const write = OWN_WRITERS[shape.type.split('.').slice(-2).join('.')];
    if (write === undefined) throw new RangeError(`there is no protobuf writer for ${shape.type}`);
    write(value, writer);
  } else if (shape.kind === 'I') {
    writeField(writer, 1, { kind: 'L', of: shape.of }, value, name);
  }
}

const RESOURCE_OVERRIDE = 'application.v1alpha1.ResourceOverride';
const [IGNORED, KNOWN_FIELDS] = ['application.v1alpha1.OverrideIgnoreDiff', 'application.v1alpha1.KnownTypeField'];

/** Its JSON holds rules as YAML texts, as argocd-cm does; the message has them as messages. */
function writeResourceOverride(writer: WireWriter, value: JsonObject): void {
  const rules = (key: string): JsonObject => {
    const read = readOneYaml(textAt(value, key), { dialect: 'kubernetes', file: key });
    return isObject(read) ? read : {};
  };
  const text = (number: number, key: string): void => {
    if (textAt(value, key) !== '') writeField(writer, number, { kind: 's' }, textAt(value, key), key);
  };
  writeField(writer, 6, { kind: 'S', type: IGNORED }, rules('ignoreResourceUpdates'), 'ignoreResourceUpdates');
  writeField(writer, 5, { kind: 'b' }, own(value, 'health.lua.useOpenLibs') ?? false, 'health.lua.useOpenLibs');
  writeField(
    writer,
    4,
    { kind: 'L', of: { kind: 'S', type: KNOWN_FIELDS } },
    own(value, 'knownTypeFields') ?? [],
    'knownTypeFields',
  );
  text(3, 'actions');
  writeField(writer, 2, { kind: 'S', type: IGNORED }, rules('ignoreDifferences'), 'ignoreDifferences');
  text(1, 'health.lua');
}

function emptyOf({ kind }: WireShape): Json {
  if (kind === 's' || kind === 'y') return '';
  if (kind === 'S' || kind === 'M') return {};
  if (kind === 'C') return null;
  return kind === 'L' || kind === 'I' ? [] : 0;
}

function integerOf(value: Json, name: string): number | bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Math.trunc(value);
  // 64 bits travel as text in JSON.
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value);
  throw mismatch(name, 'a whole number', value);
}

function textOf(value: Json, name: string): string {
  if (typeof value === 'string') return value;
  throw mismatch(name, 'a text', value);
}

/** An answer that is not what Argo CD's types say: a defect of the route. */
function mismatch(name: string, expected: string, value: Json): TypeError {
  const given = isArray(value) ? 'a list' : typeof value;
  return new TypeError(`the field ${name} of the answer is ${given} instead of ${expected}`);
}
