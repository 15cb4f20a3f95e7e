import { applyJsonPatch, applyMergePatch, parseJsonPatch } from '../../model/patch/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/**
 * What a patch, of the type `json` (the default) or `merge`, makes of an application. Only what a person may write of
 * it counts: `rewritten` takes that.
 */
export function applyApplicationPatch(application: KubeObject, type: string, patch: string): JsonObject {
  const parsed = parseJson(patch);
  const before: JsonObject = application;
  const isList = type === '' || type === 'json';
  if (isList && !isArray(parsed))
    throw new Fault('PATCH_INVALID', 'a JSON patch is a list of operations; an object is a patch of the type merge');
  if (!isList && type !== 'merge')
    throw new Fault('VALUE_INVALID', `Patch type '${type.slice(0, 100)}' is not supported`);
  const after = isList ? applyJsonPatch(before, parseJsonPatch(parsed)) : applyMergePatch(before, parsed);
  if (!isObject(after)) throw new Fault('PATCH_INVALID', 'the patched object is not a valid Application');
  return after;
}

/** Spec, labels, annotations and finalizers are the client's; everything else stays. */
export function rewriteApplication(current: KubeObject, wanted: KubeObject, merges: boolean): KubeObject {
  const { labels = {}, annotations = {}, finalizers } = wanted.metadata;
  const { finalizers: _, ...metadata } = current.metadata;
  return {
    ...current,
    spec: own(wanted, 'spec'),
    metadata: {
      ...metadata,
      labels: merges ? { ...current.metadata.labels, ...labels } : labels,
      annotations: merges ? { ...current.metadata.annotations, ...annotations } : annotations,
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  };
}
