import { compareText } from '../../../model/go/index.js';
import { isArray, isObject, own, type Json } from '../../../model/json/index.js';

/** JSON as Go's encoding/json writes it: sorted keys, and escapes for what could close a script. */
export function goJson(value: Json, indent?: string, prefix = ''): string {
  const inner = indent === undefined ? '' : `\n${prefix}${indent}`;
  const outer = indent === undefined ? '' : `\n${prefix}`;
  const below = (member: Json): string => goJson(member, indent, indent === undefined ? '' : prefix + indent);
  if (isArray(value))
    return value.length === 0 ? '[]' : `[${value.map((item) => inner + below(item)).join(',')}${outer}]`;
  if (!isObject(value)) return typeof value === 'bigint' ? String(value) : escapeHtml(JSON.stringify(value));
  const keys = Object.keys(value)
    .filter((key) => own(value, key) !== undefined)
    .sort(compareText);
  if (keys.length === 0) return '{}';
  const colon = indent === undefined ? ':' : ': ';
  const members = keys.map((key) => inner + escapeHtml(JSON.stringify(key)) + colon + below(own(value, key) ?? null));
  return `{${members.join(',')}${outer}}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
