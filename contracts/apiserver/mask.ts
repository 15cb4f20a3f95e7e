import { drop, isObject, own, put, type Json, type JsonObject } from '../../src/model/json/index.js';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/;
const DAY = 86_400_000;
/** Resource versions inside messages, each with the words before it. */
const VERSIONS_IN_TEXT = [
  /(ResourceVersion in object meta: )\d+/g,
  /(ResourceVersion in precondition: )\d{2,}/g,
  /(, current: )\d+/g,
  /(too old resource version: \d+ )\(\d+\)/g,
  /(ResourceVersion in record )\(\d+\)/g,
];

/** A value that gets its number later, when it is known that a step shows it. */
const TOKEN = /\u0001(uid|version) ([^\u0001]*)\u0001/g;
const token = (word: 'uid' | 'version', value: string): string => `\u0001${word} ${value}\u0001`;

/**
 * Replaces what differs from run to run, and only that: the same uid, resource version or generated name gets the same
 * mask within a case, so that "unchanged" and "same owner" stay checked. Two passes: `value` marks, `number` numbers
 * what is left after a step has picked the parts it looks at.
 */
export class Mask {
  readonly #numbers = { uid: new Map<string, number>(), version: new Map<string, number>() };
  readonly #names = new Map<string, string>();

  constructor(
    private readonly namespace: string,
    private readonly host: string,
  ) {}

  /** The same knowledge so far; what one copy learns the other does not know. */
  copy(): Mask {
    const other = new Mask(this.namespace, this.host);
    for (const word of ['uid', 'version'] as const) {
      for (const [value, number] of this.#numbers[word]) other.#numbers[word].set(value, number);
    }
    for (const [name, mask] of this.#names) other.#names.set(name, mask);
    return other;
  }

  /** A response body or an event. */
  value(value: Json): Json {
    this.#learn(value);
    return this.#visit(value, '');
  }

  /** Gives marked values their numbers, in the order of sorted keys. */
  number<T extends Json>(value: T): T {
    if (typeof value === 'string')
      return value.replace(TOKEN, (_, word: 'uid' | 'version', raw: string) => this.#numbered(word, raw)) as T;
    if (Array.isArray(value)) return value.map((item) => this.number(item)) as T;
    if (!isObject(value)) return value;
    const result: JsonObject = {};
    for (const key of Object.keys(value)) put(result, this.number(key), this.number(own(value, key) ?? null));
    return result as T;
  }

  #numbered(word: 'uid' | 'version', raw: string): string {
    const known = this.#numbers[word];
    const number = known.get(raw) ?? known.size + 1;
    known.set(raw, number);
    return `<${word} ${number}>`;
  }

  text(text: string): string {
    let masked = text.replaceAll(this.namespace, '$NS').replaceAll(this.host, '<host>');
    for (const [name, mask] of this.#names) masked = masked.replaceAll(name, mask);
    masked = masked.replace(UID, (uid) => token('uid', uid));
    for (const pattern of VERSIONS_IN_TEXT) masked = masked.replace(pattern, '$1<version>');
    // The rest of the message shows Go structs line by line.
    masked = masked.replace(/\n@@ -[^]*$/, '\n<diff>');
    // A patch that does not fit is quoted whole, in the field order of Go's structs.
    masked = masked.replace(/Invalid value: "\{\\"apiVersion.*\}": /g, 'Invalid value: "<object>": ');
    masked = masked.replace(/\?hash=[0-9A-F]+/g, '?hash=<hash>');
    return masked.replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>');
  }

  /** Finds generated names first: they also stand in messages and in objects that come before their owner. */
  #learn(value: Json): void {
    if (Array.isArray(value)) for (const item of value) this.#learn(item);
    if (!isObject(value)) return;
    const { generateName, name } = value;
    if (
      typeof generateName === 'string' &&
      typeof name === 'string' &&
      name.startsWith(generateName.slice(0, 58)) &&
      name.length >= 5 + Math.min(58, generateName.length)
    ) {
      this.#names.set(name, `${name.slice(0, -5)}<random>`.replaceAll(this.namespace, '$NS'));
    }
    for (const key of Object.keys(value)) this.#learn(own(value, key) ?? null);
  }

  #visit(value: Json, key: string): Json {
    if (Array.isArray(value)) {
      // These come in an order that depends on the second of the clock or on chance.
      if (key === 'managedFields') return value.map((entry) => this.#manager(entry)).sort();
      const items = value.map((item) => this.#visit(item, key));
      const isShuffled =
        key === 'resourceRules' || key === 'nonResourceRules' || (key === 'causes' && items.every(isApplyConflict));
      return isShuffled ? items.sort(byText) : items;
    }
    if (isObject(value)) return this.#object(value);
    if (key === 'nodePort' || key === 'healthCheckNodePort') return '<port>';
    // YAML numbers are doubles, so a case writes an integer beyond them as text.
    if (typeof value === 'bigint') return `${value}n`;
    return typeof value === 'string' ? this.#string(value, key) : value;
  }

  #object(value: JsonObject): JsonObject {
    const masked: JsonObject = {};
    // Sorted, so that numbering does not depend on the order in which a server writes its fields.
    for (const key of Object.keys(value).sort()) put(masked, this.text(key), this.#visit(own(value, key) ?? null, key));
    if (isObject(masked.metadata) && !isOne(value)) masked.metadata = withoutVersion(masked.metadata);
    if (value.kind === 'Table') maskTable(masked);
    if (typeof value.groupVersion === 'string' && value.groupVersion.startsWith(this.namespace))
      maskHashes(masked.resources);
    if (value.type === 'BOOKMARK' && own(value, 'object') !== undefined) masked.object = onlyMetadata(masked.object);
    return masked;
  }

  #string(value: string, key: string): string {
    if (key === 'resourceVersion') return /^[1-9]\d*$/.test(value) ? token('version', value) : value;
    if (key === 'continue' && value !== '') return '<continue>';
    if (TIME.test(value)) {
      if (Math.abs(Date.parse(value) - Date.now()) >= DAY) return value;
      return value.includes('.') ? '<microtime>' : '<time>';
    }
    if (/^10(\.\d+){3}$/.test(value)) return '<ip>';
    if (/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) return '<token>';
    return this.text(value);
  }

  /** One line per manager keeps case files readable; nothing but the time is lost. */
  #manager(entry: Json): string {
    if (!isObject(entry)) return JSON.stringify(entry);
    const { manager, operation, apiVersion, subresource, fieldsType, fieldsV1 } = entry;
    const odd = [
      fieldsType === 'FieldsV1' ? '' : '<no fieldsType>',
      own(entry, 'time') === undefined ? '<no time>' : '',
    ];
    const words = [manager, operation, apiVersion, subresource, ...odd].filter(
      (word): word is string => typeof word === 'string' && word !== '',
    );
    const head = words.map((word) => this.text(word));
    return `${head.join(' ')} ${this.text(JSON.stringify(sorted(fieldsV1 ?? null)))}`;
  }
}

function isApplyConflict(cause: Json): boolean {
  return isObject(cause) && cause.reason === 'FieldManagerConflict';
}

function byText(a: Json, b: Json): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** The version of a list or a bookmark depends on everything else that happens on the server. */
function isOne(value: JsonObject): boolean {
  const isBookmark = isObject(value.metadata) && value.metadata.name === undefined && value.metadata.uid === undefined;
  return !isBookmark;
}

function withoutVersion(metadata: JsonObject): JsonObject {
  return typeof metadata.resourceVersion === 'string' && metadata.resourceVersion.includes('version ')
    ? { ...metadata, resourceVersion: '<version>' }
    : metadata;
}

/** Ages differ by a second; descriptions are documentation texts, which we do not copy. */
function maskTable(table: JsonObject): void {
  for (const column of Array.isArray(table.columnDefinitions) ? table.columnDefinitions : []) {
    if (isObject(column)) drop(column, 'description');
  }
  for (const row of Array.isArray(table.rows) ? table.rows : []) {
    if (!isObject(row) || !Array.isArray(row.cells)) continue;
    row.cells = row.cells.map((cell) => (typeof cell === 'string' ? cell.replace(/^\d+s( ago)?$/, '<age>$1') : cell));
  }
}

/** The hash is over the group, which here is another one in each run. */
function maskHashes(resources: Json | undefined): void {
  for (const resource of Array.isArray(resources) ? resources : []) {
    if (isObject(resource) && resource.storageVersionHash !== undefined) resource.storageVersionHash = '<hash>';
  }
}

/** Go writes a bookmark with the empty values of every required field of its kind; only the metadata says something. */
function onlyMetadata(bookmark: Json | undefined): Json {
  if (!isObject(bookmark)) return bookmark ?? null;
  const { apiVersion, kind, metadata } = bookmark;
  return { apiVersion, kind, metadata };
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value).sort()) put(copy, key, sorted(own(value, key) ?? null));
  return copy;
}
