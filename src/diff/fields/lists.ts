import { elementText, keyElement, parseElement, type PathElement } from '../../model/kubernetes/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonArray, type JsonObject } from '../../model/json/index.js';
import type { Claim } from './claim.js';

/** How the items of a target list and a live list belong together. */
export type ListKind =
  | { readonly kind: 'keyed'; readonly names: readonly string[] }
  | { readonly kind: 'set' }
  | { readonly kind: 'positional' };

/** Keys that a manifest may leave out, because the API server fills them in. */
const KEY_DEFAULTS: ReadonlyMap<string, Json> = new Map<string, Json>([['protocol', 'TCP']]);

/** Lists of the built-in kinds that have keys, for objects whose managedFields are gone. */
const KNOWN_KEYS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['containers', [['name']]],
  ['initContainers', [['name']]],
  ['ephemeralContainers', [['name']]],
  ['env', [['name']]],
  ['volumes', [['name']]],
  ['imagePullSecrets', [['name']]],
  ['volumeMounts', [['mountPath']]],
  ['volumeDevices', [['devicePath']]],
  ['hostAliases', [['ip']]],
  [
    'ports',
    [
      ['containerPort', 'protocol'],
      ['port', 'protocol'],
    ],
  ],
]);

/** What managedFields say about a list; a list that nobody speaks about is taken in order. */
export function listKind(claims: readonly Claim[], name: string, lists: readonly JsonArray[]): ListKind {
  for (const { owner, node } of claims) {
    if (!owner.shape || node === undefined) continue;
    for (const key of Object.keys(node)) {
      if (key.startsWith('k:')) return keyed(key);
      if (key.startsWith('v:')) return { kind: 'set' };
    }
  }
  const names = claims.some(({ owner }) => owner.shape) ? undefined : mergeKeys(name, lists.flat());
  return names === undefined ? { kind: 'positional' } : { kind: 'keyed', names };
}

function keyed(key: string): ListKind {
  const element = elementOf(key);
  return element?.kind === 'key'
    ? { kind: 'keyed', names: element.fields.map(([name]) => name) }
    : { kind: 'positional' };
}

/** An element of fieldsV1; undefined where its text is broken, so that it speaks for nobody. */
export function elementOf(text: string): PathElement | undefined {
  try {
    return parseElement(text);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The keys by which a list of this name is known to be merged, where its items have them. */
export function mergeKeys(name: string, items: readonly Json[]): readonly string[] | undefined {
  return KNOWN_KEYS.get(name)?.find(
    (names) => items.length > 0 && items.every((item) => isObject(item) && own(item, names[0] ?? '') !== undefined),
  );
}

/** Texts that JSON writes as they are. */
const PLAIN = /^[\w ./:-]*$/;

/** The element text of an item, such as `k:{"name":"web"}`; undefined where it lacks a key. Names are sorted. */
export function itemKey(item: Json | undefined, names: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  let text = '';
  for (const name of names) {
    const value = own(item, name) ?? KEY_DEFAULTS.get(name);
    if (value === undefined || isArray(value) || isObject(value)) return undefined;
    // Nearly all keys are short plain texts and numbers; the others take the exact way.
    if (typeof value === 'string' ? !PLAIN.test(value) : typeof value !== 'number') return exactKey(item, names);
    text += `${text === '' ? '' : ','}"${name}":${typeof value === 'string' ? `"${value}"` : value}`;
  }
  return `k:{${text}}`;
}

function exactKey(item: JsonObject, names: readonly string[]): string {
  return elementText(
    keyElement(names.map((name): [string, Json] => [name, own(item, name) ?? KEY_DEFAULTS.get(name) ?? null])),
  );
}

export interface Pairing {
  /** For each target item the index of its partner in live, or -1. */
  readonly partners: readonly number[];
  /** The element texts of the items, to look up claims; empty where a target item leaves out a key. */
  readonly liveKeys: readonly string[];
  readonly targetKeys: readonly string[];
}

/** Pairs two lists; undefined where the keys do not identify items, so that only the order can. */
export function pairItems(target: JsonArray, live: JsonArray, kind: ListKind): Pairing | undefined {
  if (kind.kind === 'positional') return undefined;
  const keyOf = kind.kind === 'set' ? valueKey : (item: Json): string | undefined => itemKey(item, kind.names);
  const liveKeys: string[] = [];
  const places = new Map<string, number>();
  for (const [index, item] of live.entries()) {
    const key = keyOf(item);
    if (key === undefined || places.has(key)) return undefined;
    places.set(key, index);
    liveKeys.push(key);
  }
  const partners: number[] = [];
  const targetKeys: string[] = [];
  const taken = new Set<number>();
  for (const item of target) {
    const key = keyOf(item);
    const place = key === undefined ? looselyPaired(item, live, kind, taken) : (places.get(key) ?? -1);
    if (place >= 0 && taken.has(place)) return undefined;
    if (place >= 0) taken.add(place);
    partners.push(place);
    targetKeys.push(key ?? '');
  }
  return { partners, liveKeys, targetKeys };
}

/** The element text of a value in a set. */
export function valueKey(item: Json): string | undefined {
  return isObject(item) || isArray(item) ? undefined : elementText({ kind: 'value', value: item });
}

/** An item that leaves out a key which the server has filled in belongs to the first that fits otherwise. */
function looselyPaired(item: Json, live: JsonArray, kind: ListKind, taken: ReadonlySet<number>): number {
  if (kind.kind !== 'keyed' || !isObject(item)) return -1;
  const stated = kind.names.filter((name) => own(item, name) !== undefined);
  return live.findIndex(
    (other, index) =>
      !taken.has(index) && isObject(other) && stated.every((name) => own(other, name) === own(item, name)),
  );
}

/** Whether the partners stand in the same order as the items of the target. */
export function inOrder(partners: readonly number[]): boolean {
  let last = -1;
  for (const place of partners) {
    if (place < 0) continue;
    if (place < last) return false;
    last = place;
  }
  return true;
}
