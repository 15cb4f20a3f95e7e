import type { AccessGate } from '../access/gate.js';
import { fromStored, keyFor, type RestContext } from '../rest/context.js';
import type { AdmissionStep } from './admission.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';

/** Every admission step, in the order in which the real server runs its plugins. */
export function admissionSteps(context: RestContext, _gate: AccessGate): AdmissionStep[] {
  const namespace = (name: string) => {
    const type = context.types.preferred('', 'namespaces');
    const stored = type && context.store.head(keyFor(type, '', name));
    return stored && fromStored(type, stored);
  };
  return [namespaceLifecycle(namespace)];
}
