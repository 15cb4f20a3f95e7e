import type { Schema } from '../../model/kubernetes/index.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  listOf,
  mapOf,
  type CelType,
  type ObjectField,
  markListKeys,
} from '../cel/index.js';
import { withTypeAndObjectMeta } from './compile-schema.js';

const RESERVED = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);
const PARTS: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** The name by which CEL text reaches a property, or undefined where no text can. */
function escapeName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(property)) return undefined;
  return property.replace(/__|[-./]/g, (part) => PARTS.get(part) ?? part);
}

/**
 * The CEL type of a schema, or undefined where CEL cannot see the value (no declared type). A resource's root also
 * shows apiVersion, kind, metadata.name and metadata.generateName.
 */
export function celTypeOf(schema: Schema, isResource: boolean, name = 'object'): CelType | undefined {
  if (schema.intOrString === true) return DYN;
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return objectType(isResource ? withTypeAndObjectMeta(schema) : schema, name);
    case 'string':
      return textType(schema.format);
    case 'boolean':
      return BOOL;
    case 'number':
      return DOUBLE;
    case 'integer':
      return INT;
    default:
      return undefined;
  }
}

function textType(format: string | undefined): CelType {
  switch (format) {
    case 'byte':
      return BYTES;
    case 'duration':
      return DURATION;
    case 'date':
    case 'date-time':
      return TIMESTAMP;
    default:
      return STRING;
  }
}

function listType(schema: Schema, name: string): CelType | undefined {
  const items =
    schema.items === undefined
      ? undefined
      : celTypeOf(schema.items, schema.items.embeddedResource === true, `${name}.@idx`);
  if (items === undefined) return undefined;
  const type = listOf(items);
  if (schema.listType === 'set') return markListKeys(type, 'set');
  return schema.listType === 'map' ? markListKeys(type, schema.listMapKeys ?? []) : type;
}

function objectType(schema: Schema, name: string): CelType | undefined {
  const additional = schema.additionalProperties;
  if (typeof additional === 'object') {
    const value = celTypeOf(additional, additional.embeddedResource === true, `${name}.@elem`);
    return value === undefined ? undefined : mapOf(STRING, value);
  }
  const fields = new Map<string, ObjectField>();
  for (const [property, inner] of schema.properties ?? []) {
    const escaped = escapeName(property);
    const type = celTypeOf(inner, inner.embeddedResource === true, `${name}.${property}`);
    if (escaped !== undefined && type !== undefined) fields.set(escaped, { property, type });
  }
  return { kind: 'object', name, fields };
}
