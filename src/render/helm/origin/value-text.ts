import { writeJson, type Json } from '../../../model/json/index.js';
import type { EmptyOverride } from '../values/empty-overrides.js';
import type { ValuePlace } from '../values/traced.js';
import { pathText } from './path-text.js';

/** `file:line`; a value of the command line or of an Application has no line. */
export function placeText({ file, line }: ValuePlace): string {
  return line === 0 ? file : `${file}:${line}`;
}

const MAX_LENGTH = 80;

/** A value in a message. */
export function shortText(value: Json): string {
  const text = writeJson(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 3)}...` : text;
}

/** Whether a value says nothing: null, an empty text, list or map. */
export function isEmptyValue(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** What an empty override does, in a sentence. */
export function emptyOverrideText({ path, override, hidden }: EmptyOverride): string {
  const remedy = override.place.line === 0 ? 'leave it out' : 'remove the line';
  return (
    `${pathText(path)} is ${override.value === null ? 'removed' : 'empty'}: ${shortText(override.value)} at ` +
    `${placeText(override.place)} hides ${shortText(hidden.value)} at ${placeText(hidden.place)}; ${remedy} ` +
    'to inherit it'
  );
}
