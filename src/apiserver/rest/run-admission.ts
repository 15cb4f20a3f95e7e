import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AdmissionRequest } from './admission.js';
import type { Call, RestContext } from './context.js';

type Change = Pick<AdmissionRequest, 'operation'> & { object?: KubeObject; old?: KubeObject };

function request(call: Call, change: Change): AdmissionRequest {
  const { operation, object, old } = change;
  const { type, subresource, namespace, user, dryRun } = call;
  // Spelled out: with a spread of `change`, this function was 9 % of handling a create in a profile.
  return {
    operation,
    object,
    old,
    type,
    subresource,
    namespace,
    name: requestName(call, object),
    user,
    dryRun,
    warn: call.warn,
  };
}

/** Mutating steps see a generated name before it is complete, as in the real server. */
function requestName(call: Call, object: KubeObject | undefined): string {
  return object?.metadata.name ?? object?.metadata.generateName ?? call.name;
}

/** Mutating steps, in order; they change `change.object` in place. */
export function mutateByAdmission(context: RestContext, call: Call, change: Change): void {
  const asked = request(call, change);
  for (const step of context.admission) step.mutate?.(asked);
}

/** What steps add or guard between the kind's own preparation and its validation. */
export function prepareByAdmission(context: RestContext, call: Call, change: Change): void {
  const asked = request(call, change);
  for (const step of context.admission) step.prepare?.(asked);
}

/** Validating steps, in order; the first rejection throws. */
export function validateByAdmission(context: RestContext, call: Call, change: Change): void {
  const asked = request(call, change);
  for (const step of context.admission) step.validate?.(asked);
}

/** Both, for operations whose object nothing prepares in between. */
export function runAdmission(context: RestContext, call: Call, change: Change): void {
  mutateByAdmission(context, call, change);
  validateByAdmission(context, call, change);
}
