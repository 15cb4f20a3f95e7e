import { compareText } from '../../model/go/index.js';
import { FieldSet, fieldElement, type FieldPath, type KubeObject } from '../../model/kubernetes/index.js';
import type { Conflict } from './conflict.js';
import { withFields, type Managers } from './managers.js';
import { reconcileFields } from './reconcile.js';
import type { Comparisons, VersionedShapes } from './versions.js';

function path(...names: readonly string[]): FieldPath {
  return names.map(fieldElement);
}

/** What the server itself keeps: nobody owns it. */
const SERVER_FIELDS = FieldSet.of(
  path('apiVersion'),
  path('kind'),
  path('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => path('metadata', name)),
);

export function withoutServerFields(fields: FieldSet): FieldSet {
  return fields.difference(SERVER_FIELDS);
}

/** Forgets managers of versions that are no longer served: what they own cannot be converted. */
export function dropUnknownVersions(managers: Managers, views: VersionedShapes): void {
  for (const [id, { apiVersion }] of managers) if (views.at(apiVersion) === undefined) managers.delete(id);
}

/** Brings what managers own in line with the schema of today. */
export function reconcileManagers(managers: Managers, views: VersionedShapes): void {
  for (const [id, manager] of managers) {
    const view = views.at(manager.apiVersion);
    const fields = view === undefined ? manager.fields : reconcileFields(manager.fields, view.shape);
    if (fields !== manager.fields) managers.set(id, withFields(manager, fields));
  }
}

/** Managers other than `self` whose fields the write changed or added. */
export function conflictsOf(managers: Managers, self: string, comparisons: Comparisons): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [id, manager] of [...managers].sort(([a], [b]) => compareText(a, b))) {
    const view = comparisons.shapes.at(manager.apiVersion);
    if (id === self || view === undefined) continue;
    const { set } = comparisons.at(manager.apiVersion, view);
    if (set.isEmpty()) continue;
    for (const found of manager.fields.intersection(set).paths()) conflicts.push({ manager, path: found });
  }
  return conflicts;
}

/** Takes from everyone but `self` what the write changed, added or removed. */
export function takeFields(managers: Managers, self: string, comparisons: Comparisons): void {
  for (const [id, manager] of managers) {
    const view = comparisons.shapes.at(manager.apiVersion);
    if (id === self || view === undefined) continue;
    const { set, removed } = comparisons.at(manager.apiVersion, view);
    if (set.isEmpty() && removed.isEmpty()) continue;
    const kept = manager.fields.difference(set).difference(removed);
    if (kept.isEmpty()) managers.delete(id);
    else if (!kept.equals(manager.fields)) managers.set(id, withFields(manager, kept));
  }
}

/** An object without its managedFields, which are no fields that anyone owns. */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const metadata = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}
