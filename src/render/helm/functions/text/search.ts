import { fromByteString, toByteString } from '../../template/value/go-text.js';
import { isBroken } from './broken-text.js';

/**
 * Searching in texts. Valid texts can be searched as they are; a text with wrong bytes is searched byte by byte,
 * because one byte may then be found inside a character.
 */
function bytewise(texts: readonly string[]): boolean {
  return texts.some(isBroken);
}

export function contains(text: string, part: string): boolean {
  return bytewise([text, part]) ? toByteString(text).includes(toByteString(part)) : text.includes(part);
}

export function hasPrefix(text: string, prefix: string): boolean {
  return bytewise([text, prefix]) ? toByteString(text).startsWith(toByteString(prefix)) : text.startsWith(prefix);
}

export function hasSuffix(text: string, suffix: string): boolean {
  return bytewise([text, suffix]) ? toByteString(text).endsWith(toByteString(suffix)) : text.endsWith(suffix);
}

export function trimPrefix(text: string, prefix: string): string {
  return hasPrefix(text, prefix) ? fromByteString(toByteString(text).slice(toByteString(prefix).length)) : text;
}

export function trimSuffix(text: string, suffix: string): string {
  if (suffix === '' || !hasSuffix(text, suffix)) return text;
  return fromByteString(toByteString(text).slice(0, -toByteString(suffix).length));
}

/** strings.SplitN: at most `limit` parts, the last with the rest; below zero means all, zero none. */
export function splitText(text: string, separator: string, limit = -1): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? Array.from(text) : splitAll(text, separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function splitAll(text: string, separator: string): string[] {
  if (!bytewise([text, separator])) return text.split(separator);
  return toByteString(text).split(toByteString(separator)).map(fromByteString);
}

/** An empty `old` stands before every character and at the end. */
export function replaceAll(text: string, old: string, next: string): string {
  if (old === '') return next + Array.from(text, (char) => char + next).join('');
  return splitAll(text, old).join(next);
}
