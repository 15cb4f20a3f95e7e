import { Fault } from '../faults/index.js';
import { isArray, isObject, own, type Json } from './json.js';

/** The parts of a JSON pointer (RFC 6901): `/a~1b/0` -> `a/b`, `0`. The empty text is the whole document. */
export function parsePointer(text: string): string[] {
  if (text === '') return [];
  if (!text.startsWith('/'))
    throw new Fault('VALUE_INVALID', `JSON pointer ${JSON.stringify(text)} must be empty or start with "/"`);
  return text.slice(1).split('/').map(decodePointerPart);
}

/** `~1` is a slash and `~0` a tilde; any other tilde stays, as the API server reads it. */
export function decodePointerPart(part: string): string {
  return part.includes('~') ? part.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) : part;
}

export function formatPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replace(/[~/]/g, (char) => (char === '~' ? '~0' : '~1'))}`).join('');
}

/** The value at a pointer, or undefined where a part of the path is not there. */
export function getPointer(document: Json, pointer: string | readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const part of typeof pointer === 'string' ? parsePointer(pointer) : pointer) {
    if (isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined;
    else if (isObject(value)) value = own(value, part);
    else return undefined;
  }
  return value;
}
