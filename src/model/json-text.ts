import { own, put, type Json, type JsonArray, type JsonObject } from './json.js';

const MANY_DIGITS = /\d{16}/;

/** Parses JSON text. `JSON.parse` does the work unless 16 digits in a row could be an integer it would round. */
export function parseJson(text: string): Json {
  const value = JSON.parse(text) as Json;
  return MANY_DIGITS.test(text) ? new ExactReader(text).read() : value;
}

/** JSON text of a value, without spaces. bigint is written as the integer it is. */
export function writeJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return writeWithIntegers(value);
  }
}

function writeWithIntegers(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeWithIntegers).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const key of Object.keys(value)) {
    const member = own(value, key);
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${writeWithIntegers(member)}`);
  }
  return `{${members.join(',')}}`;
}

/** A strict recursive reader used only for text that `JSON.parse` has already accepted. */
class ExactReader {
  #at = 0;

  constructor(readonly text: string) {}

  read(): Json {
    this.#space();
    const char = this.text[this.#at];
    if (char === '{') return this.#object();
    if (char === '[') return this.#array();
    if (char === '"') return this.#string();
    return this.#scalar();
  }

  #space(): void {
    while (' \t\n\r'.includes(this.text[this.#at] ?? 'x')) this.#at++;
  }

  #object(): JsonObject {
    const object: JsonObject = {};
    this.#at++;
    for (this.#space(); this.text[this.#at] !== '}'; this.#space()) {
      if (this.text[this.#at] === ',') this.#at++;
      this.#space();
      const key = this.#string();
      this.#space();
      this.#at++; // the colon
      put(object, key, this.read());
    }
    this.#at++;
    return object;
  }

  #array(): JsonArray {
    const array: JsonArray = [];
    this.#at++;
    for (this.#space(); this.text[this.#at] !== ']'; this.#space()) {
      if (this.text[this.#at] === ',') this.#at++;
      array.push(this.read());
    }
    this.#at++;
    return array;
  }

  #string(): string {
    const start = this.#at++;
    while (this.text[this.#at] !== '"') this.#at += this.text[this.#at] === '\\' ? 2 : 1;
    return JSON.parse(this.text.slice(start, ++this.#at)) as string;
  }

  #scalar(): Json {
    const start = this.#at;
    while (this.#at < this.text.length && !',]} \t\n\r'.includes(this.text[this.#at] ?? ',')) this.#at++;
    const literal = this.text.slice(start, this.#at);
    const value = JSON.parse(literal) as Json;
    return typeof value === 'number' && /^-?\d+$/.test(literal) && !Number.isSafeInteger(value) ? BigInt(literal) : value;
  }
}
