import { quoteGo, quoteRune } from '../../../model/go/index.js';
import { INT64 } from '../template/value/go-type.js';
import { entryOf, GoScalar, setEntry, typeName, type GoObject, type GoValue } from '../template/value/go-value.js';
import { has, isTable } from './table.js';

const MAX_ITEMS = 65_536;
const MAX_LEVELS = 30;
/** Helm has no limit for lists inside lists; this one keeps them off the end of the stack. */
const MAX_LISTS = 500;

/** Says why a `--set` text is wrong, in Helm's words. */
export class SetError extends Error {}

/** The text ended. At most places that is no mistake, so it is told apart from one. */
export class SetEnd extends Error {}

/** Reads what follows an equals sign. */
export interface ValueReader {
  /** Gives the value and stands behind it; undefined where the text ended before any. */
  read(scanner: Scanner): GoValue | undefined;
}

/** A text, character by character. */
export class Scanner {
  readonly #runes: readonly string[];
  #at = 0;

  /** `escapes`: a backslash makes the next character mean itself. */
  constructor(
    text: string,
    readonly escapes: boolean,
  ) {
    this.#runes = Array.from(text);
  }

  next(): string | undefined {
    return this.#runes[this.#at++];
  }

  back(): void {
    this.#at--;
  }

  get rest(): string {
    return this.#runes.slice(this.#at).join('');
  }

  skip(text: string): void {
    this.#at += Array.from(text).length;
  }

  /** Text up to a character of `stop`; `last` is that character, undefined at the end of the text. */
  until(stop: string): { readonly text: string; readonly last: string | undefined } {
    const found: string[] = [];
    for (;;) {
      const rune = this.next();
      if (rune === undefined) return { text: found.join(''), last: undefined };
      if (stop.includes(rune)) return { text: found.join(''), last: rune };
      if (rune === '\\' && this.escapes) {
        const escaped = this.next();
        if (escaped === undefined) return { text: found.join(''), last: undefined };
        found.push(escaped);
      } else found.push(rune);
    }
  }
}

/** Writes the assignments of a `--set` text into values. Existing maps and lists change in place. */
export class SetParser {
  readonly #scanner: Scanner;
  readonly #reader: ValueReader;
  /** What ends a key; a literal takes commas as they are. */
  readonly #keyStops: string;

  constructor(text: string, reader: ValueReader, literal = false) {
    this.#scanner = new Scanner(text, !literal);
    this.#reader = reader;
    this.#keyStops = literal ? '=[.' : '=[,.';
  }

  parseInto(values: GoObject): void {
    try {
      for (;;) this.#key(values, 0);
    } catch (error) {
      if (!(error instanceof SetEnd)) throw error;
    }
  }

  #key(table: GoObject, level: number): void {
    const { text: key, last } = this.#scanner.until(this.#keyStops);
    switch (last) {
      case undefined:
        if (key === '') throw new SetEnd();
        throw new SetError(`key ${quoteGo(key)} has no value`);
      case '[':
        return this.#indexed(table, key, level);
      case '=':
        return this.#assign(table, key);
      case ',':
        put(table, key, '');
        throw new SetError(`key ${quoteGo(key)} has no value (cannot end with ,)`);
      default:
        return this.#nested(table, key, level + 1);
    }
  }

  #assign(table: GoObject, key: string): void {
    const value = this.#reader.read(this.#scanner);
    put(table, key, value === undefined ? '' : value);
    if (value === undefined) throw new SetEnd();
  }

  #nested(table: GoObject, key: string, level: number): void {
    if (level > MAX_LEVELS)
      throw new SetError(`value name nested level is greater than maximum supported nested level of ${MAX_LEVELS}`);
    const inner = has(table, key) ? (entryOf(table, key) ?? null) : {};
    if (!isTable(inner)) throw notA(inner, 'map[string]interface {}');
    try {
      this.#key(inner, level);
    } catch (error) {
      if (Object.keys(inner).length > 0) put(table, key, inner);
      throw error;
    }
    if (Object.keys(inner).length === 0) throw new SetError(`key map ${quoteGo(key)} has no value`);
    put(table, key, inner);
  }

  #indexed(table: GoObject, key: string, level: number): void {
    const index = this.#index();
    const list = has(table, key) ? (entryOf(table, key) ?? null) : [];
    if (!Array.isArray(list)) throw notA(list, '[]interface {}');
    put(table, key, list);
    this.#item(list, index, level);
  }

  #index(): number {
    const { text, last } = this.#scanner.until(']');
    if (last === undefined) throw new SetEnd();
    if (!/^[+-]?\d+$/.test(text))
      throw new SetError(`error parsing index: strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`);
    const index = BigInt(text.replace('+', ''));
    if (BigInt.asIntN(64, index) !== index)
      throw new SetError(`error parsing index: strconv.Atoi: parsing ${quoteGo(text)}: value out of range`);
    return Number(index);
  }

  #item(list: GoValue[], index: number, level: number, lists = 0): void {
    if (index < 0) throw new SetError(`negative ${index} index not allowed`);
    const { text, last } = this.#scanner.until('[.=');
    if (text !== '')
      throw new SetError(
        'unexpected data at end of array index: ' +
          `[${Array.from(text, (rune) => quoteRune(rune.codePointAt(0) ?? 0, false)).join(' ')}]`,
      );
    switch (last) {
      case undefined:
        throw new SetEnd();
      case '=': {
        const value = this.#reader.read(this.#scanner);
        return setItem(list, index, value === undefined ? '' : value);
      }
      case '[': {
        const next = this.#index();
        const existing = list[index] ?? null;
        if (existing !== null && !Array.isArray(existing)) throw notA(existing, '[]interface {}');
        const inner = existing ?? [];
        if (lists >= MAX_LISTS) throw new SetError(`more than ${MAX_LISTS} lists inside one another`);
        this.#item(inner, next, level, lists + 1);
        return setItem(list, index, inner);
      }
      default: {
        const existing = list[index];
        const inner = isTable(existing) ? existing : {};
        if (index < list.length) list[index] = inner;
        this.#key(inner, level);
        return setItem(list, index, inner);
      }
    }
  }
}

function put(table: GoObject, key: string, value: GoValue): void {
  if (key !== '') setEntry(table, key, value);
}

function setItem(list: GoValue[], index: number, value: GoValue): void {
  if (index > MAX_ITEMS)
    throw new SetError(`index of ${index} is greater than maximum supported index of ${MAX_ITEMS}`);
  while (list.length < index) list.push(null);
  list[index] = value;
}

/** Go's text for a value that was taken for another type. */
function notA(value: GoValue, type: string): SetError {
  const name = value === null ? 'nil' : typeName(value);
  return new SetError(`unable to parse key: interface conversion: interface {} is ${name}, not ${type}`);
}

/** `{a,b}` or a single value up to the next comma. */
export class ScalarReader implements ValueReader {
  constructor(readonly convert: (text: string) => GoValue) {}

  read(scanner: Scanner): GoValue | undefined {
    const first = scanner.next();
    if (first === undefined) return undefined;
    if (first === '{') return this.#list(scanner);
    scanner.back();
    return this.convert(scanner.until(',').text);
  }

  #list(scanner: Scanner): GoValue[] {
    const list: GoValue[] = [];
    for (;;) {
      const { text, last } = scanner.until(',}');
      if (last === undefined) throw new SetError("list must terminate with '}'");
      list.push(this.convert(text));
      if (last === ',') continue;
      const next = scanner.next();
      if (next !== ',') scanner.back();
      return list;
    }
  }
}

/** Everything to the end of the text, as it is. */
export const LITERAL_READER: ValueReader = { read: (scanner) => scanner.until('').text };

/** What `--set` makes of a text: true, false, null, whole numbers; anything else is a string. */
export function typedValue(text: string): GoValue {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  // A zero in front makes it a string, such as the number of a phone.
  if (!/^(?:0|[+-]?\d+)$/.test(text) || (text.length > 1 && text.startsWith('0'))) return text;
  const number = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, number) === number ? new GoScalar(INT64, number) : text;
}
