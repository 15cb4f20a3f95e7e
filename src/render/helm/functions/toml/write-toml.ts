import { formatFloat } from '../../../../model/go/index.js';
import { sortedKeys } from '../../template/value/go-text.js';
import { functionError } from '../../template/template-error.js';
import {
  asObject,
  entryOf,
  GoBytes,
  GoMap,
  GoScalar,
  GoSlice,
  GoStruct,
  typeOf,
  type GoObject,
  type GoValue,
} from '../../template/value/go-value.js';
import { PartCount } from '../../template/value/weight.js';
import { elementsOf } from '../elements.js';
import { GoTime } from '../time/go-time.js';
import { GoVersion } from '../go-version.js';
import { nilDereference } from '../define.js';

/** A value as BurntSushi/toml writes it: plain values of a table first, then tables, each in the order of its keys. */
export function writeToml(value: GoValue): string {
  countParts(value, new PartCount());
  return new TomlWriter().write(value);
}

type Key = readonly string[];

class TomlWriter {
  #out = '';

  write(value: GoValue): string {
    this.#encode([], value);
    return this.#out;
  }

  #encode(key: Key, value: GoValue): void {
    if (value === null || (value instanceof GoMap && value.isNil)) return;
    const table = tableOf(value);
    if (table !== undefined) this.#table(key, table);
    else if (kindOf(value) === 'tables') this.#tables(key, elementsOf(value) ?? []);
    else this.#pair(key, value, false);
  }

  #newline(): void {
    if (this.#out !== '') this.#out += '\n';
  }

  #pair(key: Key, value: GoValue, isInline: boolean): void {
    if (key.length === 0) {
      this.#out += elementText(value, (inner) => this.#inline(inner));
      return;
    }
    this.#out += `${'  '.repeat(key.length - 1)}${quotedKey(key.at(-1) ?? '')} = `;
    this.#out += elementText(value, (inner) => this.#inline(inner));
    if (!isInline) this.#newline();
  }

  #table(key: Key, table: Table): void {
    if (key.length === 1) this.#newline();
    if (key.length > 0) {
      this.#out += `${'  '.repeat(key.length - 1)}[${key.map(quotedKey).join('.')}]`;
      this.#newline();
    }
    this.#entries(key, table);
  }

  #tables(key: Key, items: readonly GoValue[]): void {
    if (key.length === 0) throw functionError('toml: top-level values must be Go maps or structs');
    for (const item of items) {
      if (item === null || isNil(item)) continue;
      this.#newline();
      this.#out += `${'  '.repeat(key.length - 1)}[[${key.map(quotedKey).join('.')}]]`;
      this.#newline();
      const table = tableOf(item);
      if (table !== undefined) this.#entries(key, table);
    }
  }

  #entries(key: Key, table: Table): void {
    for (const name of ordered(table)) {
      const value = entryOf(table.entries, name) ?? null;
      if (!isNil(value)) this.#encode([...key, name], value);
    }
  }

  /** `{a = 1, b = 2}`: a table inside a list that is not all tables. */
  #inline(table: Table): string {
    const names = ordered(table);
    const parts = names.map((name, index) => {
      const value = entryOf(table.entries, name) ?? null;
      if (value === null || isNil(value)) return '';
      const text = `${quotedKey(name)} = ${elementText(value, (inner) => this.#inline(inner))}`;
      return index < names.length - 1 ? `${text}, ` : text;
    });
    return `{${parts.join('')}}`;
  }
}

interface Table {
  readonly entries: Readonly<GoObject>;
  readonly names: readonly string[];
}

function tableOf(value: GoValue): Table | undefined {
  if (value instanceof GoStruct)
    return { entries: value.fields, names: Object.keys(value.fields).filter((name) => !/^\p{Ll}/u.test(name)) };
  const entries = value instanceof GoMap ? value.entries : asObject(value);
  return entries === undefined ? undefined : { entries, names: sortedKeys(entries) };
}

/** Plain values before tables. */
function ordered({ entries, names }: Table): string[] {
  const isTable = (name: string): boolean => ['table', 'tables'].includes(kindOf(entryOf(entries, name) ?? null) ?? '');
  return [...names.filter((name) => !isTable(name)), ...names.filter(isTable)];
}

/** Go would follow a map that contains itself until its memory ends. */
function countParts(value: GoValue, parts: PartCount): void {
  parts.add();
  parts.down();
  const table = tableOf(value);
  if (table !== undefined) for (const name of table.names) countParts(entryOf(table.entries, name) ?? null, parts);
  else if (value !== null) for (const item of elementsOf(value) ?? []) countParts(item, parts);
  parts.up();
}

function isNil(value: GoValue): boolean {
  return (value instanceof GoSlice || value instanceof GoMap) && value.isNil;
}

/** Looks into lists, too: TOML has no word for nil there. */
function kindOf(value: GoValue): 'plain' | 'list' | 'table' | 'tables' | undefined {
  if (value === null || isNil(value)) return undefined;
  if (tableOf(value) !== undefined) return 'table';
  const items = elementsOf(value);
  if (items === undefined) return 'plain';
  const kinds = items.map((item) => {
    const kind = kindOf(item);
    if (kind === undefined) throw functionError('toml: cannot encode array with nil element');
    return kind;
  });
  return items.length > 0 && kinds.every((kind) => kind === 'table') ? 'tables' : 'list';
}

function elementText(value: GoValue, inline: (table: Table) => string): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'boolean':
      return String(value);
    case 'bigint':
      return value.toString();
    case 'number':
      return floatText(value);
    default:
      break;
  }
  if (value === null) throw nilDereference();
  if (value instanceof GoScalar) return elementText(value.value, inline);
  if (value instanceof GoTime) return timeText(value);
  if (value instanceof GoVersion) return quoted(value.text());
  const table = tableOf(value);
  if (table !== undefined) return inline(table);
  const items = value instanceof GoBytes ? Array.from(value.bytes, BigInt) : elementsOf(value);
  if (items === undefined) throw functionError(`unexpected type: ${typeOf(value).name}`);
  return `[${items.map((item) => elementText(item, inline)).join(', ')}]`;
}

/** Times that were read without a zone are written without one. */
function timeText(time: GoTime): string {
  switch (time.zone.name) {
    case 'datetime-local':
      return time.format('2006-01-02T15:04:05.999999999');
    case 'date-local':
      return time.format('2006-01-02');
    case 'time-local':
      return time.format('15:04:05.999999999');
    default:
      return time.format('2006-01-02T15:04:05.999999999Z07:00');
  }
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const text = formatFloat(value, 'g', undefined).replace(/^\+/, '');
  return /[e.]/.test(text) ? text : `${text}.0`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

function quoted(text: string): string {
  const escaped = text.replace(
    /["\\\x00-\x1f\x7f]/g,
    (char) => ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

function quotedKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}
