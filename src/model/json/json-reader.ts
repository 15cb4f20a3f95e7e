import { MAX_DEPTH } from './depth.js';
import { Fault } from '../faults/index.js';
import { put, type Json, type JsonArray, type JsonObject } from './json.js';

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * A strict JSON reader: keeps 64-bit integers, sees repeated keys and knows where a text is wrong, in Go's words.
 * Slower than JSON.parse, so it reads only what JSON.parse cannot answer for.
 */
export class JsonReader {
  #at = 0;
  #depth = 0;
  readonly #path: (string | number)[] = [];

  constructor(
    readonly text: string,
    readonly onDuplicate?: (path: string) => void,
  ) {}

  read(): Json {
    const value = this.#value();
    this.#space();
    if (this.#at < this.text.length) this.#unexpected('after top-level value');
    return value;
  }

  #space(): void {
    let code = this.text.charCodeAt(this.#at);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = this.text.charCodeAt(++this.#at);
  }

  #value(): Json {
    this.#space();
    switch (this.text.charAt(this.#at)) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  #enter(): void {
    this.#at++;
    if (++this.#depth > MAX_DEPTH) this.#fail('exceeded max depth');
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    this.#enter();
    this.#space();
    for (let first = true; this.text.charAt(this.#at) !== '}' || !first; first = false) {
      this.#space();
      if (this.text.charAt(this.#at) !== '"') this.#unexpected('looking for beginning of object key string');
      const key = this.#string();
      this.#path[this.#depth] = key;
      if (Object.hasOwn(object, key)) this.onDuplicate?.(this.#pathText());
      this.#space();
      if (this.text.charAt(this.#at) !== ':') this.#unexpected('after object key');
      this.#at++;
      put(object, key, this.#value());
      this.#space();
      if (this.text.charAt(this.#at) === '}') break;
      if (this.text.charAt(this.#at) !== ',') this.#unexpected('after object key:value pair');
      this.#at++;
    }
    this.#at++;
    this.#depth--;
    return object;
  }

  #array(): JsonArray {
    const array: JsonArray = [];
    this.#enter();
    this.#space();
    while (this.text.charAt(this.#at) !== ']' || array.length > 0) {
      this.#path[this.#depth] = array.length;
      array.push(this.#value());
      this.#space();
      if (this.text.charAt(this.#at) === ']') break;
      if (this.text.charAt(this.#at) !== ',') this.#unexpected('after array element');
      this.#at++;
    }
    this.#at++;
    this.#depth--;
    return array;
  }

  #string(): string {
    const start = this.#at++;
    let escaped = false;
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code === 34) break;
      if (code === 92) {
        escaped = true;
        ESCAPE.lastIndex = this.#at;
        if (!ESCAPE.test(this.text)) this.#badEscape();
        this.#at = ESCAPE.lastIndex;
      } else if (code >= 32) this.#at++;
      else this.#unexpected('in string literal');
    }
    this.#at++;
    return escaped
      ? (JSON.parse(this.text.slice(start, this.#at)) as string)
      : this.text.slice(start + 1, this.#at - 1);
  }

  #badEscape(): never {
    this.#at++;
    if (this.text.charAt(this.#at) !== 'u') this.#unexpected('in string escape code');
    this.#at++;
    while (/[0-9a-fA-F]/.test(this.text.charAt(this.#at))) this.#at++;
    this.#unexpected('in \\u hexadecimal character escape');
  }

  #literal(word: string, value: Json): Json {
    for (const letter of word) {
      if (this.text.charAt(this.#at) !== letter) this.#unexpected(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
    return value;
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at;
    const [literal = '', fraction, exponent] = NUMBER.exec(this.text) ?? [];
    if (literal === '') {
      if (this.text.charAt(this.#at) !== '-') this.#unexpected('looking for beginning of value');
      this.#at++;
      this.#unexpected('in numeric literal');
    }
    this.#at += literal.length;
    this.#afterNumber(fraction, exponent);
    return fraction === undefined && exponent === undefined ? exactInteger(literal) : Number(literal);
  }

  /** A number that stops in the middle, such as `1.` or `1e`. */
  #afterNumber(fraction: string | undefined, exponent: string | undefined): void {
    const next = this.text.charAt(this.#at);
    if (next === '.' && fraction === undefined && exponent === undefined) {
      this.#at++;
      this.#unexpected('after decimal point in numeric literal');
    }
    if (/[eE]/.test(next) && exponent === undefined) {
      this.#at++;
      if (/[-+]/.test(this.text.charAt(this.#at))) this.#at++;
      this.#unexpected('in exponent of numeric literal');
    }
  }

  #pathText(): string {
    let text = '';
    for (const step of this.#path.slice(1, this.#depth + 1)) {
      if (typeof step === 'number') text += `[${step}]`;
      else text += text === '' ? step : `.${step}`;
    }
    return text;
  }

  #unexpected(context: string): never {
    const code = this.text.codePointAt(this.#at);
    if (code === undefined) this.#fail('unexpected end of JSON input');
    this.#fail(`invalid character '${formatCharacter(code)}' ${context}`);
  }

  #fail(message: string): never {
    const before = this.text.slice(0, this.#at);
    const line = before.split('\n').length;
    throw new Fault('JSON_INVALID', message, { where: `${line}:${this.#at - before.lastIndexOf('\n')}` });
  }
}

/** A character as Go's encoding/json quotes it. */
function formatCharacter(code: number): string {
  if (code === 39) return "\\'";
  if (code >= 32) return String.fromCodePoint(code);
  return JSON.stringify(String.fromCharCode(code)).slice(1, -1).replace('\\u00', '\\x');
}

/** An integer without loss where 64 bits can hold it; a double where they cannot, as in Go. */
function exactInteger(literal: string): number | bigint {
  const value = Number(literal);
  if (Number.isSafeInteger(value) || literal.length > 20) return value;
  const exact = BigInt(literal);
  return exact >= -(2n ** 63n) && exact < 2n ** 64n ? exact : value;
}
