import { textAt as wholeTextAt, textsAt as wholeTextsAt, type Json } from '../../model/json/index.js';

/** Limits texts for regular expressions: no real message is longer. */
export const MAX_TEXT_LENGTH = 4_000;

/** The text at a path, cut to MAX_TEXT_LENGTH; empty if there is none. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string {
  return wholeTextAt(value, ...path).slice(0, MAX_TEXT_LENGTH);
}

/** The texts of a list, each cut to MAX_TEXT_LENGTH. */
export function textsAt(value: Json | undefined, ...path: readonly string[]): string[] {
  return wholeTextsAt(value, ...path).map((each) => each.slice(0, MAX_TEXT_LENGTH));
}

/** A plain value as text; empty for null, objects and lists, which may pretend to have a text. */
export function wordOf(value: Json | undefined): string {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT_LENGTH);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** An entry of a table by a name that a stranger chose, such as `constructor`. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
