import { readFileSync } from 'node:fs';
import type { Method } from '../route/index.js';

/** A route of one method of a service: the fields in its path by their dotted names, and what the body is. */
export interface RuleRow {
  readonly method: Method;
  readonly path: string;
  /** A field of the message, `*` for all of it; absent where there is no body. */
  readonly body?: string;
}

export interface MethodRow {
  readonly in: string;
  readonly out: string;
  readonly clientStreams?: true;
  readonly serverStreams?: true;
  readonly routes: readonly RuleRow[];
}

/** Number, name in JSON (empty for a message that JSON merges into the one around it), shape, and flags. */
type FieldRow = readonly [number: number, name: string, shape: string, flags?: string];

/** The committed table of Argo CD's API (`npm run grpc-table` derives it). */
interface Table {
  readonly version: string;
  readonly services: Readonly<Record<string, Readonly<Record<string, MethodRow>>>>;
  readonly types: Readonly<Record<string, readonly FieldRow[]>>;
}

/** How a value travels. */
export type WireShape =
  /** string, int32, int64, unsigned, bool, double, float, bytes. */
  | { readonly kind: 's' | 'i' | 'l' | 'u' | 'b' | 'd' | 'f' | 'y' }
  /** A message, or a type that has a JSON form of its own. */
  | { readonly kind: 'S' | 'C'; readonly type: string }
  /** A list, or one that is a message with its elements as number 1. */
  | { readonly kind: 'L' | 'I'; readonly of: WireShape }
  | { readonly kind: 'M'; readonly key: WireShape; readonly of: WireShape };

export interface WireField {
  readonly number: number;
  readonly name: string;
  readonly shape: WireShape;
  /** The decoder of a client fails without it. */
  readonly isRequired: boolean;
  /** Left out of JSON where it is empty. */
  readonly isOmittedWhenEmpty: boolean;
}

export interface MessageType {
  readonly name: string;
  /** By falling number: messages are written from their end. */
  readonly fields: readonly WireField[];
  readonly byNumber: ReadonlyMap<number, WireField>;
}

let table: Table | undefined;
const types = new Map<string, MessageType>();

function theTable(): Table {
  table ??= JSON.parse(readFileSync(new URL('data/argo-cd-api.json', import.meta.url), 'utf8')) as Table;
  return table;
}

export function serviceRows(): Table['services'] {
  return theTable().services;
}

export function messageType(name: string): MessageType {
  const known = types.get(name);
  if (known !== undefined) return known;
  const rows = theTable().types[name];
  if (rows === undefined) throw new RangeError(`the table of messages has no ${name}`);
  const fields = rows
    .map(([number, field, shape, flags = '']) => ({
      number,
      name: field,
      shape: shapeOf(shape),
      isRequired: flags.includes('r'),
      isOmittedWhenEmpty: flags.includes('e') && !flags.includes('p'),
    }))
    .toSorted((a, b) => b.number - a.number);
  const type = { name, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
  types.set(name, type);
  return type;
}

/** A letter, and what it is of: `LSapplication.v1alpha1.SyncWindow`, `Mss`. */
function shapeOf(text: string): WireShape {
  const [kind = '', rest] = [text[0], text.slice(1)];
  switch (kind) {
    case 'S':
    case 'C':
      return { kind, type: rest };
    case 'L':
    case 'I':
      return { kind, of: shapeOf(rest) };
    case 'M':
      return { kind, key: shapeOf(rest.slice(0, 1)), of: shapeOf(rest.slice(1)) };
    default:
      return { kind: kind as 's' };
  }
}
