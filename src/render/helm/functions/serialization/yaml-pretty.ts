import { formatFloat } from '../../../../model/go/index.js';
import { resolvePlain } from '../../../../model/yaml/index.js';
import { functionError } from '../../template/template-error.js';
import {
  asObject,
  entryOf,
  GoBytes,
  GoComplex,
  GoMap,
  GoScalar,
  GoSlice,
  GoStruct,
  typeName,
  type GoObject,
  type GoValue,
} from '../../template/value/go-value.js';
import { PartCount } from '../../template/value/weight.js';
import { isBroken } from '../text/broken-text.js';
import { elementsOf } from '../elements.js';
import { GoTime } from '../time/go-time.js';
import { GoVersion } from '../go-version.js';
import { toBytes } from '../../template/value/go-text.js';

/**
 * toYamlPretty: go-yaml v3 writes the value itself, not by way of JSON. Lists are indented below their key, long lines
 * stay as they are, and floats take Go's shortest form, so a million is 1e+06.
 */
export function toYamlPretty(value: GoValue): string {
  return new PrettyWriter().node(value, 0, 'root').replace(/^\n/, '').replace(/\n$/, '');
}

/** Where a node stands: alone, behind `key:` or behind `- `. */
type Place = 'root' | 'key' | 'item';

class PrettyWriter {
  readonly #parts = new PartCount();

  /** The text from right behind the indicator on; `indent` is the column of the node's own lines. */
  node(value: GoValue, indent: number, place: Place): string {
    this.#parts.add();
    this.#parts.down();
    const text = this.#block(value, indent, place);
    this.#parts.up();
    return text;
  }

  #block(value: GoValue, indent: number, place: Place): string {
    const table = tableOf(value);
    if (table !== undefined) return this.#mapping(table, indent, place);
    const items = value instanceof GoBytes || value === null ? undefined : elementsOf(value);
    if (items !== undefined) return this.#sequence(items, indent, place);
    return `${place === 'root' ? '' : ' '}${scalarText(value, indent)}\n`;
  }

  #mapping({ entries, names }: Table, indent: number, place: Place): string {
    if (names.length === 0) return `${place === 'root' ? '' : ' '}{}\n`;
    const pad = ' '.repeat(indent);
    const lines = names
      .map((name) => {
        const value = entryOf(entries, name) ?? null;
        if (isSimpleKey(name))
          return `${pad}${textScalar(name, indent + 2, true)}:${this.node(value, indent + 2, 'key')}`;
        return `${pad}? ${textScalar(name, indent + 2, false)}\n${pad}:${this.#explicit(value, indent)}`;
      })
      .join('');
    return place === 'item' ? ` ${lines.slice(indent)}` : `\n${lines}`;
  }

  /** The value of a key that needs `? ` stands behind `: ` as an item of a list does. */
  #explicit(value: GoValue, indent: number): string {
    return this.node(value, indent + 2, 'item');
  }

  #sequence(items: readonly GoValue[], indent: number, place: Place): string {
    if (items.length === 0) return `${place === 'root' ? '' : ' '}[]\n`;
    const pad = ' '.repeat(indent);
    const lines = items.map((item) => `${pad}-${this.node(item, indent + 2, 'item')}`).join('');
    return place === 'item' ? ` ${lines.slice(indent)}` : `\n${lines}`;
  }
}

interface Table {
  readonly entries: Readonly<GoObject>;
  readonly names: readonly string[];
}

function tableOf(value: GoValue): Table | undefined {
  if (value instanceof GoStruct) {
    const fields: GoObject = Object.fromEntries(
      Object.entries(value.fields).map(([name, field]) => [name.toLowerCase(), field]),
    );
    return { entries: fields, names: Object.keys(fields) };
  }
  const entries = value instanceof GoMap ? value.entries : asObject(value);
  return entries === undefined ? undefined : { entries, names: Object.keys(entries).sort(compareKeys) };
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/** Letters after other characters, except behind a digit; numbers inside names by their value. */
function compareKeys(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at++;
  const [x, y] = [left[at], right[at]];
  if (x === undefined || y === undefined) return left.length - right.length;
  const [xLetter, yLetter] = [LETTER.test(x), LETTER.test(y)];
  const byCode = (x.codePointAt(0) ?? 0) - (y.codePointAt(0) ?? 0);
  if (xLetter && yLetter) return byCode;
  if (xLetter || yLetter) return (at > 0 && DIGIT.test(left[at - 1] ?? '')) === xLetter ? -1 : 1;
  return compareNumbers(left, right, at) || byCode;
}

function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const number = (chars: readonly string[]): string => {
    let end = at;
    while (end < chars.length && DIGIT.test(chars[end] ?? '')) end++;
    return chars.slice(at, end).join('');
  };
  const [x, y] = [number(a), number(b)];
  const before = /(?<!\d)0*[1-9]\d*$/.test(a.slice(0, at).join('')) && (a[at] === '0' || b[at] === '0') ? '1' : '';
  const difference = BigInt(`${before}${x}` || '0') - BigInt(`${before}${y}` || '0');
  if (difference === 0n) return x.length - y.length;
  return difference < 0n ? -1 : 1;
}

const MAX_KEY_LENGTH = 128;

function isSimpleKey(name: string): boolean {
  return !/[\n\r\x85\u2028\u2029]/.test(name) && toBytes(name).length <= MAX_KEY_LENGTH;
}

function scalarText(value: GoValue, indent: number): string {
  switch (typeof value) {
    case 'string':
      return textScalar(value, indent, false);
    case 'number':
      return floatText(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      break;
  }
  if (value === null) return 'null';
  if (value instanceof GoScalar) return scalarText(value.value, indent);
  if (value instanceof GoTime) return value.format('2006-01-02T15:04:05.999999999Z07:00');
  if (value instanceof GoVersion) return textScalar(value.text(), indent, false);
  if (value instanceof GoBytes) return `[${Array.from(value.bytes).join(', ')}]`;
  if (value instanceof GoSlice || value instanceof GoComplex)
    throw functionError('yaml: cannot marshal type: complex128');
  throw functionError(`yaml: cannot marshal type: ${typeName(value)}`);
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return formatFloat(value, 'g', undefined).replace(/^\+/, '');
}

const OLD_BOOLEAN = /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const SPECIAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]/;

function textScalar(text: string, indent: number, isKey: boolean): string {
  if (isBroken(text)) return `!!binary ${Buffer.from(toBytes(text)).toString('base64')}`;
  const isSpecial = SPECIAL.test(text);
  const spaceBeforeBreak = / \n/.test(text);
  if (text.includes('\n')) {
    return isKey || isSpecial || spaceBeforeBreak || text.endsWith(' ') ? doubleQuoted(text) : literal(text, indent);
  }
  const resolved = resolvePlain(text, 'kyaml');
  if (
    text === '' ||
    resolved !== undefined ||
    OLD_BOOLEAN.test(text) ||
    BASE_60.test(text) ||
    isSpecial ||
    text.includes('\t')
  )
    return doubleQuoted(text);
  return mayBePlain(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function mayBePlain(text: string): boolean {
  if (/^ | $|^---|^\.\.\./.test(text) || '#,[]{}&*!|>\'"%@`'.includes(text.charAt(0))) return false;
  return !/^[-?:](?: |$)/.test(text) && !/:(?: |$)| #/.test(text);
}

function literal(text: string, indent: number): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const keep = /^\n$|\n\n$/.test(text) ? '+' : '';
  const chomp = text.endsWith('\n') ? keep : '-';
  const pad = ' '.repeat(Math.max(indent, 2));
  const body = (text.endsWith('\n') ? text.slice(0, -1) : text)
    .split('\n')
    .map((line) => (line === '' ? '' : pad + line))
    .join('\n');
  return `|${hint}${chomp}\n${body}`;
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0, '\\0'],
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
  [27, '\\e'],
  [34, '\\"'],
  [92, '\\\\'],
  [0x85, '\\N'],
  [0x2028, '\\L'],
  [0x2029, '\\P'],
]);

function doubleQuoted(text: string): string {
  const inner = Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const short = ESCAPES.get(code);
    if (short !== undefined) return short;
    if (!SPECIAL.test(char)) return char;
    const hex = code.toString(16).toUpperCase();
    if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
  return `"${inner.join('')}"`;
}
