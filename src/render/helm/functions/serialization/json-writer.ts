import { sortedKeys } from '../../template/value/go-text.js';
import { functionError } from '../../template/template-error.js';
import {
  entryOf,
  GoBytes,
  GoComplex,
  GoMap,
  GoScalar,
  GoSlice,
  GoStringer,
  GoStruct,
  GoTyped,
  typeName,
  withType,
  type GoObject,
  type GoValue,
} from '../../template/value/go-value.js';
import { MAX_LEVELS, PartCount } from '../../template/value/weight.js';
import { isBroken } from '../text/broken-text.js';
import { GoNamedInt, GoTime } from '../time/go-time.js';
import { GoVersion } from '../go-version.js';

export interface JsonStyle {
  /** Whether `<`, `>` and `&` become escapes; Go does so unless told otherwise. */
  readonly html: boolean;
  /** Two spaces for each level; nothing means one line. */
  readonly pretty?: boolean;
}

/** Beyond this many levels Go looks for maps that contain themselves; the limit of levels makes us look earlier. */
const GO_CYCLE_DEPTH = 1000;
const CYCLE_DEPTH = MAX_LEVELS / 2;

/** A value as encoding/json writes it: keys in the order of their bytes. A failure carries Go's text. */
export function toJson(value: GoValue, style: JsonStyle): string {
  return new JsonWriter(style).value(value, 0);
}

/** Go names what it meets at its own depth. */
function cycle(members: readonly object[], depth: number): Error {
  const named = members[(GO_CYCLE_DEPTH - depth) % members.length];
  return functionError(
    'json: unsupported value: encountered a cycle via ' +
      (Array.isArray(named) ? '[]interface {}' : 'map[string]interface {}'),
  );
}

class JsonWriter {
  readonly #unsafe: RegExp;
  /** What the value is inside of. */
  readonly #open: object[] = [];
  readonly #parts = new PartCount();

  constructor(readonly style: JsonStyle) {
    this.#unsafe = style.html
      ? /["\\<>&\x00-\x1f\u2028\u2029\ud800-\udfff]/
      : /["\\\x00-\x1f\u2028\u2029\ud800-\udfff]/;
  }

  value(value: GoValue, depth: number): string {
    this.#parts.add();
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'boolean':
        return String(value);
      case 'bigint':
        return value.toString();
      case 'number':
        return numberText(value);
      default:
        break;
    }
    if (value === null) return 'null';
    if (value instanceof GoScalar)
      return value.type.name === 'json.Number' ? String(value.value) || '0' : this.value(value.value, depth);
    this.#enter(value instanceof GoMap ? value.entries : value);
    const text = this.#composite(value, depth);
    this.#leave();
    return text;
  }

  #enter(value: object): void {
    const first = this.#open.length < CYCLE_DEPTH ? -1 : this.#open.indexOf(value, CYCLE_DEPTH);
    if (first >= 0) throw cycle(this.#open.slice(first), first);
    this.#parts.down();
    this.#open.push(value);
  }

  #leave(): void {
    this.#open.pop();
    this.#parts.up();
  }

  #composite(value: GoTyped | GoValue[] | GoObject, depth: number): string {
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof GoTyped) return this.#typed(value, depth);
    return this.#object(value, sortedKeys(value), depth);
  }

  #typed(value: GoTyped, depth: number): string {
    if (value instanceof GoSlice) {
      const { elem } = value.type;
      return value.isNil
        ? 'null'
        : this.#list(elem === undefined ? value.items : value.items.map((item) => withType(elem, item)), depth);
    }
    if (value instanceof GoMap)
      return value.isNil ? 'null' : this.#object(value.entries, sortedKeys(value.entries), depth);
    if (value instanceof GoBytes) return `"${Buffer.from(value.bytes).toString('base64')}"`;
    if (value instanceof GoTime) return `"${value.json()}"`;
    if (value instanceof GoNamedInt) return value.value.toString();
    if (value instanceof GoVersion) return this.#text(value.text());
    const struct = jsonFields(value);
    if (struct !== undefined) return this.#object(struct, Object.keys(struct), depth);
    if (value instanceof GoComplex) throw functionError('json: unsupported type: complex128');
    throw functionError(`json: unsupported type: ${typeName(value)}`);
  }

  #list(items: readonly GoValue[], depth: number): string {
    return this.#block(
      '[',
      items.map((item) => this.value(item, depth + 1)),
      ']',
      depth,
    );
  }

  #object(object: Readonly<GoObject>, keys: readonly string[], depth: number): string {
    const colon = this.style.pretty === true ? ': ' : ':';
    return this.#block(
      '{',
      keys.map((key) => this.#text(key) + colon + this.value(entryOf(object, key) ?? null, depth + 1)),
      '}',
      depth,
    );
  }

  #block(open: string, members: readonly string[], close: string, depth: number): string {
    if (members.length === 0) return open + close;
    if (this.style.pretty !== true) return open + members.join(',') + close;
    const pad = '  '.repeat(depth);
    return `${open}\n${pad}  ${members.join(`,\n${pad}  `)}\n${pad}${close}`;
  }

  #text(text: string): string {
    if (!this.#unsafe.test(text)) return `"${text}"`;
    const quoted = isBroken(text) ? brokenText(text) : JSON.stringify(text);
    const separated = quoted.replace(/[\u2028\u2029]/g, (char) => (char === '\u2028' ? '\\u2028' : '\\u2029'));
    return this.style.html
      ? separated.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
      : separated;
  }
}

/** Names that Go's field tags give; empty members of these types are left out. */
const TAGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'version.BuildInfo': {
    Version: 'version',
    GitCommit: 'git_commit',
    GitTreeState: 'git_tree_state',
    GoVersion: 'go_version',
    KubeClientVersion: 'kube_client_version',
  },
};

/** Go writes no field whose name begins small. */
function isExported(name: string): boolean {
  return !/^\p{Ll}/u.test(name);
}

/** The members of a struct, or of a value that prints itself and has fields. */
function jsonFields(value: GoTyped): GoObject | undefined {
  const declared = value.type.fields ?? value.type.elem?.fields ?? [];
  if (value instanceof GoStringer && declared.length > 0)
    return Object.fromEntries(declared.map(({ name }) => [name, value.field(name)]));
  if (!(value instanceof GoStruct)) return undefined;
  const tags = TAGS[value.type.name];
  const shown = Object.entries(value.fields).filter(([name]) => isExported(name));
  if (tags === undefined) return Object.fromEntries(shown);
  return Object.fromEntries(
    shown.filter(([, field]) => field !== '').map(([name, field]) => [tags[name] ?? name, field]),
  );
}

/** Wrong bytes are written as the escape of U+FFFD, while a U+FFFD that was in the text stays as it is. */
function brokenText(text: string): string {
  return `"${Array.from(text, (char) => (isBroken(char) ? '\\ufffd' : JSON.stringify(char).slice(1, -1))).join('')}"`;
}

/** Shortest digits; an exponent below 1e-6 and from 1e21 on, as JavaScript has it, but with the sign of zero. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) {
    const infinity = value > 0 ? '+Inf' : '-Inf';
    throw functionError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : infinity}`);
  }
  return Object.is(value, -0) ? '-0' : String(value);
}
