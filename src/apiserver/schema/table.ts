import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '../../model/json/index.js';

/**
 * The committed table of built-in types (`npm run schema-table` derives it). Types refer to fields, and fields to
 * types, by position; equal fields are stored once.
 */
export interface TypeTable {
  readonly version: string;
  /** `group/version/Kind`, or `meta/Kind` for the kinds that every group has, to a position in `types`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** OpenAPI names, by position. */
  readonly names: readonly string[];
  readonly types: readonly TypeRow[];
  readonly nodes: readonly NodeRow[];
}

interface TypeRow {
  /** Field name to a position in `nodes`; absent where the type reads its JSON itself. */
  readonly p?: Readonly<Record<string, number>>;
  /** Without `p` the whole OpenAPI schema, with it whatever else stands beside the properties. */
  readonly x?: JsonObject;
}

export interface NodeRow {
  /** string, int32, int64, float64 (double), bool, bytes, Struct, List, Map, Custom reader. */
  readonly k: 's' | 'i' | 'l' | 'd' | 'b' | 'y' | 'S' | 'L' | 'M' | 'C';
  /** The type of a struct or custom reader. */
  readonly r?: number;
  /** The element of a list or map. */
  readonly o?: number;
  /** Go type name, where it is not the plain one. */
  readonly g?: string;
  /** Pointer. */
  readonly p?: 1;
  /** Omitted when empty or zero. */
  readonly m?: 'e' | 'z';
  readonly d?: Json;
  readonly e?: readonly string[];
  readonly lt?: 'atomic' | 'set' | 'map';
  readonly lk?: readonly string[];
  readonly mt?: 'atomic' | 'granular';
  readonly ps?: string;
  readonly pk?: string;
  /** OpenAPI writes the reference inside allOf. */
  readonly a?: 1;
}

export interface DiscoveryRow {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly ResourceRow[] }[];
}

export interface ResourceRow {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced?: true;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly name: string;
    readonly group?: string;
    readonly version?: string;
    readonly kind: string;
    readonly verbs: readonly string[];
  }[];
}

/**
 * The protobuf number of one JSON field: 0 where protobuf does not carry it, negative for a list that travels in a
 * message of its own. A list stands for a message that JSON merges into the one around it: its number, then its fields.
 */
export type NumberRow = number | readonly [number, ...NumberRow[]];

function readData(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8'));
}

let types: TypeTable | undefined;
let numbers: readonly (readonly NumberRow[] | 0)[] | undefined;
let discovery: readonly DiscoveryRow[] | undefined;

/** Read from disk on first use. */
export function typeTable(): TypeTable {
  types ??= readData('types.json') as TypeTable;
  return types;
}

/**
 * By position in `types`, in the order of their fields; 0 for types that read themselves. Read from disk on first use.
 */
export function protobufTable(): readonly (readonly NumberRow[] | 0)[] {
  numbers ??= readData('protobuf.json') as (readonly NumberRow[] | 0)[];
  return numbers;
}

/** Groups in the order of their priority, as the real server lists them; the core group first. */
export function discoveryTable(): readonly DiscoveryRow[] {
  discovery ??= readData('discovery.json') as DiscoveryRow[];
  return discovery;
}
