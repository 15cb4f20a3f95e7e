import { equal } from '../../model/json/index.js';
import type { KubeObject, ManagedFieldsEntry } from '../../model/kubernetes/index.js';

/**
 * Gives `next` back the times of `live` where nothing but times would change, so that a write without effect keeps the
 * resourceVersion. Called after admission, on the objects as they would be stored.
 */
export function keepUnchangedTimes(live: KubeObject, next: KubeObject): KubeObject {
  const before = live.metadata.managedFields ?? [];
  const after = next.metadata.managedFields ?? [];
  if (before === after || after.length === 0 || before.length !== after.length) return next;
  if (after.every((entry, i) => entry.time === before[i]?.time)) return next;
  if (!after.every((entry, i) => sameButTime(before[i], entry))) return next;
  const settled: KubeObject = { ...next, metadata: { ...next.metadata, managedFields: before } };
  return equal(live, settled) ? settled : next;
}

function sameButTime(a: ManagedFieldsEntry | undefined, b: ManagedFieldsEntry): boolean {
  if (a === undefined) return false;
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.fieldsType === b.fieldsType &&
    (a.subresource ?? '') === (b.subresource ?? '') &&
    equal(a.fieldsV1, b.fieldsV1)
  );
}
