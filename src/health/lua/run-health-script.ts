import { isHealthStatus, type Health } from '../../model/argo/index.js';
import { isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { LuaOptions } from './budget.js';
import { compileLua } from './compile-lua.js';
import { LuaError } from './lua-error.js';
import { runLua } from './run-lua.js';
import { toText } from './text.js';
import { toJson } from './to-json.js';
import { LuaTable, typeName, type LuaValue } from './value.js';

const INVALID: Health = { status: 'Unknown', message: 'Lua returned an invalid health status' };

/**
 * The verdict of a health script on an object, as Argo CD gives it. Nothing if the script returns nil, an empty table
 * or fields of a wrong type. Throws a LuaError if it fails or returns something else.
 */
export function runHealthScript(source: string, object: JsonObject, options: LuaOptions): Health | undefined {
  const values = runLua(compileLua(source), { obj: object, actionParams: NO_PARAMETERS }, options);
  const value = values[values.length - 1];
  if (value === undefined) return undefined;
  if (!(value instanceof LuaTable)) {
    const message = `expect table output from Lua script, not ${typeName(value)}`;
    throw new LuaError('runtime', message, message, { script: '', line: undefined });
  }
  return isSimple(value) ? simpleVerdict(value) : verdictOf(toJson(value));
}

const NO_PARAMETERS: JsonObject = {};

/** Nothing but the two fields, both text: what nearly every script returns. */
function isSimple(table: LuaTable): boolean {
  if (table.source !== undefined || table.array !== undefined || table.keys === undefined) return false;
  return table.keys.every((key, i) => (key === 'status' || key === 'message') && typeof table.values[i] === 'string');
}

function simpleVerdict(table: LuaTable): Health {
  const status = table.getString('status');
  const message = table.getString('message');
  return health(text(status), text(message));
}

function text(value: LuaValue): string {
  return typeof value === 'string' ? toText(value) : '';
}

function health(status: string, message: string): Health {
  if (!isHealthStatus(status)) return INVALID;
  return message === '' ? { status } : { status, message };
}

/** Decodes as Go does: keys in any case, in byte order, so that of two spellings the last one counts. */
function verdictOf(json: Json): Health | undefined {
  if (!isObject(json)) return undefined;
  let status = '';
  let message = '';
  for (const key of Object.keys(json).sort()) {
    const name = fold(key);
    const value = own(json, key);
    if ((name !== 'status' && name !== 'message') || value === null) continue;
    // A field of another type makes Argo CD throw away the whole verdict.
    if (typeof value !== 'string') return undefined;
    if (name === 'status') status = value;
    else message = value;
  }
  return health(status, message);
}

/** Go takes the long s for an s. */
function fold(key: string): string {
  return key.toLowerCase().replaceAll('\u017f', 's');
}
