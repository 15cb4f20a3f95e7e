import { isArray, isObject, type Json } from '../../model/index.js';
import { compilePath, EntryProblem, isEmpty, type Reader, type Scope } from './scope.js';

export type Message = (scope: Scope) => string | undefined;

/**
 * A sentence with places to fill: `{status.message}`, or alternatives of which the first that is there counts:
 * `{condition.message|condition.reason|'no reason given'}`. A sentence that comes out empty is no message.
 */
export function compileMessage(text: string, at: string): Message {
  const parts = text.split(/\{([^{}]*)\}/).map((part, index) => (index % 2 === 0 ? part : compilePlace(part, at)));
  return (scope) => {
    let filled = '';
    for (const part of parts) filled += typeof part === 'string' ? part : textOf(part(scope));
    return filled === '' ? undefined : filled;
  };
}

function compilePlace(text: string, at: string): Reader {
  const readers = text.split('|').map((choice) => {
    const trimmed = choice.trim();
    const literal = /^'(.*)'$/.exec(trimmed);
    if (literal !== null) return () => literal[1] ?? '';
    if (trimmed === '') throw new EntryProblem(at, `{${text}} has an empty alternative: write {path} or {path|'text'}`);
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
