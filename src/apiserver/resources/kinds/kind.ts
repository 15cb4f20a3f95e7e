import { own, type Json, type JsonObject, type KubeObject } from '../../../model/index.js';
import type { Column, Strategy } from '../resource-type.js';
import { DEFAULT_COLUMNS } from './columns.js';
import { isObjectOrList } from './fields.js';

/** How one built-in kind differs from any other object. */
export interface BuiltinKind {
  readonly strategy: Strategy;
  readonly columns: readonly Column[];
  readonly selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  /** Where a served version has another shape than the stored one. */
  readonly conversion?: Conversion;
}

export interface Conversion {
  readonly version: string;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

interface Parts {
  readonly strategy?: Strategy;
  readonly columns?: readonly Column[];
  /** Selectable field -> what it reads as when absent. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly conversion?: Conversion;
}

export function kind({ strategy = {}, columns = DEFAULT_COLUMNS, fields = {}, conversion }: Parts): BuiltinKind {
  const selectable = Object.entries(fields).map(([path, absent]) => [path, (object: KubeObject) => fieldText(object, path, absent)] as const);
  return { strategy, columns, selectableFields: new Map(selectable), ...(conversion === undefined ? {} : { conversion }) };
}

function fieldText(object: KubeObject, path: string, absent: string): string {
  let at: Json | undefined = object;
  for (const key of path.split('.')) at = isObjectOrList(at) && !Array.isArray(at) ? own(at, key) : undefined;
  return at === undefined || at === null || isObjectOrList(at) ? absent : String(at);
}

/** A new object has no status, whatever the client sent. */
export function clearStatus(object: JsonObject): void {
  object.status = {};
}

/** Only the status subresource writes status. */
export function keepStatus(next: JsonObject, previous: JsonObject): void {
  next.status = previous.status;
}

/** The usual strategy of a kind with spec and status. */
export const WITH_STATUS: Strategy = { generation: true, prepareCreate: clearStatus, prepareUpdate: keepStatus };
