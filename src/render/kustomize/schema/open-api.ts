import { isArray, isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { OPEN_API } from '../data/open-api.gen.js';
import { invalid } from '../fault.js';

/** What is known of a field or a list's elements: how it merges, and what is below it. */
export interface Schema {
  field(name: string): Schema | undefined;
  elements(): Schema | undefined;
  /** Undefined where a patch replaces the list. */
  readonly merge: { readonly keys: readonly string[] } | undefined;
}

interface FieldRow {
  readonly t?: number;
  readonly m?: number;
  readonly a?: number;
  readonly s?: string;
  readonly k?: readonly string[];
}

interface Table {
  readonly version: string;
  readonly kinds: Readonly<Record<string, number>>;
  readonly types: readonly Readonly<Record<string, FieldRow>>[];
  readonly clusterScoped: readonly string[];
  readonly namespaced: readonly string[];
}

let table: Table | undefined;
let scopes: ReadonlyMap<string, boolean> | undefined;

function builtIn(): Table {
  table ??= JSON.parse(OPEN_API) as Table;
  return table;
}

/** Whether a kind is namespaced, for those that Kubernetes itself has. */
function builtInScopes(): ReadonlyMap<string, boolean> {
  const { clusterScoped, namespaced } = builtIn();
  scopes ??= new Map([
    ...clusterScoped.map((key) => [key, false] as const),
    ...namespaced.map((key) => [key, true] as const),
  ]);
  return scopes;
}

function isMerge(strategy: string): boolean {
  return strategy.split(',').includes('merge');
}

/** An object below which no list merges, as far as anyone knows. */
const OPAQUE: Schema = { field: () => OPAQUE, elements: () => OPAQUE, merge: undefined };

function typeSchema(type: number): Schema {
  const row = builtIn().types[type];
  if (type === 0 || row === undefined) return OPAQUE;
  return {
    field: (name) => (Object.hasOwn(row, name) ? rowSchema(row[name] ?? {}) : undefined),
    elements: () => undefined,
    merge: undefined,
  };
}

function rowSchema(row: FieldRow): Schema {
  if (row.t !== undefined) return typeSchema(row.t);
  const below = (type: number): Schema => typeSchema(type);
  const { m, a, s = '', k = [] } = row;
  return {
    field: () => (m === undefined ? undefined : below(m)),
    elements: () => (a === undefined ? undefined : below(a)),
    merge: isMerge(s) ? { keys: k } : undefined,
  };
}

/**
 * The schemas of one build. A kustomization may bring its own document; then the built-in one counts only if it was
 * needed before: Kustomize keeps what it has read for as long as it runs.
 */
export class OpenApi {
  #definitions: JsonObject = {};
  readonly #kinds = new Map<string, JsonObject>();
  readonly #scopes = new Map<string, boolean>();
  #isSet = false;
  /** Grows when schemas are added. */
  version = 0;
  #hasCustom = false;
  #usesBuiltIn = false;

  /** What the `openapi` field of a kustomization says; the first that says something is heard. */
  use(settings: ReadonlyMap<string, string>, document: string | undefined, isTop: boolean): void {
    if (this.#isSet && !isTop) return;
    const version = settings.get('version') ?? '';
    if (document !== undefined) {
      if (settings.has('version')) throw invalid('builtin version and custom schema provided, cannot use both');
      this.#isSet = true;
      this.#hasCustom = true;
      this.version++;
      this.#read(document);
    } else if (version !== '') {
      if (version !== builtIn().version) throw invalid('the specified OpenAPI version is not built in');
      this.#isSet = true;
    }
  }

  isClusterScoped(apiVersion: string, kind: string): boolean {
    const key = `${apiVersion} ${kind}`;
    const known = builtInScopes().get(key);
    if (known !== undefined) return !known;
    if (!this.#hasCustom) this.#usesBuiltIn = true;
    return this.#scopes.get(key) === false;
  }

  schemaOf(apiVersion: string, kind: string): Schema | undefined {
    const key = `${apiVersion} ${kind}`;
    if (!this.#hasCustom) this.#usesBuiltIn = true;
    const custom = this.#kinds.get(key);
    if (custom !== undefined) return this.#schema(custom);
    const { kinds } = builtIn();
    return this.#usesBuiltIn && Object.hasOwn(kinds, key) ? typeSchema(kinds[key] ?? 0) : undefined;
  }

  #read(document: string): void {
    const swagger = readOneYaml(document, { dialect: 'kubernetes' });
    if (!isObject(swagger)) throw invalid('invalid schema file: it is no mapping');
    if (isObject(swagger.definitions)) this.#definitions = { ...this.#definitions, ...swagger.definitions };
    for (const name of Object.keys(this.#definitions)) {
      const definition = own(this.#definitions, name);
      if (!isObject(definition)) continue;
      const kinds = own(definition, 'x-kubernetes-group-version-kind');
      if (isArray(kinds)) for (const gvk of kinds) if (isObject(gvk)) this.#kinds.set(gvkKey(gvk), definition);
    }
    if (isObject(swagger.paths)) this.#readPaths(swagger.paths);
  }

  #readPaths(paths: JsonObject): void {
    for (const path of Object.keys(paths)) {
      const item = own(paths, path);
      const get = isObject(item) ? item.get : undefined;
      const gvk = isObject(get) ? own(get, 'x-kubernetes-group-version-kind') : undefined;
      if (!isObject(gvk)) continue;
      const key = gvkKey(gvk);
      if (path.includes('namespaces/{namespace}')) this.#scopes.set(key, true);
      else if (!this.#scopes.has(key)) this.#scopes.set(key, false);
    }
  }

  /** Follows references; undefined where one leads nowhere or round in circles. */
  #resolve(schema: Json | undefined): JsonObject | undefined {
    let current = schema;
    for (let steps = 0; steps < 100; steps++) {
      if (!isObject(current)) return undefined;
      const ref = own(current, '$ref');
      if (typeof ref !== 'string' || ref === '') return current;
      current = ref.startsWith('#/definitions/')
        ? own(this.#definitions, ref.slice('#/definitions/'.length))
        : undefined;
    }
    return undefined;
  }

  #schema(raw: Json | undefined): Schema | undefined {
    const schema = this.#resolve(raw);
    if (schema === undefined) return undefined;
    const strategy = own(schema, 'x-kubernetes-patch-strategy');
    return {
      field: (name) => {
        const property = isObject(schema.properties) ? own(schema.properties, name) : undefined;
        const other = isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
        return this.#schema(property ?? other);
      },
      elements: () => (schema.type === 'array' ? this.#schema(schema.items) : undefined),
      merge: typeof strategy === 'string' && isMerge(strategy) ? { keys: mergeKeys(schema) } : undefined,
    };
  }
}

function mergeKeys(schema: JsonObject): string[] {
  const list = own(schema, 'x-kubernetes-list-map-keys');
  if (isArray(list)) return list.filter((key) => typeof key === 'string');
  const key = own(schema, 'x-kubernetes-patch-merge-key');
  return typeof key === 'string' ? [key] : [];
}

function gvkKey(gvk: JsonObject): string {
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  const group = text(gvk.group);
  return `${group === '' ? '' : `${group}/`}${text(gvk.version)} ${text(gvk.kind)}`;
}
