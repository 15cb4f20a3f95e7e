import { drop, isArray, isObject, own, put, type Json, type JsonObject } from '../../../model/json/index.js';
import { Fault } from '../../../model/faults/index.js';

/** What a flag was given: once, several times, or as a switch. */
export type FlagValue = string | number | boolean | readonly string[];

/** What commander gives of a command line, by the names of flags. */
export type GivenFlags = Readonly<Record<string, FlagValue | undefined>>;

/** A flag as a command takes it. */
export interface FlagShape {
  /** As `--repo <url>`. */
  readonly flags: string;
  readonly about: string;
  readonly kind: 'text' | 'list' | 'switch' | 'number';
}

/** A flag of `create` and `set`, and what it does to the spec. */
export interface SpecFlag extends FlagShape {
  readonly apply: (to: { readonly spec: JsonObject; readonly source: JsonObject }, value: FlagValue) => void;
}

/** The flags that were given, each with its value. */
export function flagsGiven<Flag extends FlagShape>(
  flags: readonly Flag[],
  given: GivenFlags,
): (readonly [Flag, FlagValue])[] {
  return flags.flatMap((flag) => {
    const value = Object.hasOwn(given, attributeOf(flag)) ? given[attributeOf(flag)] : undefined;
    return value === undefined ? [] : [[flag, value] as const];
  });
}

/** The name under which commander gives the value: `--helm-set-file <x>` is `helmSetFile`. */
function attributeOf({ flags }: FlagShape): string {
  const name = /--([a-z-]+)/.exec(flags)?.[1] ?? '';
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The object under a name, made where there is none. */
export function inside(object: JsonObject, name: string): JsonObject {
  const found = own(object, name);
  if (isObject(found)) return found;
  const made: JsonObject = {};
  put(object, name, made);
  return made;
}

export function itemsOf(object: JsonObject, name: string): Json[] {
  const found = own(object, name);
  return isArray(found) ? found : [];
}

/** Sets a field; an empty text and a switch that is off take it away. */
export function assign(object: JsonObject, name: string, value: FlagValue): void {
  if (value === '' || value === false || (Array.isArray(value) && value.length === 0)) drop(object, name);
  else put(object, name, typeof value === 'object' ? [...value] : value);
}

/** Takes away what became empty. */
export function tidy(object: JsonObject, name: string): void {
  const found = own(object, name);
  if (isObject(found) && Object.keys(found).length === 0) drop(object, name);
}

export function textsOf(value: FlagValue): string[] {
  return typeof value === 'object' ? [...value] : [String(value)];
}

/** `name=value`, cut at the first `=`. */
export function pairOf(text: string, expected: string): [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw new Fault('USAGE', `expected ${expected} but received: ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The list with one item more, in place of the one with the same name. */
export function merged(items: readonly Json[], item: JsonObject): Json[] {
  const at = items.findIndex((each) => isObject(each) && own(each, 'name') === own(item, 'name'));
  return at < 0 ? [...items, item] : items.map((each, index) => (index === at ? item : each));
}
