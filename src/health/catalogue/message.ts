import { isArray, isObject, type Json } from '../../model/json/index.js';
import { compilePath, EntryError, isEmpty, type Reader, type Scope } from './scope.js';

export type Message = (scope: Scope) => string | undefined;

/**
 * A sentence with places to fill: `{status.message}`, or alternatives of which the first that is there counts:
 * `{condition.message|condition.reason|'no reason given'}`. What is in `[[ ]]` is left out if one of its places is
 * empty. A sentence that comes out empty is no message.
 */
export function compileMessage(text: string, at: string): Message {
  const parts = splitParts(text).map((part, index) => ({ optional: index % 2 === 1, fill: compilePart(part, at) }));
  return (scope) => {
    let filled = '';
    for (const { optional, fill } of parts) {
      const part = fill(scope);
      if (!(optional && part.hasGap)) filled += part.text;
    }
    return filled === '' ? undefined : filled;
  };
}

/** What stands outside of `[[ ]]` and inside, in turn. */
function splitParts(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('[[', from);
    const close = open < 0 ? -1 : text.indexOf(']]', open + 2);
    if (close < 0) return [...parts, text.slice(from)];
    parts.push(text.slice(from, open), text.slice(open + 2, close));
    from = close + 2;
  }
}

function compilePart(text: string, at: string): (scope: Scope) => { readonly text: string; readonly hasGap: boolean } {
  const pieces = text.split(/\{([^{}]*)\}/).map((piece, index) => (index % 2 === 0 ? piece : compilePlace(piece, at)));
  return (scope) => {
    let [filled, hasGap] = ['', false];
    for (const piece of pieces) {
      const words = typeof piece === 'string' ? piece : textOf(piece(scope));
      if (typeof piece !== 'string' && words === '') hasGap = true;
      filled += words;
    }
    return { text: filled, hasGap };
  };
}

function compilePlace(text: string, at: string): Reader {
  const readers = text.split('|').map((choice) => {
    const trimmed = choice.trim();
    const literal = /^'(.*)'$/.exec(trimmed);
    if (literal !== null) return () => literal[1] ?? '';
    if (trimmed === '') throw new EntryError(at, `{${text}} has an empty alternative: write {path} or {path|'text'}`);
    return compilePath(trimmed, at);
  });
  return (scope) => {
    for (const read of readers) {
      const value = read(scope);
      if (!isEmpty(value)) return value;
    }
    return undefined;
  };
}

/** How a value reads in a sentence; a list reads as its elements with commas. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (isArray(value)) return value.map(textOf).join(', ');
  return isObject(value) ? JSON.stringify(value) : String(value);
}
