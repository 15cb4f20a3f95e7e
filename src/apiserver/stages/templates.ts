import { isArray, isObject, own, put, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import { type CelProgram, toJson } from '../cel/index.js';
import {
  compileExpression,
  evaluate,
  inside,
  stageFault,
  type Place,
  type Values,
  type Variables,
} from './expressions.js';
import { StageError } from './stage-error.js';

/**
 * JSON in which strings may contain `${CEL}`. A string that is one `${...}` and nothing else keeps the type of its
 * value, and an optional without a value leaves its key out. `$${` is a plain `${`. Keys are never evaluated.
 */
export type Template =
  | { readonly kind: 'plain'; readonly value: Json }
  | { readonly kind: 'value'; readonly program: CelProgram }
  | { readonly kind: 'text'; readonly parts: readonly (string | CelProgram)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Template])[] };

export function compileTemplate(json: Json, variables: Variables, place: Place): Template {
  if (typeof json === 'string') return compileText(json, variables, place);
  if (isArray(json)) {
    const items = json.map((item, index) => compileTemplate(item, variables, inside(place, `[${index}]`)));
    return items.every(isPlain) ? { kind: 'plain', value: items.map(({ value }) => value) } : { kind: 'list', items };
  }
  if (!isObject(json)) return { kind: 'plain', value: json };
  const entries = Object.keys(json).map(
    (key) => [key, compileTemplate(own(json, key) ?? null, variables, inside(place, key))] as const,
  );
  const template: Template = { kind: 'object', entries };
  return entries.every(([, entry]) => isPlain(entry))
    ? { kind: 'plain', value: fill(template, { values: new Map() }) ?? null }
    : template;
}

function isPlain(template: Template): template is Template & { kind: 'plain' } {
  return template.kind === 'plain';
}

function compileText(text: string, variables: Variables, place: Place): Template {
  const parts = splitText(text, place).map((part) =>
    'text' in part ? part.text : compileExpression(part.expression, variables, place),
  );
  const [first, ...rest] = parts;
  if (first === undefined) return { kind: 'plain', value: '' };
  if (rest.length === 0)
    return typeof first === 'string' ? { kind: 'plain', value: first } : { kind: 'value', program: first };
  return { kind: 'text', parts };
}

type Part = { readonly text: string } | { readonly expression: string };

function splitText(text: string, place: Place): Part[] {
  const parts: Part[] = [];
  let plain = '';
  for (let at = 0; at < text.length; ) {
    if (text.startsWith('$${', at)) {
      plain += '${';
      at += 3;
    } else if (text.startsWith('${', at)) {
      const end = expressionEnd(text, at + 2);
      if (end === undefined) throw stageFault(place, `\${ without its } in ${JSON.stringify(text)}`);
      if (plain !== '') parts.push({ text: plain });
      plain = '';
      parts.push({ expression: text.slice(at + 2, end) });
      at = end + 1;
    } else plain += text.charAt(at++);
  }
  if (plain !== '') parts.push({ text: plain });
  return parts;
}

const STRING_OR_BRACE = /[rR]?[bB]?("""|'''|"|')|[{}]/g;

/** The place of the `}` that closes an expression: not one inside of a string or of a map literal. */
function expressionEnd(text: string, start: number): number | undefined {
  let depth = 0;
  const pattern = new RegExp(STRING_OR_BRACE);
  pattern.lastIndex = start;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const quote = match[1];
    if (quote !== undefined) {
      const end = stringEnd(text, pattern.lastIndex, quote, /^[rR]/.test(match[0]));
      if (end === undefined) return undefined;
      pattern.lastIndex = end;
    } else if (match[0] === '{') depth++;
    else if (depth-- === 0) return match.index;
  }
  return undefined;
}

function stringEnd(text: string, start: number, quote: string, raw: boolean): number | undefined {
  for (let at = start; at < text.length; at++) {
    if (text.startsWith(quote, at)) return at + quote.length;
    if (text[at] === '\\' && !raw) at++;
  }
  return undefined;
}

/** How a template is filled in. */
export interface Filling {
  readonly values: Values;
  /** Times that are already there stay: a value made from `now` is taken from `current` where that has one. */
  readonly keepTimes?: boolean;
}

/** The template's JSON; undefined where an optional has no value. `current` is what is there now, for keepTimes. */
export function fill(template: Template, filling: Filling, current?: Json): Json | undefined {
  switch (template.kind) {
    case 'plain':
      return template.value;
    case 'value':
      if (keeps(template.program, filling, current)) return current;
      return toJson(evaluate(template.program, filling.values));
    case 'text':
      if (template.parts.some((part) => typeof part !== 'string' && keeps(part, filling, current))) return current;
      return template.parts.map((part) => (typeof part === 'string' ? part : textOf(part, filling))).join('');
    case 'list':
      return template.items
        .map((item, index) => fill(item, filling, isArray(current) ? current[index] : undefined))
        .filter((item) => item !== undefined);
    case 'object':
      return fillObject(template.entries, filling, isObject(current) ? current : {});
    default:
      return template satisfies never;
  }
}

function keeps(program: CelProgram, { keepTimes = false }: Filling, current: Json | undefined): boolean {
  return keepTimes && current !== undefined && current !== null && program.uses.has('now');
}

function fillObject(
  entries: readonly (readonly [string, Template])[],
  filling: Filling,
  current: JsonObject,
): JsonObject {
  const object: JsonObject = {};
  for (const [key, template] of entries) {
    const value = fill(template, filling, own(current, key));
    if (value !== undefined) put(object, key, value);
  }
  return object;
}

function textOf(program: CelProgram, { values }: Filling): string {
  const value = toJson(evaluate(program, values));
  if (value === undefined || value === null || typeof value === 'object') {
    throw new StageError(
      `a value inside of a text is ${value === undefined || value === null ? 'null' : 'a list or map'}; it ` +
        'must be text, number or boolean',
    );
  }
  return String(value);
}

/** A template that must give text; none gives the empty text. */
export function fillText(template: Template | undefined, filling: Filling, field: string): string {
  const value = template === undefined ? undefined : fill(template, filling);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new StageError(`${field} is ${writeJson(value)}, not text`);
  return value;
}
