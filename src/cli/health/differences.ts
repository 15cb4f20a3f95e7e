import { isArray, isObject, own, type Json } from '../../model/index.js';

/** The paths at which two values differ. Nothing, null, an empty object and an empty list are the same, as in an API server. */
export function differences(a: Json | undefined, b: Json | undefined, path = ''): string[] {
  if (isEmpty(a) && isEmpty(b)) return [];
  if (isArray(a) && isArray(b)) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => differences(a[index], b[index], `${path}[${index}]`)).flat();
  }
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => differences(own(a, key), own(b, key), path === '' ? key : `${path}.${key}`));
  }
  return a === b ? [] : [path];
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isArray(value) ? value.every(isEmpty) : isObject(value) && Object.keys(value).every((key) => isEmpty(own(value, key)));
}
