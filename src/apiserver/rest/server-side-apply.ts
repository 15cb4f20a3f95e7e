import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { badRequest } from '../errors/index.js';
import { applyPatch, conflictError } from '../apply/index.js';
import { fromStored, keyFor, type VerbResult, type Call, type RestContext } from './context.js';
import { createWithOwnership } from './create.js';
import { decodeObject, reportStrictErrors, type FieldValidation, type StrictError } from './decode.js';
import { scopeOf } from './managed-fields.js';
import { applyScale } from './scale-write.js';
import { replace } from './update.js';

export interface ApplyRequest {
  readonly body: JsonObject;
  readonly duplicates: readonly StrictError[];
  readonly validation: FieldValidation;
  readonly force: boolean;
  readonly manager: string;
}

/** PATCH with an apply configuration: creates the object, or lays the configuration over it. */
export async function applyByServer(context: RestContext, call: Call, request: ApplyRequest): Promise<VerbResult> {
  if (call.subresource === 'scale') return applyScale(context, call, request);
  const config = readConfig(call, request);
  const head = context.store.head(keyFor(call.type, call.namespace, call.name));
  const live = head && fromStored(call.type, head);
  const result = applyPatch({
    ...scopeOf(context, call),
    live,
    config,
    manager: request.manager,
    force: request.force,
    now: context.clock.now(),
  });
  if (result.kind === 'conflict') throw conflictError(result.conflicts);
  reportStrictErrors(call, request.duplicates, request.validation);
  if (config.metadata.name === undefined)
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  // What the configuration got wrong was reported when it was read; the merged object is decoded for its zero values
  // only.
  const next = decodeObject(call, result.object, [], 'Ignore');
  if (call.type.namespaced) next.metadata.namespace = call.namespace;
  if (!head) delete next.metadata.resourceVersion;
  if (head) return replace(context, call, head, next, () => result.managedFields);
  return createWithOwnership(context, call, next, () => result.managedFields);
}

/** The configuration as it was sent; unknown fields are the merge's to refuse. */
function readConfig(call: Call, { body }: ApplyRequest): KubeObject {
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const name = metadata['name'];
  if (typeof name === 'string' && name !== call.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`);
  const namespace = metadata['namespace'];
  if (call.type.namespaced && namespace !== undefined && namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  return { ...body, apiVersion: text(body.apiVersion), kind: text(body.kind), metadata };
}
