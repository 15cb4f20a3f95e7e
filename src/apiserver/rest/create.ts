import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, alreadyExists, badRequest, invalid, invalidField } from '../errors/index.js';
import { StaleWrite } from '../store/index.js';
import { mutateByAdmission, prepareByAdmission, validateByAdmission } from './run-admission.js';
import {
  apiVersionOf,
  fromStored,
  keyFor,
  kindOfErrors,
  resourceOf,
  timestamp,
  toStored,
  type VerbResult,
  type Call,
  type RestContext,
} from './context.js';
import { ownershipAfterWrite } from './managed-fields.js';
import { validateMetadata } from './metadata-rules.js';

/** Creates an object that has been decoded; `object` is the call's own and is changed on the way. */
export async function create(context: RestContext, call: Call, object: KubeObject): Promise<VerbResult> {
  placeInNamespace(call, object);
  return createWithOwnership(context, call, object, () => ownershipAfterWrite(context, call, undefined, object));
}

/** The same, with managedFields computed by the caller (server-side apply does). */
export async function createWithOwnership(
  context: RestContext,
  call: Call,
  object: KubeObject,
  ownership: () => KubeObject['metadata']['managedFields'],
): Promise<VerbResult> {
  const { type } = call;
  if (object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion !== '') {
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  prepareMetadata(context, call, object);
  type.strategy.defaults?.(object);
  const managedFields = ownership();
  mutateByAdmission(context, call, { operation: 'CREATE', object });
  generateName(context, object);
  if (managedFields === undefined || managedFields.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
  if (type.strategy.generation === true) object.metadata.generation = 1;
  type.strategy.prepareCreate?.(object);
  prepareByAdmission(context, call, { operation: 'CREATE', object });
  const errors = [...validateMetadata(type, object), ...(type.strategy.validate?.(object) ?? [])];
  if (errors.length > 0) throw invalid(kindOfErrors(type), object.metadata.name ?? '', errors);
  validateByAdmission(context, call, { operation: 'CREATE', object });
  for (const warning of type.strategy.warnings?.(object) ?? []) call.warn(warning);
  return save(context, call, object);
}

async function save(context: RestContext, call: Call, object: KubeObject): Promise<VerbResult> {
  const { type } = call;
  const name = object.metadata.name ?? '';
  const key = keyFor(type, call.namespace, name);
  if (context.store.head(key)) throw alreadyExists(resourceOf(type), name);
  if (call.dryRun) return { object, created: true };
  try {
    const stored = await context.store.write(key, undefined, () => toStored(type, object));
    return { object: fromStored(type, stored), stored, created: true };
  } catch (error) {
    if (error instanceof StaleWrite) throw alreadyExists(resourceOf(type), name);
    throw error;
  }
}

/** The namespace of the path wins; an object that names another one is refused. */
export function placeInNamespace(call: Call, object: KubeObject): void {
  const { metadata } = object;
  if (!call.type.namespaced) {
    if (metadata.namespace === '') delete metadata.namespace;
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === '') {
    if (call.namespace !== '') metadata.namespace = call.namespace;
  } else if (metadata.namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Completes generateName: 63 characters less the suffix, so the real server cuts long prefixes the same way. */
function generateName(context: RestContext, { metadata }: KubeObject): void {
  if ((metadata.name ?? '') !== '' || (metadata.generateName ?? '') === '') return;
  metadata.name = (metadata.generateName ?? '').slice(0, 58) + context.newSuffix();
}

function prepareMetadata(context: RestContext, call: Call, object: KubeObject): void {
  const { metadata } = object;
  object.apiVersion = apiVersionOf(call.type);
  object.kind = call.type.kind;
  if (call.name !== '' && metadata.name !== undefined && metadata.name !== call.name) {
    throw invalid(call.type, metadata.name, [
      invalidField('metadata.name', metadata.name, 'must match the name in the path'),
    ]);
  }
  metadata.uid = context.newUid();
  metadata.creationTimestamp = timestamp(context.clock.now());
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
}
