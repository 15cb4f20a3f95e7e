import { Fault } from '../faults/index.js';
import { compareText } from '../go/index.js';

/** One term of `?fieldSelector=`: a field path and the value it must, or must not, have. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All terms must hold; in the order in which the API server keeps them. */
export type FieldSelector = readonly FieldRequirement[];

/** Reads `metadata.name=x,spec.nodeName!=y`. `==` is `=`; in values `\`, `,` and `=` are escaped with `\`. */
export function parseFieldSelector(text: string): FieldSelector {
  const found: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort(compareText)) {
    if (term === '') continue;
    const at = term.indexOf('=');
    if (at < 0) throw new Fault('VALUE_INVALID', `invalid selector: '${text}'; can't understand '${term}'`);
    const negative = term[at - 1] === '!';
    const value = term.slice(!negative && term[at + 1] === '=' ? at + 2 : at + 1);
    const field = term.slice(0, negative ? at - 1 : at);
    // A term with neither field nor value asks for nothing and is dropped.
    if (field !== '' || value !== '')
      found.push({ field, operator: negative ? '!=' : '=', value: unescapeValue(value) });
  }
  return found;
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(text: string): string {
  let value = '';
  const chars = text[Symbol.iterator]();
  for (const char of chars) {
    if (char === ',' || char === '=') {
      throw new Fault('VALUE_INVALID', `invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    }
    if (char !== '\\') {
      value += char;
      continue;
    }
    const next = chars.next();
    const escaped = next.done === true ? '' : next.value;
    if (!['\\', ',', '='].includes(escaped)) {
      throw new Fault('VALUE_INVALID', `invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    value += escaped;
  }
  return value;
}
