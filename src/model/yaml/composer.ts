import { own, put, isObject, type Json, type JsonArray, type JsonObject } from '../json/index.js';
import { formatFloat } from './go-number.js';
import { CORE, Reader } from './reader.js';
import { resolvePlain, type Resolved, type ScalarKind } from './resolve.js';
import type { Properties } from './properties.js';

/** What the last finished node was; keys and merges need to know more than its value. */
export type NodeKind = ScalarKind | 'merge' | 'map' | 'seq';

interface Anchor {
  readonly value: Json;
  readonly kind: NodeKind;
  readonly raw: string;
}

const RESOLVABLE: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'null', 'timestamp']);

/** Turns what the parsers find into values: scalars by dialect and tag, keys, anchors, merges. */
export class Composer extends Reader {
  kind: NodeKind = 'null';
  /** The source text of the last scalar. */
  raw = '';
  /** The last node was an alias. */
  aliased = false;
  readonly #anchors = new Map<string, Anchor | undefined>();
  #decoded = 0;
  #fromAliases = 0;

  /** Anchors, tag handles and the alias budget belong to one document. */
  startDocument(handles: ReadonlyMap<string, string>): void {
    this.handles = handles;
    this.#anchors.clear();
    this.#decoded = 0;
    this.#fromAliases = 0;
  }

  /** Registers an anchor before its node is read, so that the node can be caught containing itself. */
  open(anchor: string | undefined): void {
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
  }

  close(anchor: string | undefined, value: Json): Json {
    // An inner node may have taken the name over.
    if (anchor !== undefined && this.#anchors.get(anchor) === undefined) {
      this.#anchors.set(anchor, { value, kind: this.kind, raw: this.raw });
    }
    return value;
  }

  alias(name: string, at: number): Json {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) {
      this.fail(
        this.#anchors.has(name) ? `anchor '${name}' value contains itself` : `unknown anchor '${name}' referenced`,
        at,
      );
    }
    this.#decoded++;
    const value = this.#copy(anchor.value, this.depth, at);
    this.kind = anchor.kind;
    this.raw = anchor.raw;
    this.aliased = true;
    return value;
  }

  /**
   * Copies, so that no two places share an object, and counts as Go does, so that a small text cannot grow without end.
   */
  #copy(value: Json, depth: number, at: number): Json {
    this.#decoded++;
    this.#fromAliases++;
    if (
      this.#fromAliases > 100 &&
      this.#decoded > 1000 &&
      this.#fromAliases / this.#decoded > allowedRatio(this.#decoded)
    ) {
      this.fail('document contains excessive aliasing', at);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= this.settings.maxDepth) this.fail(`exceeded max depth of ${this.settings.maxDepth}`, at);
    if (Array.isArray(value)) {
      const items: JsonArray = [];
      for (const item of value) items.push(this.#copy(item, depth + 1, at));
      return items;
    }
    const object: JsonObject = {};
    for (const key of Object.keys(value)) {
      this.#decoded++;
      this.#fromAliases++;
      put(object, key, this.#copy(own(value, key) ?? null, depth + 1, at));
    }
    return object;
  }

  collection<T extends JsonArray | JsonObject>(value: T): T {
    this.#decoded++;
    this.kind = Array.isArray(value) ? 'seq' : 'map';
    this.aliased = false;
    return value;
  }

  /** The value of a scalar without tag. */
  scalar(text: string, plain: boolean): Json {
    this.#decoded++;
    this.raw = text;
    this.aliased = false;
    if (!plain) return this.#string(text, 'str');
    const resolved = resolvePlain(text, this.settings.dialect);
    if (resolved === undefined) return this.#string(text, text === '<<' ? 'merge' : 'str');
    return this.#resolved(resolved);
  }

  /** A scalar with an anchor or a tag. */
  scalarWith(properties: Properties, text: string, plain: boolean): Json {
    this.open(properties.anchor);
    return this.close(properties.anchor, this.#tagged(text, plain, properties));
  }

  #tagged(text: string, plain: boolean, { tag, start }: Properties): Json {
    if (tag === undefined) return this.scalar(text, plain);
    this.#decoded++;
    this.raw = text;
    this.aliased = false;
    const name = tag.startsWith(CORE) ? tag.slice(CORE.length) : '';
    if (text === '<<' && (name === 'merge' || (tag === '!' && (plain || this.settings.dialect === 'kubernetes'))))
      return this.#string(text, 'merge');
    if (tag === '!' && plain && this.settings.dialect === 'kyaml') return this.scalar(text, true);
    if (name === 'binary') return this.#string(this.#binary(text, start), 'str');
    if (!RESOLVABLE.has(name)) return this.#string(text, 'str');
    const resolved = resolvePlain(text, this.settings.dialect, name === 'timestamp') ?? { kind: 'str', value: text };
    if (resolved.kind === name) return this.#resolved(resolved);
    const isInteger =
      typeof resolved.value === 'number' || (typeof resolved.value === 'bigint' && resolved.value < 2n ** 63n);
    if (name === 'float' && isInteger) return this.#resolved({ kind: 'float', value: Number(resolved.value) });
    this.fail(`cannot decode !!${resolved.kind} \`${text}\` as a !!${name}`, start);
  }

  #string(text: string, kind: NodeKind): string {
    this.kind = kind;
    return text;
  }

  #resolved({ kind, value }: Resolved): Json {
    this.kind = kind;
    return value;
  }

  #binary(text: string, at: number): string {
    const base64 = text.replace(/[\r\n]/g, '');
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) {
      this.fail('!!binary value contains invalid base64 data', at);
    }
    return Buffer.from(base64, 'base64').toString('utf8');
  }

  /** A value that JSON can hold: the infinities and NaN are YAML only, and -0 is 0. */
  finite(value: Json, at: number): Json {
    if (typeof value !== 'number') return value;
    if (!Number.isFinite(value)) this.fail(`json: unsupported value: ${formatNonFinite(value)}`, at);
    return value === 0 ? 0 : value;
  }

  /** The last node as the key of a JSON object. */
  keyOf(value: Json, at: number): string {
    if (typeof value === 'string' && this.kind !== 'timestamp') return value;
    if (this.kind === 'map' || this.kind === 'seq')
      this.fail('invalid map key: a mapping or a list cannot be a key', at);
    if (this.settings.dialect === 'kyaml') {
      // Kustomize decodes the outermost mapping into string keys; deeper ones it cannot turn into JSON.
      if (this.depth === 1 && value !== null) return this.raw;
      this.fail(`json: unsupported type: map[interface {}]interface {}: key ${this.raw} is not a string; quote it`, at);
    }
    if (typeof value === 'string') return value;
    if (typeof value === 'object') this.fail('unsupported map key of type: null; quote it', at);
    if (typeof value === 'bigint' && value >= 2n ** 63n) this.fail('unsupported map key of type: uint64; quote it', at);
    return this.kind === 'float' && typeof value === 'number' ? formatFloat(value, 32) : value.toString();
  }

  /** The mappings that a `<<` names, nearest first. */
  merges(value: Json, at: number): JsonObject[] {
    if (isObject(value)) return [value];
    if (!Array.isArray(value) || this.aliased) this.#wantMap(at);
    return value.map((item) => (isObject(item) ? item : this.#wantMap(at)));
  }

  #wantMap(at: number): never {
    this.fail('map merge requires map or sequence of maps as the value', at);
  }
}

/** Of up to 400,000 nodes 99% may come from aliases; of 4,000,000 and more, 10%. */
function allowedRatio(decoded: number): number {
  if (decoded <= 400_000) return 0.99;
  return decoded >= 4_000_000 ? 0.1 : 0.99 - 0.89 * ((decoded - 400_000) / 3_600_000);
}

function formatNonFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
