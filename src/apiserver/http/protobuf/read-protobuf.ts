import { isArray, isObject, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import { joinApiVersion, splitApiVersion, type GroupVersionKind } from '../../../model/kubernetes/index.js';
import { OWN_READERS, WIRE, Wire, WireError } from '../../../model/protobuf/index.js';
import { ApiError, badRequest } from '../../errors/index.js';
import {
  summary,
  kindPosition,
  protobufFields,
  type ProtobufField,
  type ProtobufFields,
  typeTable,
  type NodeRow,
} from '../../schema/index.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const PREFIX = Buffer.from('k8s\0');
/** Schemas of custom resources hold schemas; each level costs a few frames of the stack. */
const MAX_DEPTH = 500;

/**
 * The object in a protobuf body, as a JSON body would have it. `as` is what an object is that does not say. Kinds that
 * are not built in come back with their name alone: what a resource says of a kind that is not its own is not said
 * here.
 * Throws the real server's answer for bytes that are no such object.
 */
export function readProtobuf(bytes: Buffer, as: GroupVersionKind): JsonObject {
  const envelope = reading(
    () => readEnvelope(bytes),
    (message) =>
      decodeFailure(
        as,
        `the object provided is unrecognized (must be of type ${as.kind})`,
        message,
        ` (${summary(bytes)})`,
      ),
  );
  const gvk = named(envelope, as);
  const object: JsonObject = { kind: gvk.kind, apiVersion: joinApiVersion(gvk.group, gvk.version) };
  const position = kindPosition(gvk);
  const context = `${gvk.kind} in version ${JSON.stringify(gvk.version)} cannot be handled as a ${as.kind}`;
  if (as.kind === DELETE_OPTIONS && gvk.kind !== DELETE_OPTIONS)
    throw decodeFailure(
      as,
      context,
      `no kind "${gvk.kind}" is registered for version "${joinApiVersion(gvk.group, gvk.version)}" in ` +
        'scheme "pkg/runtime/scheme.go:110"',
    );
  if (position === undefined) return object;
  return reading(
    () => new Reader().message(new Wire(envelope.raw), position, object, 0),
    (message) => decodeFailure(as, context, message),
  );
}

const DELETE_OPTIONS = 'DeleteOptions';

function reading<T>(read: () => T, refused: (message: string) => ApiError): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof WireError ? refused(error.message) : error;
  }
}

/** Options that cannot be read are a failure of the server's own in the real one, and reported without context. */
function decodeFailure(as: GroupVersionKind, context: string, message: string, end = ''): ApiError {
  return as.kind === DELETE_OPTIONS ? new ApiError(500, '', message) : badRequest(`${context}: ${message}${end}`);
}

interface Envelope {
  apiVersion: string;
  kind: string;
  raw: Buffer;
}

/** What the object says it is; a version that is missing or cannot be read is the target's, with its group. */
function named({ apiVersion, kind }: Envelope, as: GroupVersionKind): GroupVersionKind {
  const stated = splitApiVersion(apiVersion);
  const known = stated.version !== '' && !stated.version.includes('/');
  return { ...(known ? stated : { group: as.group, version: as.version }), kind: kind === '' ? as.kind : kind };
}

function readEnvelope(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new WireError('empty data');
  if (!bytes.subarray(0, PREFIX.length).equals(PREFIX)) {
    throw new WireError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...PREFIX].join(' ')}]`,
    );
  }
  if (bytes.length === PREFIX.length) throw new WireError('empty body');
  return readUnknown(new Wire(bytes.subarray(PREFIX.length)));
}

/** runtime.Unknown: the type in 1, the object in 2; how it is encoded stands in 3 and 4 and is always as we expect. */
function readUnknown(wire: Wire): Envelope {
  const out: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) };
  while (!wire.done) {
    const { field, type } = wire.tag('Unknown');
    if (field > 2) wire.skip(type);
    else if (type !== WIRE.bytes) throw wrongType(type, field === 1 ? 'TypeMeta' : 'Raw');
    else if (field === 1) readTypeMeta(wire.nested(), out);
    else out.raw = wire.nested().rest();
  }
  return out;
}

function readTypeMeta(wire: Wire, out: Envelope): void {
  while (!wire.done) {
    const { field, type } = wire.tag('TypeMeta');
    if (field > 2) wire.skip(type);
    else if (type !== WIRE.bytes) throw wrongType(type, field === 1 ? 'APIVersion' : 'Kind');
    else out[field === 1 ? 'apiVersion' : 'kind'] = wire.nested().rest().toString();
  }
}

function wrongType(type: number, field: string): WireError {
  return new WireError(`proto: wrong wireType = ${type} for field ${field}`);
}

const WIRE_OF: Readonly<Partial<Record<NodeRow['k'], number>>> = {
  i: WIRE.varint,
  l: WIRE.varint,
  b: WIRE.varint,
  d: WIRE.fixed64,
};

/** Reads messages by the table. A field that comes twice is merged or replaced as Go does it. */
class Reader {
  readonly #table = typeTable();

  /** Adds the fields of a message to `out`. */
  message(wire: Wire, position: number, out: JsonObject, depth: number): JsonObject {
    if (depth > MAX_DEPTH) throw new WireError('exceeded max depth');
    return this.#fields(wire, { name: this.#typeName(position), fields: protobufFields(position) }, out, depth);
  }

  #fields(
    wire: Wire,
    type: { readonly name: string; readonly fields: ProtobufFields },
    out: JsonObject,
    depth: number,
  ): JsonObject {
    while (!wire.done) {
      const tag = wire.tag(type.name);
      const field = type.fields.get(tag.field);
      if (field === undefined) wire.skip(tag.type);
      else if (field.is === 'value') this.#field(wire, tag.type, field, out, depth);
      else if (tag.type === WIRE.bytes)
        this.#fields(wire.nested(), { name: type.name, fields: field.fields }, out, depth);
      else throw wrongType(tag.type, type.name);
    }
    return out;
  }

  #field(
    wire: Wire,
    type: number,
    { name, node, wrapped }: ProtobufField & { is: 'value' },
    out: JsonObject,
    depth: number,
  ): void {
    const before = own(out, name);
    if (node.k === 'L' && !wrapped) {
      const list = isArray(before) ? before : [];
      this.#elements(wire, type, name, this.#node(node.o), list, depth);
      if (list.length > 0) put(out, name, list);
      return;
    }
    if (type !== (WIRE_OF[node.k] ?? WIRE.bytes))
      throw wrongType(type, name === 'metadata' ? this.#typeName(node.r) : goName(name));
    if (node.k === 'M') {
      const map = isObject(before) ? before : {};
      this.#entry(wire.nested(), node, map, depth);
      put(out, name, map);
      return;
    }
    const value = this.#value(wire, node, before, depth);
    // Go writes fields that are not pointers even if they are empty; a JSON body leaves them out.
    if (node.m === 'e' && node.p !== 1 && isEmptyScalar(value)) return;
    put(out, name, value);
  }

  /** One element of a list, or several numbers in one run. */
  #elements(wire: Wire, type: number, name: string, element: NodeRow, list: Json[], depth: number): void {
    const expected = WIRE_OF[element.k] ?? WIRE.bytes;
    if (type === expected) {
      list.push(this.#value(wire, element, undefined, depth));
    } else if (type === WIRE.bytes) {
      for (const run = wire.nested(); !run.done; ) list.push(this.#value(run, element, undefined, depth));
    } else {
      throw wrongType(type, goName(name));
    }
  }

  /** One entry of a map: the key in 1, the value in 2; what is not there is empty. */
  #entry(wire: Wire, node: NodeRow, map: JsonObject, depth: number): void {
    const element = this.#node(node.o);
    let key = '';
    let value: Json | undefined;
    while (!wire.done) {
      const { field, type } = wire.tag('entry');
      if (field === 1 && type === WIRE.bytes) key = wire.nested().rest().toString();
      else if (field === 2 && type === WIRE.bytes) value = this.#value(wire, element, undefined, depth);
      else wire.skip(type);
    }
    put(map, key, value ?? this.#content(new Wire(Buffer.alloc(0)), element, undefined, depth));
  }

  #value(wire: Wire, node: NodeRow, before: Json | undefined, depth: number): Json {
    switch (node.k) {
      case 'i':
        return wire.int32();
      case 'l':
        return wire.int64();
      case 'b':
        return wire.bool();
      case 'd':
        return wire.double();
      default:
        return this.#content(wire.nested(), node, before, depth);
    }
  }

  /** The bytes of one value that has a length. */
  #content(wire: Wire, node: NodeRow, before: Json | undefined, depth: number): Json {
    switch (node.k) {
      case 's':
        return wire.rest().toString();
      case 'y':
        return wire.rest().toString('base64');
      case 'L':
        return this.#items(wire, node, depth);
      case 'S':
        return this.message(wire, node.r ?? -1, isObject(before) ? before : {}, depth + 1);
      case 'C':
        return this.#own(wire, node, depth);
      default:
        throw new RangeError(`schema table: no protobuf value of kind ${node.k}`);
    }
  }

  /** A list that is a message: its elements are number 1. */
  #items(wire: Wire, node: NodeRow, depth: number): Json[] {
    const list: Json[] = [];
    while (!wire.done) {
      const { field, type } = wire.tag('items');
      if (field === 1) this.#elements(wire, type, 'items', this.#node(node.o), list, depth);
      else wire.skip(type);
    }
    return list;
  }

  #own(wire: Wire, node: NodeRow, depth: number): Json {
    const name = (this.#table.names[node.r ?? -1] ?? '').split('.').slice(-2).join('.');
    const read = OWN_READERS[name];
    if (read === undefined) throw new RangeError(`schema table: no protobuf reader for ${name}`);
    return read(wire, (inner) => this.message(inner, this.#schemaProps(), {}, depth + 1));
  }

  #schemaProps(): number {
    return this.#table.names.indexOf('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
  }

  #typeName(position: number | undefined): string {
    const name = this.#table.names[position ?? -1] ?? '';
    return name.slice(name.lastIndexOf('.') + 1);
  }

  #node(position: number | undefined): NodeRow {
    const node = this.#table.nodes[position ?? -1];
    if (node === undefined) throw new RangeError(`schema table: no node ${position ?? ''}`);
    return node;
  }
}

function isEmptyScalar(value: Json): boolean {
  return value === '' || value === 0 || value === false;
}

/** Error texts name the Go field, whose name is that of JSON but for the case; metadata alone is called by its type. */
function goName(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
