import { quoteGo } from '../go/index.js';
import {
  clone,
  drop,
  equal,
  isArray,
  isObject,
  own,
  put,
  type Json,
  type JsonArray,
  type JsonObject,
  decodePointerPart,
  writeJson,
} from '../json/index.js';
import { utf8Length } from '../kubernetes/index.js';
import { PatchFault } from './patch-fault.js';

/** One operation as the client sent it; `op`, `path` and `from` are strings where they are there at all. */
export type JsonPatch = readonly JsonObject[];

/** More operations than this in one patch are refused. */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;
/** All copies of one patch together may add this many bytes. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

const STRING_FIELDS = ['op', 'path', 'from'] as const;

/** Checks the form of a JSON Patch (RFC 6902). */
export function parseJsonPatch(json: Json): JsonPatch {
  if (json === null) return [];
  if (!isArray(json)) throw malformed(json, 'Go value of type []handlers.jsonPatchOp');
  const patch: JsonObject[] = [];
  for (const operation of json) {
    const members = operation ?? {};
    if (!isObject(members)) throw malformed(members, 'Go value of type handlers.jsonPatchOp');
    for (const field of STRING_FIELDS) {
      const value = own(members, field);
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw malformed(value, `Go struct field jsonPatchOp.${field} of type string`);
    }
    patch.push(members);
  }
  if (patch.length > MAX_JSON_PATCH_OPERATIONS) {
    throw new PatchFault(
      'too-large',
      `The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch;
}

function malformed(value: Json, target: string): PatchFault {
  return new PatchFault('malformed', `error decoding patch: json: cannot unmarshal ${jsonKind(value)} into ${target}`);
}

function jsonKind(value: Json): string {
  if (isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** The document after all operations. The given document and patch stay as they are. */
export function applyJsonPatch(document: Json, patch: JsonPatch): Json {
  const target = new Target(clone(document));
  for (const operation of patch) {
    const name = typeof operation.op === 'string' ? operation.op : 'unknown';
    const apply = OPERATIONS.get(name);
    if (apply === undefined) throw refuse(`Unexpected kind: ${name}`);
    apply(target, operation);
  }
  return target.root;
}

const OPERATIONS: ReadonlyMap<string, (target: Target, operation: JsonObject) => void> = new Map([
  ['add', add],
  ['remove', remove],
  ['replace', replace],
  ['move', move],
  ['test', test],
  ['copy', copy],
]);

const MISSING = 'missing value';
const BAD_INDEX = 'invalid index referenced';

/** Where an operation works: a list or an object, and the name or index in it. */
interface Place {
  readonly container: JsonArray | JsonObject;
  readonly key: string;
}

class Target {
  copied = 0;

  constructor(public root: Json) {}

  /** Walks to the container of a path; undefined where a part before the last is not there. */
  find(path: string): Place | undefined {
    const parts = path.split('/').slice(1).map(decodePointerPart);
    const key = parts.pop();
    if (key === undefined) return undefined;
    let value: Json | undefined = this.root;
    for (const part of parts) {
      if (isArray(value)) {
        const index = listIndex(part, value.length);
        value = typeof index === 'string' ? undefined : value[index];
      } else value = isObject(value) ? own(value, part) : undefined;
    }
    return isArray(value) || isObject(value) ? { container: value, key } : undefined;
  }
}

/** An index of a list, counted from the end when negative; or why it is none. */
function listIndex(part: string, length: number): number | string {
  if (!/^[+-]?\d{1,15}$/.test(part)) return notNumber(part);
  const index = Number(part);
  if (index >= length || index < -length) return `Unable to access invalid index: ${index}: ${BAD_INDEX}`;
  return index < 0 ? index + length : index;
}

function notNumber(part: string): string {
  const range = /^[+-]?\d+$/.test(part);
  return `strconv.Atoi: parsing ${quoteGo(part)}: ${range ? 'value out of range' : 'invalid syntax'}`;
}

/** Reads a place; a key that is not there reads as undefined, a wrong index gives the reason. */
function read({ container, key }: Place): { value: Json | undefined } | { wrong: string } {
  if (!isArray(container)) return { value: own(container, key) };
  const index = listIndex(key, container.length);
  return typeof index === 'string' ? { wrong: index } : { value: container[index] };
}

function insert({ container, key }: Place, value: Json): string | undefined {
  if (!isArray(container)) {
    put(container, key, value);
    return undefined;
  }
  if (key === '-') {
    container.push(value);
    return undefined;
  }
  const index = listIndex(key, container.length + 1);
  if (typeof index === 'string')
    return /^[+-]?\d{1,15}$/.test(key) ? index : `value was not a proper array index: '${key}': ${index}`;
  container.splice(index, 0, value);
  return undefined;
}

function take({ container, key }: Place): string | undefined {
  if (isArray(container)) {
    const index = listIndex(key, container.length);
    if (typeof index === 'string') return index;
    container.splice(index, 1);
    return undefined;
  }
  if (!Object.hasOwn(container, key)) return `Unable to remove nonexistent key: ${key}: ${MISSING}`;
  drop(container, key);
  return undefined;
}

function refuse(message: string): PatchFault {
  return new PatchFault('inapplicable', message);
}

function add(target: Target, operation: JsonObject): void {
  if (typeof operation.path !== 'string') throw refuse(`add operation failed to decode path: ${MISSING}`);
  const place = target.find(operation.path);
  if (place === undefined)
    throw refuse(`add operation does not apply: doc is missing path: "${operation.path}": ${MISSING}`);
  const wrong = insert(place, clone(operation.value ?? null));
  if (wrong !== undefined) throw refuse(`error in add for path: '${operation.path}': ${wrong}`);
}

function remove(target: Target, operation: JsonObject): void {
  if (typeof operation.path !== 'string') throw refuse(`remove operation failed to decode path: ${MISSING}`);
  const place = target.find(operation.path);
  if (place === undefined)
    throw refuse(`remove operation does not apply: doc is missing path: "${operation.path}": ${MISSING}`);
  const wrong = take(place);
  if (wrong !== undefined) throw refuse(`error in remove for path: '${operation.path}': ${wrong}`);
}

/** As the API server's library does it, a key that is not there yet is added; only a wrong index is refused. */
function replace(target: Target, operation: JsonObject): void {
  const { path } = operation;
  if (typeof path !== 'string')
    throw refuse(`replace operation failed to decode path: operation missing path field: ${MISSING}`);
  const value = clone(operation.value ?? null);
  if (path === '') {
    if (isObject(value) || isArray(value)) target.root = value;
    return;
  }
  const place = target.find(path);
  if (place === undefined) throw refuse(`replace operation does not apply: doc is missing path: ${path}: ${MISSING}`);
  const { container, key } = place;
  if (isObject(container)) {
    put(container, key, value);
    return;
  }
  const index = listIndex(key, container.length);
  if (typeof index === 'string')
    throw refuse(`replace operation does not apply: doc is missing key: ${path}: ${MISSING}`);
  container[index] = value;
}

function move(target: Target, operation: JsonObject): void {
  const { from, path } = operation;
  if (typeof from !== 'string')
    throw refuse(`move operation failed to decode from: operation, missing from field: ${MISSING}`);
  const source = target.find(from);
  if (source === undefined)
    throw refuse(`move operation does not apply: doc is missing from path: ${from}: ${MISSING}`);
  const found = read(source);
  const wrong = 'wrong' in found ? found.wrong : take(source);
  if ('wrong' in found || wrong !== undefined) throw refuse(`error in move for path: '${source.key}': ${wrong ?? ''}`);
  if (typeof path !== 'string')
    throw refuse(`move operation failed to decode path: operation missing path field: ${MISSING}`);
  const place = target.find(path);
  if (place === undefined)
    throw refuse(`move operation does not apply: doc is missing destination path: ${path}: ${MISSING}`);
  const wrongPlace = insert(place, found.value ?? null);
  if (wrongPlace !== undefined) throw refuse(`error in move for path: '${path}': ${wrongPlace}`);
}

function copy(target: Target, operation: JsonObject): void {
  const { from, path } = operation;
  if (typeof from !== 'string')
    throw refuse(`copy operation failed to decode from: operation, missing from field: ${MISSING}`);
  const source = target.find(from);
  if (source === undefined)
    throw refuse(`copy operation does not apply: doc is missing from path: ${from}: ${MISSING}`);
  const found = read(source);
  if ('wrong' in found) throw refuse(`error in copy for from: '${from}': ${found.wrong}`);
  if (typeof path !== 'string') throw refuse(`copy operation failed to decode path: ${MISSING}`);
  const place = target.find(path);
  if (place === undefined)
    throw refuse(`copy operation does not apply: doc is missing destination path: ${path}: ${MISSING}`);
  target.copied += found.value === undefined || found.value === null ? 0 : utf8Length(writeJson(found.value));
  if (target.copied > MAX_COPIED_BYTES) {
    throw refuse(
      `Unable to complete the copy, the accumulated size increase of copy is ${target.copied}, exceeding ` +
        `the limit ${MAX_COPIED_BYTES}`,
    );
  }
  const wrong = insert(place, clone(found.value ?? null));
  if (wrong !== undefined) throw refuse(`error while adding value during copy: ${wrong}`);
}

function test(target: Target, operation: JsonObject): void {
  const { path } = operation;
  if (typeof path !== 'string')
    throw refuse(`test operation failed to decode path: operation missing path field: ${MISSING}`);
  const failed = refuse(`testing value ${path} failed: test failed`);
  const expected = Object.hasOwn(operation, 'value') ? operation.value : undefined;
  if (path === '') {
    if (expected === undefined || !equal(target.root, expected)) throw failed;
    return;
  }
  const place = target.find(path);
  if (place === undefined) throw refuse(`test operation does not apply: is missing path: ${path}: ${MISSING}`);
  const found = read(place);
  if ('wrong' in found) throw refuse(`error in test for path: '${path}': ${found.wrong}`);
  // A key that is not there tests equal to null.
  if (expected === undefined || !equal(found.value ?? null, expected)) throw failed;
}

/** Members of operations that JSON Patch does not know, as warnings and strict validation name them. */
export function unknownJsonPatchFields(patch: JsonPatch): string[] {
  const known = new Set(['op', 'path', 'from', 'value']);
  return patch.flatMap((operation, i) =>
    Object.keys(operation)
      .filter((key) => !known.has(key))
      .map((key) => `json patch unknown field "[${i}].${key}"`),
  );
}
