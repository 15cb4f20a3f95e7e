import {
  FieldSet,
  parseFieldsV1,
  writeFieldsV1,
  type KubeObject,
  type ManagedFieldsEntry,
} from '../../model/kubernetes/index.js';
import { isObject, type JsonArray, type JsonObject } from '../../model/json/index.js';

/** Managers that delivered the same manifests before us. */
export const EARLIER_MANAGERS = ['argocd-controller', 'kubectl-client-side-apply'];
const MANAGER = 'argosy';

/**
 * A patch that moves the fields of earlier managers to us; undefined if they own none. Without it a field that is
 * removed from git would stay, because its old manager still owns it. Valid only for the resourceVersion of `live`.
 */
export function takeOverFields(live: KubeObject, migrationManager?: string): JsonArray | undefined {
  const entries = live.metadata.managedFields ?? [];
  const earlier = [...EARLIER_MANAGERS, ...(migrationManager === undefined ? [] : [migrationManager])];
  const isEarlier = (entry: ManagedFieldsEntry): boolean => isOf(earlier, entry);
  const moved = entries.filter(isEarlier);
  if (moved.length === 0) return undefined;
  const isOurs = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    manager === MANAGER && operation === 'Apply' && (subresource ?? '') === '';
  const ours = entries.find(isOurs);
  const fields = [...moved, ...(ours === undefined ? [] : [ours])].reduce(
    (set, { fieldsV1 }) => (isObject(fieldsV1) ? set.union(parseFieldsV1(asStored(fieldsV1))) : set),
    FieldSet.empty(),
  );
  const template = ours ?? moved[0];
  const entry = { ...template, manager: MANAGER, operation: 'Apply', fieldsV1: writeFieldsV1(fields) };
  const kept = entries.filter((each) => !isEarlier(each) && each !== ours);
  return [
    { op: 'replace', path: '/metadata/managedFields', value: [...kept, entry] as unknown as JsonArray },
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion ?? '' },
  ];
}

/** A Secret's `stringData` is stored as `data`: who applied the former owns the latter. */
function asStored(fields: JsonObject): JsonObject {
  const { 'f:stringData': given, ...rest } = fields;
  if (!isObject(given)) return fields;
  const { 'f:data': data } = rest;
  return { ...rest, 'f:data': { ...(isObject(data) ? data : {}), ...given } };
}

/** Whether we applied the object, and no fields are left to take over. */
export function isOurs(live: KubeObject): boolean {
  const entries = live.metadata.managedFields ?? [];
  return (
    entries.some(({ manager, operation }) => manager === MANAGER && operation === 'Apply') &&
    !entries.some((entry) => isOf(EARLIER_MANAGERS, entry))
  );
}

/** Fields written through a subresource, such as the status, are not from git. */
function isOf(managers: readonly string[], { manager, subresource }: ManagedFieldsEntry): boolean {
  return managers.includes(manager ?? '') && (subresource ?? '') === '';
}
