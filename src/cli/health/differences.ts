import { equal, isArray, isObject, own, type Json } from '../../model/json/index.js';

/**
 * The paths at which `found` is not as `wanted` says. What `wanted` does not mention may be anything, as where a
 * manifest is compared with an object of a cluster. Nothing, null, an empty object and an empty list are the same, as
 * in an API server.
 */
export function differences(wanted: Json | undefined, found: Json | undefined, path = ''): string[] {
  if (isEmpty(wanted)) return [];
  if (isArray(wanted) && isArray(found)) {
    return Array.from({ length: Math.max(wanted.length, found.length) }, (_, index) =>
      differences(wanted[index] ?? 'nothing', found[index], `${path}[${index}]`),
    ).flat();
  }
  if (isObject(wanted) && isObject(found)) {
    return Object.keys(wanted).flatMap((key) =>
      differences(own(wanted, key), own(found, key), path === '' ? key : `${path}.${key}`),
    );
  }
  return equal(wanted, found) ? [] : [path];
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isArray(value)
    ? value.every(isEmpty)
    : isObject(value) && Object.keys(value).every((key) => isEmpty(own(value, key)));
}
