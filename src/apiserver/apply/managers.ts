import { compareText, quoteGo } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { FieldSet, parseFieldsV1, writeFieldsV1, type ManagedFieldsEntry } from '../../model/kubernetes/index.js';

/** One entry of managedFields: who, how, in which version, since when, and what. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The stored entry, where its fields are still these: it need not be written again. */
  readonly entry: ManagedFieldsEntry | undefined;
}

/** Managers by identity. */
export type Managers = Map<string, Manager>;

type Identity = Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>;

/**
 * What identifies a manager, spelled as the server does because lists of managers are sorted by it. One applier is the
 * same in every version.
 */
export function identityOf({ name, operation, apiVersion, subresource }: Identity): string {
  const parts = [];
  if (name !== '') parts.push(`"manager":${JSON.stringify(name)}`);
  parts.push(`"operation":"${operation}"`);
  if (operation === 'Update') parts.push(`"apiVersion":${JSON.stringify(apiVersion)}`);
  if (subresource !== '') parts.push(`"subresource":${JSON.stringify(subresource)}`);
  return `{${parts.join(',')}}`;
}

export type Decoded = { readonly managers: Managers } | { readonly error: string };

/** A manager as its entry has it; the fields are read when first asked for, because most writes touch few managers. */
class EntryManager implements Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  #fields: FieldSet | undefined;

  constructor(
    readonly source: ManagedFieldsEntry,
    readonly entry: ManagedFieldsEntry | undefined,
  ) {
    this.name = source.manager ?? '';
    this.operation = source.operation === 'Apply' ? 'Apply' : 'Update';
    this.apiVersion = source.apiVersion ?? '';
    this.subresource = source.subresource ?? '';
    this.time = source.time;
  }

  get fields(): FieldSet {
    this.#fields ??= this.source.fieldsV1 === undefined ? FieldSet.empty() : parseFieldsV1(this.source.fieldsV1);
    return this.#fields;
  }
}

/** Reads managedFields that this server stored: they are valid, and kept word for word while unchanged. */
export function storedManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const managers: Managers = new Map();
  for (const entry of entries ?? []) {
    const manager = new EntryManager(entry, entry);
    managers.set(identityOf(manager), manager);
  }
  return managers;
}

/** Reads managedFields that a client sent. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[]): Decoded {
  const managers: Managers = new Map();
  for (const [i, entry] of entries.entries()) {
    const manager = new EntryManager(entry, undefined);
    const wrong = wrongEntry(entry, i) ?? wrongFields(manager);
    if (wrong !== undefined) return { error: wrong };
    managers.set(identityOf(manager), manager);
  }
  return { managers };
}

function wrongEntry(entry: ManagedFieldsEntry, index: number): string | undefined {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') return 'operation must be `Apply` or `Update`';
  if (entry.apiVersion === undefined || entry.apiVersion === '') return 'apiVersion must not be empty';
  if (entry.fieldsType === undefined || entry.fieldsType === '')
    return `missing fieldsType in managed fields entry ${index}`;
  if (entry.fieldsType !== 'FieldsV1')
    return `invalid fieldsType ${quoteGo(entry.fieldsType)} in managed fields entry ${index}`;
  return undefined;
}

function wrongFields(manager: Manager): string | undefined {
  try {
    void manager.fields.isEmpty();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return `error decoding set: ${error.message}`;
    throw error;
  }
}

export function withFields(
  manager: Manager,
  fields: FieldSet,
  change: { readonly apiVersion?: string; readonly time?: string | undefined } = {},
): Manager {
  const { name, operation, apiVersion, subresource, time } = manager;
  return { name, operation, apiVersion, subresource, time, ...change, fields, entry: undefined };
}

/** The managedFields value: appliers first, then the oldest, then by name. Undefined where nobody owns anything. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(order).map((manager) => manager.entry ?? writeEntry(manager));
}

function writeEntry(manager: Manager): ManagedFieldsEntry {
  return {
    ...(manager.name === '' ? {} : { manager: manager.name }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: writeFieldsV1(manager.fields),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  };
}

function order(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

const MAX_UPDATERS = 10;
const OLD_UPDATES = 'ancient-changes';

/** Keeps at most ten updaters: the oldest of a version become one entry. */
export function capUpdaters(managers: Managers): void {
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let left = updaters.length;
  if (left <= MAX_UPDATERS) return;
  updaters.sort(([a, x], [b, y]) => seconds(x.time) - seconds(y.time) || compareText(a, b));
  const firsts = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (left <= MAX_UPDATERS) return;
    const first = firsts.get(manager.apiVersion);
    if (first === undefined) {
      firsts.set(manager.apiVersion, id);
      continue;
    }
    const bucket: Identity = {
      name: OLD_UPDATES,
      operation: 'Update',
      apiVersion: manager.apiVersion,
      subresource: '',
    };
    const bucketId = identityOf(bucket);
    const base = managers.get(bucketId) ?? managers.get(first);
    if (!managers.has(bucketId)) managers.delete(first);
    managers.delete(id);
    managers.set(bucketId, {
      ...bucket,
      time: manager.time,
      fields: manager.fields.union(base?.fields ?? FieldSet.empty()),
      entry: undefined,
    });
    left--;
  }
}
