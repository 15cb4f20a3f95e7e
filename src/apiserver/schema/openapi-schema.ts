import { put, type Json, type JsonObject } from '../../model/json/index.js';
import { typeTable, type NodeRow, type TypeTable } from './table.js';

export const REF_PREFIX = '#/components/schemas/';

const SCALARS: Readonly<Record<string, JsonObject>> = {
  s: { type: 'string' },
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  d: { type: 'number', format: 'double' },
  b: { type: 'boolean' },
  y: { type: 'string', format: 'byte' },
};

/** The OpenAPI name of a built-in kind: `apps/v1 Deployment` -> `io.k8s.api.apps.v1.Deployment`. */
export function openApiName(group: string, version: string, kind: string): string | undefined {
  const { kinds, names } = typeTable();
  const own = `${group}/${version}/${kind}`;
  const key = Object.hasOwn(kinds, own) ? own : `meta/${kind}`;
  return Object.hasOwn(kinds, key) ? names[kinds[key] ?? -1] : undefined;
}

/** The OpenAPI v3 schemas of the built-in types named, and of all they refer to, by name. */
export function openApiSchemas(wanted: Iterable<string>): Map<string, JsonObject> {
  const table = typeTable();
  const positions = new Map(table.names.map((name, index) => [name, index]));
  const found = new Map<string, JsonObject>();
  const waiting = [...wanted];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const position = positions.get(name);
    if (position === undefined || found.has(name)) continue;
    found.set(name, describeType(table, position, waiting));
  }
  return found;
}

function describeType(table: TypeTable, position: number, waiting: string[]): JsonObject {
  const { p, x } = table.types[position] ?? {};
  if (p === undefined) return { ...x };
  const properties: JsonObject = {};
  for (const [name, node] of Object.entries(p)) put(properties, name, describeNode(table, node, waiting));
  return { type: 'object', ...(Object.keys(p).length > 0 && { properties }), ...x };
}

function describeNode(table: TypeTable, index: number, waiting: string[]): JsonObject {
  const row = table.nodes[index];
  if (row === undefined) throw new RangeError(`schema table: no node ${index}`);
  return { ...shape(table, row, waiting), ...attributes(row) };
}

function shape(table: TypeTable, row: NodeRow, waiting: string[]): JsonObject {
  if (row.r !== undefined) {
    const name = table.names[row.r] ?? '';
    waiting.push(name);
    const ref: JsonObject = { $ref: REF_PREFIX + name };
    return row.a === 1 ? { allOf: [ref] } : ref;
  }
  if (row.k === 'L') return { type: 'array', items: describeNode(table, row.o ?? -1, waiting) };
  if (row.k === 'M') return { type: 'object', additionalProperties: describeNode(table, row.o ?? -1, waiting) };
  return { ...SCALARS[row.k] };
}

function attributes(row: NodeRow): JsonObject {
  const out: JsonObject = {};
  if (row.d !== undefined) out.default = row.d;
  if (row.e !== undefined) out.enum = row.e as Json;
  if (row.lt !== undefined) out['x-kubernetes-list-type'] = row.lt;
  if (row.lk !== undefined) out['x-kubernetes-list-map-keys'] = row.lk as Json;
  if (row.mt !== undefined) out['x-kubernetes-map-type'] = row.mt;
  if (row.ps !== undefined) out['x-kubernetes-patch-strategy'] = row.ps;
  if (row.pk !== undefined) out['x-kubernetes-patch-merge-key'] = row.pk;
  return out;
}
