import { isArray, type Json } from '../../model/json/index.js';
import type { Schema } from '../../model/kubernetes/index.js';
import { OBJECT_META } from './object-meta.js';

export type ScalarShape = 'numeric' | 'string' | 'boolean' | 'untyped';

/** What server-side apply needs of a schema: which forms a value may have, and how each is owned and merged. */
export interface Shape {
  readonly scalar: ScalarShape | undefined;
  readonly list: ListShape | undefined;
  readonly map: MapShape | undefined;
}

export interface ListShape {
  readonly kind: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  /** Values that stand in for a key field that an item leaves out. */
  readonly keyDefaults: ReadonlyMap<string, Json>;
  readonly item: Shape;
}

export interface MapShape {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Shape>;
  /** Shape of names that are no declared field; undefined where none are allowed. */
  readonly other: Shape | undefined;
}

type Draft<T> = { -readonly [K in keyof T]: T[K] };

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

function untypedMap(other: Shape | undefined, atomic: boolean): MapShape {
  return { atomic, fields: NONE, other };
}

/** A value without schema that is owned as a whole. */
export const UNTYPED: Shape = ((): Shape => {
  const shape: Draft<Shape> = { scalar: 'untyped', list: undefined, map: undefined };
  shape.list = { kind: 'atomic', keys: [], keyDefaults: NONE, item: shape };
  shape.map = untypedMap(shape, true);
  return shape;
})();

/** A value without schema whose maps are owned key by key, whose lists are owned as a whole. */
export const DEDUCED: Shape = ((): Shape => {
  const shape: Draft<Shape> = { scalar: 'untyped', list: UNTYPED.list, map: undefined };
  shape.map = untypedMap(shape, false);
  return shape;
})();

const ROOTS = new WeakMap<Schema, Shape>();

/** Schemas already begun; the graph may be cyclic. Types of built-in kinds are shared by all kinds that use them. */
type ShapeCache = Pick<WeakMap<Schema, Shape>, 'get' | 'set'>;
const BUILT_IN: ShapeCache = new WeakMap<Schema, Shape>();

/** The shape of a kind's root schema; computed once per schema. A custom resource's says nothing of its metadata. */
export function shapeOf(schema: Schema): Shape {
  let shape = ROOTS.get(schema);
  if (shape === undefined) {
    shape =
      schema.go === undefined
        ? shapeAt({ ...schema, type: 'object', embeddedResource: true }, new WeakMap(), false)
        : shapeAt(schema, BUILT_IN, false);
    ROOTS.set(schema, shape);
  }
  return shape;
}

function shapeAt(schema: Schema, begun: ShapeCache, inherited: boolean): Shape {
  const known = begun.get(schema);
  if (known !== undefined) return known;
  if (schema.go?.reads === 'rawExtension') return UNTYPED;
  const preserve = inherited || (schema.preserveUnknownFields === true && schema.go === undefined);
  const shape: Draft<Shape> = { scalar: undefined, list: undefined, map: undefined };
  begun.set(schema, shape);
  const type = schema.intOrString === true ? undefined : schema.type;
  switch (type) {
    case 'object':
      shape.map = mapShape(schema, begun, preserve);
      break;
    case 'array':
      shape.list = listShape(schema, begun, preserve);
      break;
    case undefined:
      shape.scalar = 'untyped';
      shape.list = listShape(schema, begun, preserve);
      shape.map = mapShape(schema, begun, preserve);
      break;
    default:
      shape.scalar = schema.go?.reads === 'quantity' ? 'untyped' : scalarShape(type, schema.format);
  }
  return shape;
}

function scalarShape(type: 'string' | 'integer' | 'number' | 'boolean', format: string | undefined): ScalarShape {
  if (type === 'boolean') return 'boolean';
  if (type !== 'string') return 'numeric';
  return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
}

function listShape(schema: Schema, begun: ShapeCache, preserve: boolean): ListShape {
  const item = schema.items === undefined ? UNTYPED : shapeAt(schema.items, begun, preserve);
  const keys = listKeys(schema);
  if (keys === undefined) return { kind: 'atomic', keys: [], keyDefaults: NONE, item };
  const keyDefaults = new Map<string, Json>();
  for (const key of keys) {
    const fallback = schema.items?.properties?.get(key)?.default;
    if (fallback !== undefined) keyDefaults.set(key, fallback);
  }
  return { kind: keys.length === 0 ? 'set' : 'map', keys, keyDefaults, item };
}

/** Key fields of a list map, none for a set, undefined for a list owned as a whole. */
function listKeys(schema: Schema): readonly string[] | undefined {
  if (schema.listType !== undefined) {
    if (schema.listType === 'atomic') return undefined;
    return schema.listType === 'map' ? (schema.listMapKeys ?? []) : [];
  }
  if (schema.patchStrategy?.includes('merge') !== true) return undefined;
  return schema.patchMergeKey === undefined ? [] : [schema.patchMergeKey];
}

function mapShape(schema: Schema, begun: ShapeCache, preserve: boolean): MapShape {
  const properties = schema.embeddedResource === true ? withTypeMeta(schema.properties) : schema.properties;
  const fields = new Map<string, Shape>();
  for (const [name, property] of properties ?? [])
    fields.set(name, shapeAt(property, begun, preserve && property !== OBJECT_META));
  return { atomic: schema.mapType === 'atomic', fields, other: otherShape(schema, begun, preserve, fields.size) };
}

function otherShape(schema: Schema, begun: ShapeCache, preserve: boolean, declared: number): Shape | undefined {
  if (isSchema(schema.additionalProperties)) return shapeAt(schema.additionalProperties, begun, preserve);
  if (schema.additionalProperties === true) return DEDUCED;
  if (schema.additionalProperties === false) return undefined;
  return preserve || declared === 0 ? DEDUCED : undefined;
}

function isSchema(value: Schema | boolean | undefined): value is Schema {
  return typeof value === 'object';
}

const TEXT: Schema = { type: 'string' };

function withTypeMeta(properties: ReadonlyMap<string, Schema> | undefined): ReadonlyMap<string, Schema> {
  return new Map([...(properties ?? []), ['apiVersion', TEXT], ['kind', TEXT], ['metadata', OBJECT_META]]);
}

export type Form = 'map' | 'scalar' | 'list';

/** Which of its allowed forms a value has. Null, and a value of no allowed form, count as the first form allowed. */
export function formOf(shape: Shape, value: Json | undefined): Form {
  if (value !== undefined && value !== null) {
    if (isArray(value)) {
      if (shape.list !== undefined) return 'list';
    } else if (typeof value === 'object') {
      if (shape.map !== undefined) return 'map';
    } else if (shape.scalar !== undefined) return 'scalar';
  }
  if (shape.map !== undefined) return 'map';
  return shape.scalar !== undefined ? 'scalar' : 'list';
}

/** The shape below a name; undeclared names of a closed map count as values without schema. */
export function fieldShape(map: MapShape, name: string): Shape {
  return map.fields.get(name) ?? map.other ?? DEDUCED;
}
