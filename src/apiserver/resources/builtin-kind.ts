import { drop, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Column, Strategy } from './resource-type.js';
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
  /** The version that needs it, and the apiVersion that its objects have. */
  readonly version: string;
  readonly apiVersion: string;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

interface Parts {
  readonly strategy?: Strategy;
  readonly columns?: readonly Column[];
  /** Selectable field -> what it reads as when absent. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Selectable fields that are not simply a path. */
  readonly readers?: Readonly<Record<string, (object: KubeObject) => string>>;
  readonly conversion?: Conversion;
}

export function kind({
  strategy = {},
  columns = DEFAULT_COLUMNS,
  fields = {},
  readers = {},
  conversion,
}: Parts): BuiltinKind {
  const plain = Object.entries(fields).map(
    ([path, absent]) => [path, (object: KubeObject) => fieldText(object, path, absent)] as const,
  );
  const whole: Strategy = strategy.validateUpdate === undefined ? strategy : { ...strategy, validatesUpdates: true };
  const selectableFields = new Map([...plain, ...Object.entries(readers)]);
  if (conversion === undefined) return { strategy: whole, columns, selectableFields };
  return {
    strategy: inStoredForm(whole, conversion),
    columns: columns.map((column) => columnInStoredForm(column, conversion)),
    selectableFields,
    conversion,
  };
}

function fieldText(object: KubeObject, path: string, absent: string): string {
  let at: Json | undefined = object;
  for (const key of path.split('.')) at = isObjectOrList(at) && !Array.isArray(at) ? own(at, key) : undefined;
  return at === undefined || at === null || isObjectOrList(at) ? absent : String(at);
}

/**
 * A kind with two shapes is described in the stored one; objects in the other are converted, worked on and converted
 * back.
 */
function inStoredForm(strategy: Strategy, conversion: Conversion): Strategy {
  const stored = (object: KubeObject): KubeObject =>
    object.apiVersion === conversion.apiVersion ? conversion.toStored(object) : object;
  const changing = (
    change: ((object: KubeObject, previous: KubeObject) => void) | undefined,
    object: KubeObject,
    previous: KubeObject,
  ): void => {
    const source = stored(object);
    change?.(source, stored(previous));
    if (source !== object) replaceFields(object, conversion.fromStored(source));
  };
  return {
    ...strategy,
    defaults: (object) => changing(strategy.defaults, object, object),
    prepareCreate: (object) => changing(strategy.prepareCreate, object, object),
    prepareUpdate: (next, previous) => changing(strategy.prepareUpdate, next, previous),
    validate: (object) => strategy.validate?.(stored(object)) ?? [],
    validateUpdate: (next, previous) => strategy.validateUpdate?.(stored(next), stored(previous)) ?? [],
    validateStatusUpdate: (next, previous) => strategy.validateStatusUpdate?.(stored(next), stored(previous)) ?? [],
  };
}

function columnInStoredForm(column: Column, { apiVersion, toStored }: Conversion): Column {
  return {
    ...column,
    cell: (object, now) => column.cell(object.apiVersion === apiVersion ? toStored(object) : object, now),
  };
}

function replaceFields(object: JsonObject, by: JsonObject): void {
  for (const key of Object.keys(object)) drop(object, key);
  for (const key of Object.keys(by)) put(object, key, own(by, key));
}

/** A new object has no status, whatever the client sent. */
export function clearStatus(object: JsonObject): void {
  object.status = {};
}

/** Only the status subresource writes status. */
export function keepStatus(next: JsonObject, previous: JsonObject): void {
  next.status = previous.status;
}

/** For kinds whose status subresource leaves all metadata alone. */
export function keepMetadata(next: KubeObject, previous: KubeObject): void {
  for (const key of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
    put(next.metadata, key, own(previous.metadata, key));
}

/** The usual strategy of a kind with spec and status. */
export const WITH_STATUS: Strategy = { generation: true, prepareCreate: clearStatus, prepareUpdate: keepStatus };
