import { own, type Json, type JsonArray, type JsonObject } from '../json/index.js';
import { formatFloat } from './go-number.js';
import { compareKeys } from './key-order.js';
import { escapeChar, hexEscape, styleOf } from './scalar-style.js';

/** Lines longer than this break at the next space, as go-yaml v2 does. */
const WIDTH = 80;
const MAX_SIMPLE_KEY_LENGTH = 128;

/**
 * A value as sigs.k8s.io/yaml writes it: keys sorted, two spaces, lists in the column of their key, long text folded.
 * Ends with a newline. Members that are undefined are left out.
 */
export function writeYaml(value: Json): string {
  const writer = new Writer();
  writer.node(value, -2, false);
  return `${writer.out}\n`;
}

class Writer {
  /** Lines that are finished. Never read before the end: that would copy all of it each time. */
  #done = '';
  #line = '';

  get out(): string {
    return this.#done + this.#line;
  }

  /** A node where the last character written is an indicator, a blank or nothing; `indent` is its parent's. */
  node(value: Json, indent: number, afterKey: boolean): void {
    if (Array.isArray(value)) {
      if (value.length === 0) this.#inline('[]', afterKey);
      else this.#sequence(value, indent, afterKey);
    } else if (typeof value === 'object' && value !== null) {
      const keys = Object.keys(value).filter((key) => own(value, key) !== undefined);
      if (keys.length === 0) this.#inline('{}', afterKey);
      else this.#mapping(value, keys, indent, afterKey);
    } else {
      if (afterKey) this.#line += ' ';
      if (typeof value === 'string') this.#string(value, Math.max(indent, 0) + 2, false);
      else this.#line += scalarText(value);
    }
  }

  #inline(text: string, afterKey: boolean): void {
    this.#line += afterKey ? ` ${text}` : text;
  }

  #newline(indent: number): void {
    this.#done += `${this.#line}\n`;
    this.#line = ' '.repeat(indent);
  }

  /** A list in a mapping stands in the column of its key; elsewhere two deeper than its parent. */
  #sequence(items: JsonArray, parent: number, afterKey: boolean): void {
    const indent = afterKey ? parent : parent + 2;
    let isFirst = !afterKey;
    for (const item of items) {
      if (!isFirst) this.#newline(indent);
      isFirst = false;
      this.#line += '- ';
      this.node(item, indent, false);
    }
  }

  #mapping(object: JsonObject, keys: string[], parent: number, afterKey: boolean): void {
    const indent = parent + 2;
    let isFirst = !afterKey;
    for (const key of keys.sort(compareKeys)) {
      if (!isFirst) this.#newline(indent);
      isFirst = false;
      const value = own(object, key) ?? null;
      if (isSimpleKey(key)) {
        this.#string(key, indent + 2, true);
        this.#line += ':';
        this.node(value, indent, true);
      } else {
        this.#line += '? ';
        this.#string(key, indent + 2, false);
        this.#newline(indent);
        this.#line += ': ';
        this.node(value, indent, false);
      }
    }
  }

  #string(text: string, indent: number, simpleKey: boolean): void {
    const style = styleOf(text, simpleKey);
    const fits = simpleKey || this.#line.length + text.length <= WIDTH;
    switch (style) {
      case 'plain':
        this.#line += text;
        if (!fits) this.#foldLast(text, indent);
        return;
      case 'single':
        this.#single(text, indent, simpleKey);
        return;
      case 'double':
        this.#double(text, indent, simpleKey);
        return;
      case 'literal':
        this.#literal(text, indent);
        return;
      default:
        style satisfies never;
    }
  }

  /** Characters already on the line; go-yaml counts code points. */
  #column(): number {
    return columnsOf(this.#line);
  }

  /** Writes again, folded, the plain text that was just written and is too long. */
  #foldLast(text: string, indent: number): void {
    this.#line = this.#line.slice(0, this.#line.length - text.length);
    this.#folded(text, indent, 0, text.length);
  }

  /** Text that breaks at single spaces past the width; spaces before `from` and after `to` stay. */
  #folded(text: string, indent: number, from: number, to: number): void {
    let column = this.#column();
    let wasSpace = false;
    let written = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 32) {
        const mayBreak = !wasSpace && column > WIDTH && i >= from && i < to && text.charCodeAt(i + 1) !== 32;
        if (mayBreak) {
          this.#line += text.slice(written, i);
          written = i + 1;
          this.#newline(indent);
          column = indent;
        } else column++;
        wasSpace = true;
      } else {
        if (!(code >= 0xdc00 && code <= 0xdfff)) column++;
        wasSpace = false;
      }
    }
    this.#line += text.slice(written);
  }

  #single(text: string, indent: number, simpleKey: boolean): void {
    this.#line += "'";
    const quoted = text.replaceAll("'", "''");
    const separated = quoted.split(/([\u2028\u2029]+)/);
    if (separated.length > 1)
      this.#line += separated
        .map((part, index) =>
          index % 2 === 0 || (index === separated.length - 2 && separated.at(-1) === '')
            ? part
            : part + ' '.repeat(indent),
        )
        .join('');
    else if (simpleKey) this.#line += quoted;
    else this.#folded(quoted, indent, 1, quoted.length - 1);
    this.#line += "'";
  }

  #double(text: string, indent: number, simpleKey: boolean): void {
    this.#line += '"';
    if (text.startsWith('\ufeff')) {
      // go-yaml then takes every character for a byte order mark.
      this.#line += `${Array.from(text, hexEscape).join('')}"`;
      return;
    }
    let column = this.#column();
    let wasSpace = false;
    let i = 0;
    for (const char of text) {
      if (char === ' ') {
        const mayBreak = !simpleKey && !wasSpace && column > WIDTH && i > 0 && i < text.length - 1;
        if (mayBreak) {
          this.#newline(indent);
          column = indent;
          if (text.charAt(i + 1) === ' ') {
            this.#line += '\\';
            column++;
          }
        } else {
          this.#line += ' ';
          column++;
        }
        wasSpace = true;
      } else {
        const escaped = escapeChar(char);
        this.#line += escaped;
        column += escaped.length === char.length ? 1 : escaped.length;
        wasSpace = false;
      }
      i += char.length;
    }
    this.#line += '"';
  }

  #literal(text: string, indent: number): void {
    this.#line += '|';
    if (/^[ \n\u2028\u2029]/.test(text)) this.#line += '2';
    if (!/[\n\u2028\u2029]$/.test(text)) this.#line += '-';
    else if (/^.$|[\n\u2028\u2029].$/s.test(text)) this.#line += '+';
    this.#newline(0);
    const pad = ' '.repeat(indent);
    const lines = text.replace(/\n$/, '').replace(/[^\n\u2028\u2029]+/g, (line) => pad + line);
    const last = lines.lastIndexOf('\n') + 1;
    this.#done += lines.slice(0, last);
    this.#line = lines.slice(last);
  }
}

function columnsOf(text: string): number {
  let columns = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!(code >= 0xdc00 && code <= 0xdfff)) columns++;
  }
  return columns;
}

/** A key of one line and at most 128 bytes needs no `? `. */
function isSimpleKey(key: string): boolean {
  if (key.length <= MAX_SIMPLE_KEY_LENGTH / 3) return !/[\n\r\x85\u2028\u2029]/.test(key);
  return Buffer.byteLength(key) <= MAX_SIMPLE_KEY_LENGTH && !/[\n\r\x85\u2028\u2029]/.test(key);
}

/** A number, boolean or null. An integer beyond 64 bits is a float to Go. */
function scalarText(value: null | boolean | number | bigint): string {
  if (typeof value === 'bigint')
    return value >= -(2n ** 63n) && value < 2n ** 64n ? String(value) : formatFloat(Number(value), 64);
  if (typeof value !== 'number') return String(value);
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  return /^-?\d+$/.test(String(value)) ? scalarText(BigInt(String(value))) : formatFloat(value, 64);
}
