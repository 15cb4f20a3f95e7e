/** A parsed JSON value. Integers outside ±(2^53-1) are bigint, so that int64 values survive. */
export type Json = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = Json[];
/**
 * A JSON object whose keys a stranger chose. Fixed field names may be read with a dot (`pod.spec`); a name that is
 * not known when the code is written goes through `own` and `put`, because `object[name]` reaches `constructor`
 * and loses `__proto__`. Lint holds this.
 */
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** The value that `object` itself has under `key`; never one inherited from Object.prototype. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property whatever its name; `__proto__` becomes an ordinary key. */
export function put(object: JsonObject, key: string, value: Json | undefined): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Removes an own property; the name may be any string. */
export function drop(object: JsonObject, key: string): void {
  delete object[key];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: Json | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** A deep copy. Keeps bigint and odd key names. */
export function clone<T extends Json | undefined>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => clone(item)) as T;
  if (!isObject(value)) return value;
  // A spread makes own properties of all keys, `__proto__` too, and is several times faster than one at a time.
  const copy: JsonObject = { ...value };
  for (const key of Object.keys(copy)) {
    const item = own(copy, key);
    if (typeof item === 'object' && item !== null) put(copy, key, clone(item));
  }
  return copy as T;
}

/** Same JSON value; key order does not matter, 1 and 1n are equal, a missing key and undefined are equal. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  }
  if (isObject(a))
    return (
      isObject(b) &&
      sameValues(a, b) &&
      Object.keys(b).every((key) => Object.hasOwn(a, key) || own(b, key) === undefined)
    );
  return typeof a === 'bigint' || typeof b === 'bigint' ? sameNumber(a, b) : false;
}

function sameValues(a: JsonObject, b: JsonObject): boolean {
  return Object.keys(a).every((key) => equal(own(a, key), own(b, key)));
}

function sameNumber(a: Json | undefined, b: Json | undefined): boolean {
  const numeric = (value: Json | undefined): value is number | bigint =>
    typeof value === 'number' || typeof value === 'bigint';
  // Loose equality is the one comparison that mixes number and bigint by mathematical value.
  return numeric(a) && numeric(b) && a == b;
}
