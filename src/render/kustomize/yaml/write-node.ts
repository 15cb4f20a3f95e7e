import { resolveTag } from './resolve-tag.js';
import { NULL_TAG, STRING_TAG, type YamlNode } from './node.js';
import { blockHints, foldedText } from './refold.js';

/**
 * A node as go-yaml v3 writes it for Kustomize: two spaces, lists in the column of their key, no folding. Ends with a
 * newline.
 */
export function writeNode(node: YamlNode): string {
  const writer = new Writer();
  writer.node(node, 0, 'root');
  return writer.out.endsWith('\n') ? writer.out : `${writer.out}\n`;
}

type Place = 'root' | 'value' | 'item' | 'flow' | 'key';

class Writer {
  out = '';
  /** The last character; asking the long text for it would make one piece of it each time. */
  #last = '';

  #put(text: string): void {
    if (text === '') return;
    this.out += text;
    this.#last = text.charAt(text.length - 1);
  }

  /** `indent` is the column of the collection that the node opens, or of a scalar's further lines less two. */
  node(node: YamlNode, indent: number, place: Place): void {
    const tag = formatTag(node);
    if (tag !== '') this.#put(`${this.#gap()}${tag}`);
    if (node.kind === 'scalar') this.#scalar(node, indent, place, tag !== '');
    else if (node.size === 0 || place === 'flow' || place === 'key' || node.style === 'flow') this.#flow(node);
    else if (node.kind === 'map') this.#mapping(node, indent, place);
    else this.#sequence(node, indent, place);
  }

  /** A blank, unless the last character already separates. */
  #gap(): string {
    return this.#last === '' || ' \n[{'.includes(this.#last) ? '' : ' ';
  }

  #newline(indent: number): void {
    if (this.#last !== '' && this.#last !== '\n') this.#put('\n');
    this.#put(' '.repeat(indent));
  }

  #mapping(node: YamlNode, indent: number, place: Place): void {
    for (const [index, { key, value }] of node.entries.entries()) {
      if (index > 0 || place === 'value') this.#newline(indent);
      else if (place === 'item') this.#put(this.#gap());
      const isSimple = !key.value.includes('\n') && Buffer.byteLength(key.value) <= 128;
      if (!isSimple) this.#put('? ');
      this.node(key, isSimple ? indent : indent + 2, isSimple ? 'key' : 'item');
      if (!isSimple) this.#newline(indent);
      this.#put(':');
      this.node(value, value.kind === 'seq' && value.style !== 'flow' ? indent : indent + 2, 'value');
    }
  }

  #sequence(node: YamlNode, indent: number, place: Place): void {
    for (const [index, item] of node.items.entries()) {
      if (index > 0 || place === 'value') this.#newline(indent);
      else if (place === 'item') this.#put(this.#gap());
      this.#put('-');
      this.node(item, indent + 2, 'item');
    }
  }

  #flow(node: YamlNode): void {
    const isMap = node.kind === 'map';
    this.#put(this.#gap() + (isMap ? '{' : '['));
    let first = true;
    for (const { key, value } of node.entries) {
      if (!first) this.#put(', ');
      first = false;
      this.node(key, 0, 'flow');
      this.#put(':');
      this.node(value, 0, 'flow');
    }
    for (const item of node.items) {
      if (!first) this.#put(', ');
      first = false;
      this.node(item, 0, 'flow');
    }
    this.#put(isMap ? '}' : ']');
  }

  #scalar(node: YamlNode, indent: number, place: Place, hasTag: boolean): void {
    const { value } = node;
    const style = writtenStyle(node, place, hasTag);
    if (style === 'plain' && value === '') return;
    this.#put(this.#gap());
    const pad = ' '.repeat(place === 'root' ? 2 : indent);
    switch (style) {
      case 'plain':
        this.#put(value);
        return;
      case 'single':
        this.#put(`'${value.replaceAll("'", "''").replace(/\n+/g, (breaks) => `\n${breaks}${pad}`)}'`);
        return;
      case 'literal':
        this.#put(`|${blockHints(value)}\n${value.replace(/[^\n]+/g, (line) => pad + line)}`);
        return;
      case 'folded':
        this.#put(foldedText(value, pad));
        return;
      default:
        this.#put(doubleQuoted(value));
    }
  }
}

/** The tag where it has to be written: the text alone would be read as something else. */
function formatTag(node: YamlNode): string {
  const { tag, kind } = node;
  if (tag === '' || tag === STRING_TAG || tag === `!!${kind}`) return '';
  if (!tag.startsWith('!')) return `!<${tag}>`;
  if (node.style === 'tagged') return tag;
  if (kind === 'scalar' && resolveTag(node.value) === tag) return '';
  return tag === '!!merge' ? '' : tag;
}

type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

function writtenStyle(node: YamlNode, place: Place, hasTag: boolean): ScalarStyle {
  const { value } = node;
  const inFlow = place === 'flow';
  let style = wantedStyle(node);
  // Go writes the two Unicode separators as breaks, in a way that only few readers take for the same.
  if (/[\u2028\u2029]/.test(value) || (place === 'key' && value.includes('\n'))) return 'double';
  if (style === 'plain') {
    const staysPlain = value === '' ? mayBeEmpty(node, place, hasTag) : mayBePlain(value, inFlow);
    if (!staysPlain) style = 'single';
  }
  if (style === 'single' && /[\t]|\n | \n|[^\n\x20-\x7e\xa0-\ufefe\ud800-\udfff]/.test(value)) return 'double';
  if ((style === 'literal' || style === 'folded') && !mayBeBlock(value, inFlow || place === 'key')) return 'double';
  return style;
}

/** The style the node asks for, before its place and its characters are considered. */
function wantedStyle({ style, tag, value }: YamlNode): ScalarStyle {
  if (style !== 'plain' && style !== 'flow' && style !== 'tagged') return style;
  if (value.includes('\n')) return 'literal';
  return tag === STRING_TAG && resolveTag(value) !== STRING_TAG ? 'double' : 'plain';
}

/** Whether nothing at all may stand for the empty text. */
function mayBeEmpty({ tag }: YamlNode, place: Place, hasTag: boolean): boolean {
  if (place === 'flow' || place === 'key') return false;
  return tag === NULL_TAG || tag === '' || hasTag;
}

function mayBePlain(value: string, inFlow: boolean): boolean {
  if (/^[ \n]|[ \n]$|\n|\t|[^\n\x20-\x7e\xa0-\ufefe\ud800-\udfff]/.test(value)) return false;
  if (/^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^-(?: |$)/.test(value)) return false;
  if (/:(?: |$)| #|^\?(?: |$)/.test(value)) return false;
  return !inFlow || !/[,?[\]{}:]/.test(value);
}

function mayBeBlock(value: string, inLine: boolean): boolean {
  return value !== '' && !inLine && !/ $| \n|[^\t\n\x20-\x7e\xa0-\ufefe\ud800-\udfff]/.test(value);
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0, '0'],
  [7, 'a'],
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [11, 'v'],
  [12, 'f'],
  [13, 'r'],
  [27, 'e'],
  [34, '"'],
  [92, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

function doubleQuoted(value: string): string {
  let out = '"';
  for (const char of value) {
    const code = char.codePointAt(0) ?? 0;
    const isPlain =
      (code >= 32 && code < 0x7f && code !== 34 && code !== 92) ||
      (code >= 0xa0 && code !== 0xfeff && code !== 0x2028 && code !== 0x2029);
    out += isPlain ? char : `\\${ESCAPES.get(code) ?? hex(code)}`;
  }
  return `${out}"`;
}

function hex(code: number): string {
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `u${digits.padStart(4, '0')}` : `U${digits.padStart(8, '0')}`;
}
