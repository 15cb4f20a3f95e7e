import { INT, UINT8, type GoKind } from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import { GoBytes, GoSlice, itemsOf, typeOf, withType, type GoValue } from '../template/value/go-value.js';
import { nilDereference } from './define.js';

/** The elements of any slice, each with its own type; undefined for what is no slice. */
export function elementsOf(value: GoValue): readonly GoValue[] | undefined {
  if (value instanceof GoBytes) return Array.from(value.bytes, (byte) => withType(UINT8, BigInt(byte)));
  if (value instanceof GoSlice && value.type.elem !== undefined && value.type.elem !== INT) {
    const { elem } = value.type;
    return value.items.map((item) => withType(elem, item));
  }
  return itemsOf(value);
}

/** The elements, or the failure that a list function has on everything else. */
export function listOf(value: GoValue, complaint: (kind: GoKind) => string): readonly GoValue[] {
  if (value === null) throw nilDereference();
  const elements = elementsOf(value);
  if (elements === undefined) throw functionError(complaint(typeOf(value).kind));
  return elements;
}
