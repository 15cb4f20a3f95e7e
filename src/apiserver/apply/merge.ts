import { isArray, isObject, own, put, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import { itemElement } from './list-element.js';
import { fieldShape, formOf, type ListShape, type MapShape, type Shape } from './shape.js';

/**
 * Lays an applied configuration over the live value. Nothing is removed; where both have a leaf, the configuration's
 * counts. Neither argument is changed; the result shares the parts that stay as they are.
 */
export function merge(live: Json | undefined, config: Json | undefined, shape: Shape): Json | undefined {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  const form = formOf(shape, config);
  if (form === 'map' && shape.map !== undefined) return mergeMap(live, config, shape.map);
  if (form === 'list' && shape.list !== undefined) return mergeList(live, config, shape.list);
  return config;
}

function mergeMap(live: Json, config: Json, map: MapShape): Json {
  const ours = isObject(live) ? live : {};
  const theirs = isObject(config) ? config : {};
  const names = Object.keys(theirs);
  if (map.atomic || (names.length === 0 && Object.keys(ours).length === 0)) return config;
  let merged: JsonObject | undefined;
  for (const name of names) {
    const before = own(ours, name);
    const after = merge(before, own(theirs, name), fieldShape(map, name));
    if (after === before || after === undefined) continue;
    merged ??= { ...ours };
    put(merged, name, after);
  }
  return merged ?? ours;
}

function mergeList(live: Json, config: Json, list: ListShape): Json {
  const ours = isArray(live) ? live : [];
  const theirs = isArray(config) ? config : [];
  if (list.kind === 'atomic' || (ours.length === 0 && theirs.length === 0)) return config;
  return theirs.length === 0 ? ours : mergeItems(index(ours, list), index(theirs, list), list);
}

interface Indexed {
  readonly items: JsonArray;
  readonly keys: readonly string[];
  /** The item of a key; null where several share it, because those are not merged one by one. */
  readonly byKey: ReadonlyMap<string, Json>;
}

function index(items: JsonArray, list: ListShape): Indexed {
  const byKey = new Map<string, Json>();
  const keys: string[] = [];
  const kept: JsonArray = [];
  for (const item of items) {
    const found = itemElement(list, item);
    if ('error' in found) continue;
    byKey.set(found.text, byKey.has(found.text) ? null : item);
    keys.push(found.text);
    kept.push(item);
  }
  return { items: kept, keys, byKey };
}

/**
 * The order of the result: items that both have stand in the configuration's order; items that only the live list has
 * stay where they are relative to the shared item that follows them; items that only the configuration has come where
 * the configuration puts them.
 */
function mergeItems(live: Indexed, config: Indexed, list: ListShape): JsonArray {
  const out: JsonArray = [];
  const taken = new Set<string>();
  const shared = config.keys.filter((key) => live.byKey.has(key));
  let next = 0;
  let l = 0;
  let c = 0;
  const take = (key: string): void => {
    taken.add(key);
    const merged = merge(live.byKey.get(key), config.byKey.get(key), list.item);
    if (merged !== undefined) out.push(merged);
    c++;
  };
  while (l < live.keys.length || c < config.keys.length) {
    const mine = live.keys[l];
    const theirs = config.keys[c];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        take(mine);
        l++;
        next++;
        continue;
      }
      // A shared item whose turn has not come: it will be placed when the configuration reaches it.
      if (config.byKey.has(mine) && shared[next] !== undefined && shared[next] !== mine) {
        l++;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!config.byKey.has(mine)) {
        const item = live.items[l++];
        if (item !== undefined) out.push(item);
        continue;
      }
      if (taken.has(mine)) l++;
    }
    if (theirs !== undefined) {
      take(theirs);
      if (shared[next] === theirs) next++;
    }
  }
  return out;
}
