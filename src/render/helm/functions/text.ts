import { fromBytes } from '../template/value/go-text.js';
import { plainText } from '../template/value/go-print.js';
import { GoBytes, GoStringer, type GoValue } from '../template/value/go-value.js';

/** A value as %v prints it. */
export function displayText(value: GoValue): string {
  return plainText(value);
}

/** As sprig turns a value into a string: texts as they are, the rest as %v prints it. */
export function stringOf(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof GoBytes) return fromBytes(value.bytes);
  return value instanceof GoStringer ? value.text() : displayText(value);
}
