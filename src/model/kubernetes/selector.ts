import { Fault } from '../faults/index.js';
import { compareText, quoteGo } from '../go/index.js';
import { isArray, isObject, own, type JsonObject } from '../json/index.js';
import { checkLabelKey, checkLabelValue } from './names.js';

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** All requirements must hold. `nothing` is the selector that was not given at all: it matches no object. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  readonly nothing: boolean;
}

export const EVERYTHING: LabelSelector = { requirements: [], nothing: false };
export const NOTHING: LabelSelector = { requirements: [], nothing: true };

/** Reads `?labelSelector=`: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`. Faults carry the API server's text. */
export function parseLabelSelector(text: string): LabelSelector {
  return selectorOf(new SelectorReader(text).read());
}

/** Reads a LabelSelector object (matchLabels and matchExpressions). None matches nothing, an empty one everything. */
export function labelSelectorOf(selector: JsonObject | null | undefined): LabelSelector {
  if (selector === null || selector === undefined) return NOTHING;
  const requirements: LabelRequirement[] = [];
  const labels = isObject(selector.matchLabels) ? selector.matchLabels : {};
  for (const key of Object.keys(labels).sort(compareText)) {
    const value = own(labels, key);
    requirements.push(requirement(key, '=', [typeof value === 'string' ? value : '']));
  }
  for (const expression of isArray(selector.matchExpressions) ? selector.matchExpressions : []) {
    if (!isObject(expression)) continue;
    const operator = typeof expression.operator === 'string' ? expression.operator : '';
    const known = EXPRESSION_OPERATORS.get(operator);
    if (known === undefined)
      throw new Fault('VALUE_INVALID', `${quoteGo(operator)} is not a valid label selector operator`);
    const values = isArray(expression.values) ? expression.values.filter((value) => typeof value === 'string') : [];
    requirements.push(requirement(typeof expression.key === 'string' ? expression.key : '', known, values));
  }
  return selectorOf(requirements);
}

/**
 * A selector for exactly these labels, as a Service or ReplicationController has it. An empty map matches everything.
 */
export function labelSelectorFromMap(labels: Readonly<Record<string, string>>): LabelSelector {
  return selectorOf(Object.entries(labels).map(([key, value]) => ({ key, operator: '=', values: [value] })));
}

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return !selector.nothing && selector.requirements.every((one) => holds(one, labels ?? {}));
}

/** The canonical text of a selector, as the API server prints it in `status.selector` and errors. */
export function labelSelectorText(selector: LabelSelector): string {
  return selector.requirements.map(requirementText).join(',');
}

const EXPRESSION_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  return { requirements: [...requirements].sort((a, b) => compareText(a.key, b.key)), nothing: false };
}

function holds({ key, operator, values }: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
    case '<':
      return compares(operator, parseInt64(value ?? ''), parseInt64(values[0] ?? ''));
    default:
      return operator satisfies never;
  }
}

function compares(operator: '>' | '<', left: bigint | undefined, right: bigint | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return operator === '>' ? left > right : left < right;
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,1000}$/.test(text)) return undefined;
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = [...values].sort(compareText).join(',');
  return operator === 'in' || operator === 'notin' ? `${key} ${operator} (${list})` : `${key}${operator}${list}`;
}

/** Checks a requirement as the API server does; several faults are listed in brackets, as Go's aggregates are. */
function requirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const wrong: string[] = [];
  const keyWrong = checkLabelKey(key);
  if (keyWrong.length > 0) wrong.push(`key: Invalid value: ${quoteGo(key)}: ${keyWrong.join('; ')}`);
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    wrong.push("values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    wrong.push(
      `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
    );
  }
  if (operator === '>' || operator === '<') {
    values.forEach((value, i) => {
      if (parseInt64(value) === undefined)
        wrong.push(
          `values[${i}]: Invalid value: ${quoteGo(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
    });
  }
  values.forEach((value, i) => {
    const valueWrong = checkLabelValue(value);
    if (valueWrong.length > 0)
      wrong.push(`values[${i}][${key}]: Invalid value: ${quoteGo(value)}: ${valueWrong.join('; ')}`);
  });
  const distinct = [...new Set(wrong)];
  if (distinct.length > 0)
    throw new Fault('VALUE_INVALID', distinct.length === 1 ? String(distinct[0]) : `[${distinct.join(', ')}]`);
  return { key, operator, values };
}

interface Token {
  readonly kind: 'end' | 'identifier' | 'symbol';
  readonly text: string;
}

const SYMBOLS: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const WORDS: ReadonlySet<string> = new Set(['in', 'notin']);
const SPECIAL = '=!(),><';
const SPACE = ' \t\r\n';
const OPERATORS: readonly string[] = ['in', 'notin', '=', '==', '!=', '>', '<'];

function isOperator(text: string): text is LabelOperator {
  return OPERATORS.includes(text);
}

/** A reader of the string form. Words `in` and `notin` are operators only where one is expected. */
class SelectorReader {
  #at = 0;
  readonly #tokens: Token[] = [];

  constructor(readonly text: string) {
    let at = 0;
    for (;;) {
      while (at < text.length && SPACE.includes(text.charAt(at))) at++;
      const start = at;
      // A zero byte ends the text, as in the API server's scanner.
      if (at >= text.length || text[at] === '\0') break;
      if (SPECIAL.includes(text.charAt(at))) {
        at += SYMBOLS.has(text.slice(at, at + 2)) ? 2 : 1;
        this.#tokens.push({ kind: 'symbol', text: text.slice(start, at) });
      } else {
        while (
          at < text.length &&
          !SPECIAL.includes(text.charAt(at)) &&
          !SPACE.includes(text.charAt(at)) &&
          text[at] !== '\0'
        )
          at++;
        this.#tokens.push({ kind: 'identifier', text: text.slice(start, at) });
        if (text[at] === '\0') at++;
      }
    }
    this.#tokens.push({ kind: 'end', text: '' });
  }

  read(): LabelRequirement[] {
    const found: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return found;
      if (!starts(token)) throw expected(token, ": !, identifier, or 'end of string'");
      try {
        found.push(this.#requirement());
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw new Fault('VALUE_INVALID', `unable to parse requirement: ${error.message}`, { cause: error });
      }
      const next = this.#take();
      if (next.kind === 'end') return found;
      if (next.text !== ',' || next.kind !== 'symbol') throw expected(next, ": ',' or 'end of string'");
      if (!starts(this.#peek())) throw expected(this.#peek(), ": identifier after ','");
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #requirement(): LabelRequirement {
    let token = this.#take();
    const absent = token.kind === 'symbol' && token.text === '!';
    if (absent) token = this.#take();
    if (token.kind !== 'identifier') throw expected(token, ': identifier');
    const key = token.text;
    const wrong = checkLabelKey(key);
    if (wrong.length > 0)
      throw new Fault('VALUE_INVALID', `<nil>: Invalid value: ${quoteGo(key)}: ${wrong.join('; ')}`);
    if (absent) return requirement(key, '!', []);
    if (closes(this.#peek())) return requirement(key, 'exists', []);
    const operator = this.#take();
    if (
      operator.kind === 'end' ||
      (operator.kind === 'identifier' && !WORDS.has(operator.text)) ||
      !isOperator(operator.text)
    ) {
      throw expected(operator, ': in, notin, =, ==, !=, gt, lt');
    }
    const values = operator.text === 'in' || operator.text === 'notin' ? this.#values() : [this.#value()];
    return requirement(key, operator.text, [...new Set(values)].sort(compareText));
  }

  #value(): string {
    if (closes(this.#peek())) return '';
    const token = this.#take();
    if (token.kind !== 'identifier') throw expected(token, ': identifier');
    return token.text;
  }

  #values(): string[] {
    const open = this.#take();
    if (!isSymbol(open, '(')) throw new Fault('VALUE_INVALID', `found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (isSymbol(first, ')')) {
      this.#take();
      return [''];
    }
    if (first.kind !== 'identifier' && !isSymbol(first, ',')) throw expected(first, ": ',', ')' or identifier");
    const values = this.#list();
    if (!isSymbol(this.#take(), ')')) throw expected(first, ": ')'");
    return values;
  }

  /** Values between parentheses; a missing one between commas is the empty string. Stops before `)`. */
  #list(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === 'identifier') {
        values.push(token.text);
        if (isSymbol(this.#peek(), ')')) return values;
        if (!isSymbol(this.#peek(), ',')) throw expected(this.#peek(), ": ',' or ')'");
      } else if (isSymbol(token, ',')) {
        if (values.length === 0) values.push('');
        if (isSymbol(this.#peek(), ')')) return [...values, ''];
        if (isSymbol(this.#peek(), ',')) {
          this.#take();
          values.push('');
        }
      } else throw expected(token, ": ',', or identifier");
    }
  }
}

function isSymbol(token: Token, text: string): boolean {
  return token.kind === 'symbol' && token.text === text;
}

function starts(token: Token): boolean {
  return token.kind === 'identifier' || isSymbol(token, '!');
}

function closes(token: Token): boolean {
  return token.kind === 'end' || isSymbol(token, ',');
}

function expected(token: Token, what: string): Fault {
  return new Fault('VALUE_INVALID', `found '${token.text}', expected${what}`);
}
