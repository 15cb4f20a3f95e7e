import { FieldSet, type KubeObject } from '../../model/kubernetes/index.js';
import { isObject, type Json } from '../../model/json/index.js';
import { fieldsOf } from './field-set-of.js';
import type { Manager, Managers } from './managers.js';
import { withNamedFields } from './member-fields.js';
import { removeFields } from './remove.js';
import type { Shape } from './shape.js';
import type { VersionedShape, VersionedShapes } from './versions.js';

/**
 * Removes from the merged object what the applying manager had applied before, applies no longer, and nobody else owns.
 * `managers` already holds what it applies now.
 */
export function prune(
  merged: KubeObject,
  managers: Managers,
  self: string,
  last: Manager | undefined,
  views: VersionedShapes,
): KubeObject {
  const now = managers.get(self);
  if (last === undefined || now === undefined || last.fields.isEmpty()) return merged;
  if (last.apiVersion === now.apiVersion && last.fields.difference(now.fields).isEmpty()) return merged;
  const view = views.at(last.apiVersion);
  if (view === undefined) return merged;
  const before = view.to(merged);
  const had = withNamedFields(last.fields, view.shape);
  let pruned = without(before, had, view.shape);
  pruned = addBackOwned(before, pruned, { last, view }, managers, views);
  // Only what this manager had applied may go; the rest is nobody's, or an updater's.
  const gone = members(before, view.shape).difference(members(pruned, view.shape)).intersection(had);
  return view.back(without(before, gone, view.shape));
}

function members(object: KubeObject, shape: Shape): FieldSet {
  return withNamedFields(fieldsOf(object, shape), shape);
}

function without(object: KubeObject, fields: FieldSet, shape: Shape): KubeObject {
  const value: Json = removeFields(object, fields, shape);
  return isObject(value) ? (value as KubeObject) : { apiVersion: object.apiVersion, kind: object.kind, metadata: {} };
}

/**
 * Puts back what someone owns, in each version in which someone owns something. The result is in the version of `last`.
 */
function addBackOwned(
  merged: KubeObject,
  pruned: KubeObject,
  { last, view }: { last: Manager; view: VersionedShape },
  managers: Managers,
  views: VersionedShapes,
): KubeObject {
  const owned = new Map<string, FieldSet>([[last.apiVersion, FieldSet.empty()]]);
  for (const { apiVersion, fields } of managers.values())
    owned.set(apiVersion, (owned.get(apiVersion) ?? FieldSet.empty()).union(fields));
  let kept = pruned;
  for (const [apiVersion, fields] of owned) {
    const other = apiVersion === last.apiVersion ? view : views.at(apiVersion);
    if (other === undefined) continue;
    const [all, some] = other === view ? [merged, kept] : [other.to(view.back(merged)), other.to(view.back(kept))];
    const gone = members(all, other.shape).difference(
      members(some, other.shape).union(withNamedFields(fields, other.shape)),
    );
    const next = without(all, gone, other.shape);
    kept = other === view ? next : view.to(other.back(next));
  }
  return kept;
}
