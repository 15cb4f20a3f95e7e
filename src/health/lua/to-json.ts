import { MAX_DEPTH, put, type Json, type JsonObject } from '../../model/json/index.js';
import { LuaError } from './lua-error.js';
import { toText } from './text.js';
import { LuaTable, typeName, type LuaValue } from './value.js';

/**
 * A value as JSON, by the rules of the library that Argo CD uses: a table is a list if its first key is a number, an
 * empty one is a list, and a table may appear only once. Throws a LuaError with that library's message.
 */
export function toJson(value: LuaValue): Json {
  return convert(value, new Set(), 1);
}

function convert(value: LuaValue, visited: Set<LuaTable>, depth: number): Json {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'boolean':
      return value;
    case 'string':
      return toText(value);
    case 'number':
      if (Number.isFinite(value)) return value;
      // Go wraps what its own encoder says once more.
      return refuse(`json: unsupported value: ${formatNonFinite(value)}`, depth);
    default:
  }
  if (!(value instanceof LuaTable)) return refuse(`cannot encode ${typeName(value)} to JSON`, depth);
  if (visited.has(value)) return refuse('cannot encode recursively nested tables to JSON', depth);
  if (depth > MAX_DEPTH) return refuse(`cannot encode more than ${MAX_DEPTH} nested tables to JSON`, 1);
  visited.add(value);
  const first = value.next(undefined);
  if (first === undefined) return [];
  if (typeof first[0] === 'number') return convertList(value, visited, depth);
  return typeof first[0] === 'string'
    ? convertObject(value, visited, depth)
    : refuse('cannot encode mixed or invalid key types', depth);
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

function convertList(table: LuaTable, visited: Set<LuaTable>, depth: number): Json {
  const items: LuaValue[] = [];
  for (let entry = table.next(undefined); entry !== undefined; entry = table.next(entry[0])) {
    const [key, item] = entry;
    if (typeof key !== 'number') return refuse('cannot encode mixed or invalid key types', depth);
    if (key !== items.length + 1) return refuse('cannot encode sparse array', depth);
    items.push(item);
  }
  return items.map((item) => convert(item, visited, depth + 1));
}

function convertObject(table: LuaTable, visited: Set<LuaTable>, depth: number): JsonObject {
  const fields: [string, LuaValue][] = [];
  for (let entry = table.next(undefined); entry !== undefined; entry = table.next(entry[0])) {
    const [key, value] = entry;
    if (typeof key !== 'string') return refuse('cannot encode mixed or invalid key types', depth);
    fields.push([key, value]);
  }
  // Go encodes maps by sorted keys: with two errors inside, that decides which one is told.
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  const object: JsonObject = {};
  for (const [key, value] of fields) put(object, toText(key), convert(value, visited, depth + 1));
  return object;
}

/** Go names the encoder once for every level it has gone down. */
function refuse(message: string, depth: number): never {
  const text = `${'json: error calling MarshalJSON for type json.jsonValue: '.repeat(depth)}${message}`;
  throw new LuaError('runtime', text, text, { script: '', line: undefined });
}
