import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { SchemaError, type Draft } from './schema.js';

/** A part of a document that has an address of its own, and the names inside it. */
interface Resource {
  readonly address: string;
  readonly pointer: string;
  readonly draft: Draft;
  readonly anchors: Map<string, string>;
  readonly dynamicAnchors: Set<string>;
}

const ROOT = 'file:///values.schema.json';
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS = ['definitions', '$defs', 'properties', 'patternProperties', 'dependencies', 'dependentSchemas'];
const SINGLES = [
  'not',
  'additionalProperties',
  'items',
  'additionalItems',
  'propertyNames',
  'contains',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
];

/** Where the schemas of a document are, and where its references lead. */
export class SchemaDocument {
  readonly #document: Json;
  readonly #resources = new Map<string, Resource>();

  constructor(document: Json) {
    this.#document = document;
    this.#collect(document);
  }

  /** The nearest resource around a place. */
  resourceAt(pointer: string): Resource {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const found = this.#resources.get(at);
      if (found !== undefined) return found;
      if (at === '') throw new SchemaError('the schema has no root');
    }
  }

  valueAt(pointer: string): Json {
    let value: Json | undefined = this.#document;
    for (const token of pointer.split('/').slice(1)) {
      const name = unescape(token);
      if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
      else value = isObject(value) ? own(value, name) : undefined;
    }
    if (value === undefined) throw new SchemaError(`json-pointer in "${ROOT}#${pointer}" not found`);
    return value;
  }

  /** The place a reference leads to; undefined for one to a published metaschema. Other documents are never read. */
  resolve(reference: string, from: string): string | undefined {
    const [address = '', fragment = ''] = splitAt(reference, '#');
    const base = this.resourceAt(from);
    const target = address === '' ? base.address : join(base.address, address);
    const resource =
      target === ROOT ? this.#resources.get('') : [...this.#resources.values()].find((one) => one.address === target);
    if (resource === undefined) {
      if (draftOf(target) !== undefined) return undefined;
      throw new SchemaError(
        `failing loading "${target}": references to other documents are not followed; put the definitions ` +
          'into values.schema.json',
      );
    }
    const name = decode(fragment);
    if (name === '' || name.startsWith('/')) return resource.pointer + name;
    const anchor = resource.anchors.get(name);
    if (anchor === undefined) throw new SchemaError(`anchor in "${target}#${fragment}" not found in schema "${ROOT}"`);
    return anchor;
  }

  #collect(document: Json): void {
    const open: { readonly schema: Json; readonly pointer: string; readonly address: string; readonly draft: Draft }[] =
      [{ schema: document, pointer: '', address: ROOT, draft: 2020 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { schema, pointer } = next;
      let { address, draft } = next;
      if (!isObject(schema)) {
        if (pointer === '')
          this.#resources.set('', { address, pointer, draft, anchors: new Map(), dynamicAnchors: new Set() });
        continue;
      }
      const id = idOf(schema, declaredDraft(schema) ?? draft);
      if (pointer === '' || id !== '') {
        draft = declaredDraft(schema) ?? draft;
        address = id === '' ? address : join(address, id);
        this.#addResource({ address, pointer, draft, anchors: new Map(), dynamicAnchors: new Set() });
      }
      this.#collectAnchors(schema, pointer, draft);
      for (const child of childrenOf(schema, pointer)) open.push({ ...child, address, draft });
    }
  }

  #addResource(resource: Resource): void {
    for (const other of this.#resources.values()) {
      if (other.address === resource.address)
        throw new SchemaError(
          `duplicate id "${resource.address}" in "${ROOT}" at "${other.pointer}" and "${resource.pointer}"`,
        );
    }
    this.#resources.set(resource.pointer, resource);
  }

  #collectAnchors(schema: JsonObject, pointer: string, draft: Draft): void {
    const resource = this.resourceAt(pointer);
    const add = (name: Json | undefined): void => {
      if (typeof name !== 'string' || name === '') return;
      const other = resource.anchors.get(name);
      if (other !== undefined && other !== pointer)
        throw new SchemaError(`duplicate anchor "${name}" in "${ROOT}" at "${other}" and "${pointer}"`);
      resource.anchors.set(name, pointer);
    };
    if (draft < 2019) {
      const id = own(schema, draft === 4 ? 'id' : '$id');
      const fragment = typeof id === 'string' && !Object.hasOwn(schema, '$ref') ? (splitAt(id, '#')[1] ?? '') : '';
      if (!fragment.startsWith('/')) add(decode(fragment));
      return;
    }
    add(own(schema, '$anchor'));
    const dynamic = own(schema, '$dynamicAnchor');
    if (draft < 2020 || typeof dynamic !== 'string') return;
    add(dynamic);
    resource.dynamicAnchors.add(dynamic);
  }
}

export function* childrenOf(
  schema: JsonObject,
  pointer: string,
): Generator<{ readonly schema: Json; readonly pointer: string }> {
  const below = (...tokens: string[]): string => pointer + tokens.map((token) => `/${escape(token)}`).join('');
  for (const keyword of SINGLES) {
    const value = own(schema, keyword);
    if (isObject(value) || typeof value === 'boolean') yield { schema: value, pointer: below(keyword) };
  }
  for (const keyword of LISTS) {
    const value = own(schema, keyword);
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) yield { schema: item, pointer: below(keyword, String(index)) };
  }
  for (const keyword of MAPS) {
    const value = own(schema, keyword);
    if (!isObject(value)) continue;
    for (const key of Object.keys(value)) {
      const one = own(value, key) ?? null;
      // A dependency may be a list of names instead.
      if (keyword !== 'dependencies' || !Array.isArray(one)) yield { schema: one, pointer: below(keyword, key) };
    }
  }
}

function idOf(schema: JsonObject, draft: Draft): string {
  if (draft < 2019 && Object.hasOwn(schema, '$ref')) return '';
  const id = own(schema, draft === 4 ? 'id' : '$id');
  return typeof id === 'string' ? (splitAt(id, '#')[0] ?? '') : '';
}

function declaredDraft(schema: JsonObject): Draft | undefined {
  const declared = own(schema, '$schema');
  if (typeof declared !== 'string') return undefined;
  const draft = draftOf(declared);
  if (draft === undefined)
    throw new SchemaError(
      `failing loading "${splitAt(declared, '#')[0] ?? ''}": other metaschemas are not followed; name a ` +
        'draft of json-schema.org',
    );
  return draft;
}

function draftOf(address: string): Draft | undefined {
  const found = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12|2019-09)|draft-0([467]))\/schema#?$/.exec(address);
  if (found === null) return /^https?:\/\/json-schema\.org\/schema#?$/.test(address) ? 2020 : undefined;
  return Number((found[1] ?? found[2] ?? '').slice(0, 4)) as Draft;
}

function join(base: string, reference: string): string {
  const joined = URL.canParse(reference, base) ? new URL(reference, base).href : reference;
  return splitAt(joined, '#')[0] ?? '';
}

function splitAt(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) throw new SchemaError(`invalid json-pointer "${ROOT}#${fragment}"`);
    throw error;
  }
}

export function escape(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
