import { Fault } from '../model/faults/index.js';
import { isObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';

/** An object of the caller, checked for the fields that everything else relies on. */
export function toKubeObject(value: unknown): KubeObject {
  if (!isObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string')
    throw new Fault('VALUE_INVALID', 'this is not a Kubernetes object: it needs apiVersion and kind');
  return { ...value, metadata: isObject(value.metadata) ? value.metadata : {} } as KubeObject;
}
