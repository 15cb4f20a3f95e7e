import {
  PatchFault,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  parseJsonPatch,
} from '../../model/patch/index.js';
import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject, Schema } from '../../model/kubernetes/index.js';
import { ApiError, badRequest, notFound } from '../errors/index.js';
import type { ResourceType } from '../resources/index.js';
import { fromStored, keyFor, resourceOf, type VerbResult, type Call, type RestContext } from './context.js';
import { decodePatched, type FieldValidation, type StrictError } from './decode.js';
import { ownershipAfterWrite } from './managed-fields.js';
import { writeScale } from './scale-write.js';
import { replace } from './update.js';

export type PatchKind = 'json' | 'merge' | 'strategic';

export interface Patch {
  readonly kind: PatchKind;
  readonly body: Json;
  readonly duplicates: readonly StrictError[];
  readonly validation: FieldValidation;
}

/** Changes the newest state of an object by a patch. Between reading and writing nothing else can happen. */
export async function patch(context: RestContext, call: Call, change: Patch): Promise<VerbResult> {
  const { type } = call;
  // Scale has no lists, so a strategic merge patch of it is a merge patch.
  if (call.subresource === 'scale')
    return writeScale(context, call, (scale) =>
      patchedJson(type, scale, change.kind === 'strategic' ? { ...change, kind: 'merge' } : change),
    );
  const head = context.store.head(keyFor(type, call.namespace, call.name));
  if (!head) throw notFound(resourceOf(type), call.name);
  const live = fromStored(type, head);
  const next = checkedPatch(call, patchedJson(type, live, change), change);
  return replace(context, call, head, next, (old) => ownershipAfterWrite(context, call, old, next));
}

function checkedPatch(call: Call, value: JsonObject, change: Patch): KubeObject {
  const object = decodePatched(
    call,
    value,
    change.duplicates,
    change.validation,
    change.kind === 'strategic' ? change.body : undefined,
  );
  if (object.metadata.name !== call.name) {
    throw badRequest(
      `the name of the object (${object.metadata.name ?? ''}) does not match the name on the URL (${call.name})`,
    );
  }
  if (call.type.namespaced && object.metadata.namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return object;
}

function patchedJson(type: ResourceType, live: KubeObject, { kind, body }: Patch): JsonObject {
  try {
    const result = applied(type.schema, kind, live, body);
    if (!isObject(result)) throw badRequest('the patched document is not an object');
    return result;
  } catch (error) {
    if (error instanceof PatchFault) throw patchError(error);
    throw error;
  }
}

function applied(schema: Schema, kind: PatchKind, live: KubeObject, body: Json): Json {
  switch (kind) {
    case 'json':
      return applyJsonPatch(live, parseJsonPatch(body));
    case 'merge':
      if (!isObject(body)) throw badRequest(`error decoding patch: ${notAMap(body)}`);
      return applyMergePatch(live, body);
    case 'strategic':
      if (!isObject(body)) throw badRequest(notAMap(body));
      return applyStrategicMergePatch(live, body, schema);
    default:
      return kind satisfies never;
  }
}

function notAMap(body: Json): string {
  return (
    `json: cannot unmarshal ${Array.isArray(body) ? 'array' : typeof body} into Go value of type ` +
    'map[string]interface {}'
  );
}

/**
 * A patch that cannot be read is the client's mistake; one that does not fit the object is refused as unprocessable.
 */
function patchError({ reason, message }: PatchFault): ApiError {
  if (reason === 'too-large') return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
  if (reason === 'malformed') return badRequest(message);
  if (reason === 'failed') return new ApiError(500, '', message);
  return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
