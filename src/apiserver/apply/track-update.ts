import { equal, own } from '../../model/json/index.js';
import { FieldSet, type KubeObject, type ManagedFieldsEntry } from '../../model/kubernetes/index.js';
import { fillZeros } from '../schema/index.js';
import {
  capUpdaters,
  decodeManagers,
  encodeManagers,
  identityOf,
  storedManagers,
  type Manager,
  type Managers,
} from './managers.js';
import {
  dropUnknownVersions,
  reconcileManagers,
  takeFields,
  withoutManagedFields,
  withoutServerFields,
} from './field-ownership.js';
import { Comparisons, VersionedShapes, type WriteScope } from './versions.js';

export interface UpdateInput extends WriteScope {
  /** The stored object, in the version of the request; undefined on create. */
  readonly live: KubeObject | undefined;
  /**
   * The object as the client wants it: decoded (built-in kinds by `decodeKind`), patched, defaulted, before admission
   * and before the server's own changes.
   */
  readonly next: KubeObject;
  readonly manager: string;
  readonly now: Date;
}

/** The managedFields after a create, update or patch that is not an apply. Undefined: the object has none. */
export function trackUpdate(input: UpdateInput): ManagedFieldsEntry[] | undefined {
  const managers = managersBefore(input);
  const { live } = input;
  // Who emptied managedFields does not want them; the first apply starts them again.
  if (managers.size === 0 && live?.metadata.uid !== undefined && live.metadata.uid !== '') return undefined;
  recordUpdate(managers, live ?? emptyObject(input), input.next, input);
  return encodeManagers(managers);
}

/** Clients that know nothing of managedFields leave them out: then the stored ones count. */
function managersBefore({ live, next, subresource }: UpdateInput): Managers {
  const requested = next.metadata.managedFields;
  const stored = live?.metadata.managedFields;
  if ((subresource ?? '') === '' && requested !== undefined && !equal(requested, stored)) {
    if (isReset(requested)) return new Map<string, Manager>();
    const decoded = decodeManagers(requested);
    if ('managers' in decoded && decoded.managers.size > 0) return decoded.managers;
  }
  return storedManagers(stored);
}

/** `[]` and `[{}]` are a client's way to say: forget who owns what. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [only] = entries;
  return only === undefined || (entries.length === 1 && Object.keys(only).every((key) => own(only, key) === undefined));
}

const SELF = 'current-operation';

/** Gives `manager` what the step from `live` to `next` added or changed, and takes it from everyone else. */
export function recordUpdate(
  managers: Managers,
  live: KubeObject,
  next: KubeObject,
  input: Pick<UpdateInput, 'manager' | 'now'> & WriteScope,
): void {
  const views = new VersionedShapes(input);
  const comparisons = new Comparisons(views, withoutManagedFields(live), withoutManagedFields(next));
  const { set: touched, removed } = comparisons.at(input.apiVersion, views.own);
  dropUnknownVersions(managers, views);
  // Types of built-in kinds do not change while a server runs, so a write without effect needs no check of anyone's
  // fields.
  if (input.schema.go === undefined || !touched.isEmpty() || !removed.isEmpty()) reconcileManagers(managers, views);
  takeFields(managers, SELF, comparisons);
  const taken = withoutServerFields(touched);
  if (!taken.isEmpty()) addFields(managers, taken, input);
  capUpdaters(managers);
}

function addFields(
  managers: Managers,
  taken: FieldSet,
  { manager, apiVersion, subresource, now }: Pick<UpdateInput, 'manager' | 'now'> & WriteScope,
): void {
  const identity = {
    name: manager === '' ? 'unknown' : manager,
    operation: 'Update' as const,
    apiVersion,
    subresource: subresource ?? '',
  };
  const id = identityOf(identity);
  const previous: Manager | undefined = managers.get(id);
  const fields = previous === undefined ? taken : taken.union(previous.fields);
  managers.set(id, { ...identity, time: timeText(now), fields, entry: undefined });
}

/** Times in managedFields have whole seconds. */
export function timeText(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/**
 * What stands for the live object when there is none: the fields that an object of this kind has whatever a client
 * says.
 */
export function emptyObject({ apiVersion, kind, schema }: WriteScope): KubeObject {
  const object: KubeObject = { apiVersion, kind, metadata: {} };
  if (schema.go !== undefined && schema.properties !== undefined) fillZeros(object, schema.properties);
  return object;
}
