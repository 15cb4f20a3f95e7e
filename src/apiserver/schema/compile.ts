import type { GoFacts, GroupVersionKind, Schema } from '../../model/kubernetes/index.js';
import { typeTable, type NodeRow, type TypeTable } from './table.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const SCALARS = {
  s: { go: 'string', shape: { type: 'string' } },
  i: { go: 'int32', shape: { type: 'integer', format: 'int32' } },
  l: { go: 'int64', shape: { type: 'integer', format: 'int64' } },
  d: { go: 'float64', shape: { type: 'number', format: 'double' } },
  b: { go: 'bool', shape: { type: 'boolean' } },
  y: { go: '[]uint8', shape: { type: 'string', format: 'byte' } },
} as const;

/** The types that read their JSON themselves, by the end of their OpenAPI name, and their schema for other code. */
const READERS: Readonly<Record<string, { readonly reads: NonNullable<GoFacts['reads']>; readonly schema: Schema }>> = {
  'resource.Quantity': { reads: 'quantity', schema: { type: 'string' } },
  'v1.Time': { reads: 'time', schema: { type: 'string', format: 'date-time' } },
  'v1.MicroTime': { reads: 'microTime', schema: { type: 'string', format: 'date-time' } },
  'intstr.IntOrString': { reads: 'intOrString', schema: { intOrString: true } },
  'runtime.RawExtension': { reads: 'rawExtension', schema: { type: 'object', preserveUnknownFields: true } },
  'v1.FieldsV1': { reads: 'fields', schema: { type: 'object', preserveUnknownFields: true } },
  'v1.JSON': { reads: 'json', schema: { preserveUnknownFields: true } },
  'v1.JSONSchemaPropsOrBool': { reads: 'schemaOrBool', schema: { preserveUnknownFields: true } },
  'v1.JSONSchemaPropsOrArray': { reads: 'schemaOrArray', schema: { preserveUnknownFields: true } },
  'v1.JSONSchemaPropsOrStringArray': { reads: 'schemaOrStrings', schema: { preserveUnknownFields: true } },
};

/** Makes Schema nodes from the table, each once, when first asked for. */
const OMITS = { '': 'never', e: 'empty', z: 'zero' } as const;

class Compiler {
  readonly #types: (Schema | undefined)[] = [];
  readonly #nodes: (Schema | undefined)[] = [];

  readonly #kinds: ReadonlySet<number>;

  constructor(readonly table: TypeTable) {
    this.#kinds = new Set(Object.values(table.kinds));
  }

  /** A struct type by its position. Registered before its fields are made, because types refer to themselves. */
  type(index: number): Schema {
    const known = this.#types[index];
    if (known !== undefined) return known;
    const properties = new Map<string, Schema>();
    const row = this.table.types[index];
    const schema: Writable<Schema> = {
      type: 'object',
      properties,
      go: { type: shortName(this.table.names[index] ?? ''), pointer: false, omit: 'never' },
    };
    if (Array.isArray(row?.x?.required)) schema.required = row.x.required as string[];
    if (row?.x?.['x-kubernetes-map-type'] === 'atomic') schema.mapType = 'atomic';
    this.#types[index] = schema;
    for (const [name, node] of Object.entries(row?.p ?? {})) properties.set(name, this.node(node));
    return schema;
  }

  node(index: number): Schema {
    const known = this.#nodes[index];
    if (known !== undefined) return known;
    const row = this.table.nodes[index];
    if (row === undefined) throw new RangeError(`schema table: no node ${index}`);
    const schema: Writable<Schema> = {};
    this.#nodes[index] = schema;
    const reads = this.#shape(schema, row);
    const inner = row.k === 'S' && this.#kinds.has(row.r ?? -1);
    schema.go = {
      type: this.#goType(row),
      pointer: row.p === 1,
      omit: OMITS[row.m ?? ''],
      ...(inner && { inner }),
      ...(reads && { reads }),
    };
    if (row.d !== undefined) schema.default = row.d;
    if (row.e !== undefined) schema.enum = row.e;
    if (row.lt !== undefined) schema.listType = row.lt;
    if (row.lk !== undefined) schema.listMapKeys = row.lk;
    if (row.mt !== undefined) schema.mapType = row.mt;
    if (row.ps !== undefined) schema.patchStrategy = row.ps.split(',') as NonNullable<Schema['patchStrategy']>;
    if (row.pk !== undefined) schema.patchMergeKey = row.pk;
    return schema;
  }

  /** Fills in type, properties, items; returns how the type reads its JSON, if it does that itself. */
  #shape(schema: Writable<Schema>, row: NodeRow): GoFacts['reads'] {
    switch (row.k) {
      case 'S':
        Object.assign(schema, this.type(row.r ?? -1));
        return undefined;
      case 'L':
        Object.assign(schema, { type: 'array', items: this.node(row.o ?? -1) });
        return undefined;
      case 'M':
        Object.assign(schema, { type: 'object', additionalProperties: this.node(row.o ?? -1) });
        return undefined;
      case 'C': {
        const reader = READERS[this.#goType(row)];
        if (reader === undefined) throw new RangeError(`schema table: no reader for ${this.#goType(row)}`);
        Object.assign(schema, reader.schema);
        return reader.reads;
      }
      default:
        Object.assign(schema, SCALARS[row.k].shape);
        return row.k === 'y' ? 'bytes' : undefined;
    }
  }

  /** From the table alone: while a recursive type is being made, its schema has no name yet. */
  #goType(row: NodeRow): string {
    if (row.g !== undefined) return row.g;
    if (row.k === 'S' || row.k === 'C') return shortName(this.table.names[row.r ?? -1] ?? '');
    if (row.k !== 'L' && row.k !== 'M') return SCALARS[row.k].go;
    const element = this.table.nodes[row.o ?? -1];
    const name = element === undefined ? '' : (element.p === 1 ? '*' : '') + this.#goType(element);
    return row.k === 'L' ? `[]${name}` : `map[string]${name}`;
  }
}

/** `io.k8s.api.core.v1.Pod` -> `v1.Pod`, which is how Go prints the type. */
function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
}

let compiler: Compiler | undefined;

/** The schema of a built-in kind, also of those that are no resource (Scale, Eviction, DeleteOptions, ...). */
export function builtinSchema(group: string, version: string, kind: string): Schema | undefined {
  compiler ??= new Compiler(typeTable());
  const index = kindPosition({ group, version, kind });
  return index === undefined ? undefined : compiler.type(index);
}

/** The position of a kind's type in the table; kinds that every group has are found in any. */
export function kindPosition({ group, version, kind }: GroupVersionKind): number | undefined {
  const { kinds } = typeTable();
  const own = `${group}/${version}/${kind}`;
  const key = Object.hasOwn(kinds, own) ? own : `meta/${kind}`;
  return Object.hasOwn(kinds, key) ? kinds[key] : undefined;
}

/** True for the kinds of served groups, and for those that every group has. */
export function isBuiltinKind({ group, version, kind }: GroupVersionKind): boolean {
  const { kinds } = typeTable();
  if (Object.hasOwn(kinds, `${group}/${version}/${kind}`)) return true;
  return (
    Object.hasOwn(kinds, `meta/${kind}`) &&
    (group === 'meta.k8s.io' || Object.keys(kinds).some((key) => key.startsWith(`${group}/${version}/`)))
  );
}

/** The metadata of every object, custom ones included. */
export function objectMetaSchema(): Schema {
  return namedSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
}

/** The schema of a built-in type that is no kind, by its OpenAPI name. */
export function namedSchema(name: string): Schema {
  compiler ??= new Compiler(typeTable());
  return compiler.type(compiler.table.names.indexOf(name));
}
