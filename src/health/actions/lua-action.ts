import { Fault } from '../../model/faults/index.js';
import { equal, isArray, isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { compileLua, LuaError, runLua, type LuaOptions, toJson, LuaTable, typeName } from '../lua/index.js';
import type { Action, Arguments, Impact } from '../catalogue/index.js';

/** What a discovery script says can be done. */
export function discoverByScript(script: string, object: KubeObject, options: LuaOptions): Action[] {
  const actions = runToJson(script, object, {}, options);
  if (isArray(actions)) {
    // An empty table has no telling whether it is a list.
    if (actions.length === 0) return [];
    throw new Fault(
      'ACTION_FAILED',
      'the discovery script returned a list: it must return a table with a key for each action',
    );
  }
  return Object.keys(actions).map((name) => readAction(name, own(actions, name)));
}

function readAction(name: string, said: Json | undefined): Action {
  const fields = isObject(said) ? said : {};
  const { params } = fields;
  return {
    name,
    disabled: fields.disabled === true,
    ...(typeof fields.displayName === 'string' ? { displayName: fields.displayName } : {}),
    ...(typeof fields.iconClass === 'string' ? { iconClass: fields.iconClass } : {}),
    params: (isArray(params) ? params : []).filter(isObject).map((param) => ({
      name: String(param.name ?? ''),
      ...(typeof param.default === 'string' ? { default: param.default } : {}),
    })),
  };
}

/** Runs an action script: it returns the changed object, or a list of operations. */
export function actByScript(script: string, object: KubeObject, given: Arguments, options: LuaOptions): Impact[] {
  const result = runToJson(script, object, given, options);
  const impacts = isArray(result)
    ? result.map(readImpact)
    : [{ operation: 'patch' as const, resource: result as KubeObject }];
  return impacts.map(({ operation, resource }) => ({
    operation,
    resource: operation === 'patch' ? (restoreEmpty(resource, object) as KubeObject) : resource,
  }));
}

function readImpact(said: Json): Impact {
  const { operation, resource } = isObject(said) ? said : {};
  if (operation !== 'create' && operation !== 'patch')
    throw new Fault('ACTION_FAILED', `unsupported operation: ${JSON.stringify(operation ?? null)}`);
  if (!isObject(resource)) throw new Fault('ACTION_FAILED', `the ${operation} operation of the action has no resource`);
  return { operation, resource: resource as KubeObject };
}

function runToJson(script: string, object: KubeObject, given: Arguments, options: LuaOptions): JsonObject | Json[] {
  try {
    const [value] = runLua(compileLua(script), { obj: object, actionParams: given }, options);
    if (!(value instanceof LuaTable))
      throw new Fault('ACTION_FAILED', `expect table output from Lua script, not ${typeName(value)}`);
    return toJson(value) as JsonObject | Json[];
  } catch (error) {
    if (error instanceof LuaError) throw new Fault('ACTION_FAILED', error.message, { cause: error });
    throw error;
  }
}

/**
 * Lua does not know an empty object from an empty list, and what the script returned has lists. Where the object before
 * had an object, it stays one.
 */
function restoreEmpty(after: Json | undefined, before: Json | undefined): Json | undefined {
  if (isArray(after)) {
    if (after.length === 0 && isObject(before)) return {};
    return isArray(before) ? after.map((element, index) => restoreEmpty(element, before[index]) ?? null) : after;
  }
  if (!isObject(after) || !isObject(before) || equal(after, before)) return after;
  const restored: JsonObject = {};
  for (const key of Object.keys(after)) put(restored, key, restoreEmpty(own(after, key), own(before, key)));
  return restored;
}
