import { Fault } from '../../model/faults/index.js';
import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import type { Catalogue, Action, Arguments, Impact, CatalogueAction } from '../catalogue/index.js';
import type { LuaOptions } from '../lua/index.js';
import { NO_OVERRIDES, settingsKind, type OverrideActions, type Overrides } from '../overrides.js';
import { actByScript, discoverByScript } from './lua-action.js';

export interface ActionsOptions extends Omit<LuaOptions, 'openLibs'> {
  readonly catalogue: Catalogue;
  readonly overrides?: Overrides;
}

export interface Actions {
  /** What can be done with the object now, the administrator's own actions first. */
  discover(object: KubeObject): Action[];
  /** What an action would do; a Fault where there is no such action or it refuses. */
  run(object: KubeObject, name: string, given?: Arguments): Impact[];
}

/** Actions on objects: the administrator's scripts first, then the catalogue, looked up as Argo CD does. */
export function createActions({ catalogue, overrides = NO_OVERRIDES, ...lua }: ActionsOptions): Actions {
  const sandbox: LuaOptions = { ...lua, openLibs: false };
  const overrideOf = (object: KubeObject): OverrideActions | undefined => {
    const { group, kind } = gvkOf(object);
    return overrides.byKind.get(settingsKind(group, kind))?.actions;
  };
  const builtinOf = (object: KubeObject): ReadonlyMap<string, CatalogueAction> => {
    const { group, kind } = gvkOf(object);
    return catalogue.findActions(group, kind) ?? new Map<string, CatalogueAction>();
  };
  return {
    discover(object) {
      const custom = overrideOf(object);
      const own =
        custom === undefined || custom.discovery === '' ? [] : discoverByScript(custom.discovery, object, sandbox);
      if (custom !== undefined && !custom.mergeBuiltin) return own;
      const names = new Set(own.map(({ name }) => name));
      const builtin = [...builtinOf(object).values()].flatMap((action) => action.offer(object) ?? []);
      return [...own, ...builtin.filter(({ name }) => !names.has(name))];
    },
    run(object, name, given = {}) {
      const custom = overrideOf(object)?.definitions.find((definition) => definition.name === name);
      if (custom !== undefined) return actByScript(custom.script, object, given, sandbox);
      const builtin = builtinOf(object);
      const does = builtin.get(name)?.effect;
      if (does === undefined)
        throw new Fault('ACTION_UNKNOWN', `there is no action ${JSON.stringify(name)} for ${object.kind}`, {
          where: [...builtin.keys()].join(', '),
        });
      return does.by === 'steps'
        ? does.run(object, given, lua.now())
        : actByScript(does.script, object, given, sandbox);
    },
  };
}
