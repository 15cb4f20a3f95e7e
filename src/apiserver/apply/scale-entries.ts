import { FieldSet, fieldElement, type FieldPath, type ManagedFieldsEntry } from '../../model/kubernetes/index.js';
import { encodeManagers, storedManagers, withFields, type Managers } from './managers.js';

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS: FieldPath = [fieldElement('spec'), fieldElement('replicas')];

/**
 * Where a version of the scaled kind keeps its number of replicas; null where it has no scale, undefined where unknown.
 */
export type ReplicasPath = (apiVersion: string) => FieldPath | null | undefined;

/** The managedFields of an object as its Scale shows them: those who own the number of replicas. */
export function toScaleEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  replicasPath: ReplicasPath,
): ManagedFieldsEntry[] | undefined {
  const scale: Managers = new Map();
  for (const [id, manager] of storedManagers(parent)) {
    const path = replicasPath(manager.apiVersion);
    if (path === undefined || path === null || !manager.fields.has(path)) continue;
    scale.set(id, withFields(manager, FieldSet.of(REPLICAS), { apiVersion: SCALE_VERSION }));
  }
  return encodeManagers(scale);
}

/** The managedFields of an object after its Scale was written: whoever owns replicas there owns them here. */
export function fromScaleEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  replicasPath: ReplicasPath,
): ManagedFieldsEntry[] | undefined {
  const owners = storedManagers(scale);
  const managers: Managers = new Map();
  const before = storedManagers(parent);
  for (const [id, manager] of before) {
    const path = replicasPath(manager.apiVersion);
    if (path === undefined) continue;
    const kept =
      path === null || !manager.fields.has(path) || owners.delete(id)
        ? manager
        : withFields(manager, manager.fields.difference(FieldSet.of(path)));
    if (!kept.fields.isEmpty()) managers.set(id, kept);
  }
  const path = replicasPath(apiVersion) ?? [];
  for (const [id, owner] of owners) {
    // The real server gives such an entry the time that its manager had, which is none for an updater.
    if (owner.fields.has(REPLICAS))
      managers.set(id, withFields(owner, FieldSet.of(path), { apiVersion, time: before.get(id)?.time }));
  }
  return encodeManagers(managers);
}
