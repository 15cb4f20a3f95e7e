import { drop, equal, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, STALE_MESSAGE, badRequest, conflict, invalid, invalidField, notFound } from '../errors/index.js';
import { keepUnchangedTimes } from '../apply/index.js';
import type { ResourceType } from '../resources/index.js';
import { StaleWrite, type Stored } from '../store/index.js';
import { mutateByAdmission, prepareByAdmission, validateByAdmission } from './run-admission.js';
import {
  apiVersionOf,
  fromStored,
  keyFor,
  kindOfErrors,
  resourceOf,
  toStored,
  type VerbResult,
  type Call,
  type RestContext,
} from './context.js';
import { createWithOwnership, placeInNamespace } from './create.js';
import { isFree, removeNow } from './delete.js';
import { validateMetadataUpdate } from './metadata-rules.js';
import { ownershipAfterWrite } from './managed-fields.js';

/** Replaces an object with one that has been decoded; `next` is the call's own and is changed on the way. */
export async function update(context: RestContext, call: Call, next: KubeObject): Promise<VerbResult> {
  const { type } = call;
  placeInNamespace(call, next);
  if ((next.metadata.name ?? '') === '')
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  if (next.metadata.name !== call.name) {
    throw badRequest(
      `the name of the object (${next.metadata.name ?? ''}) does not match the name on the URL (${call.name})`,
    );
  }
  const head = context.store.head(keyFor(type, call.namespace, call.name));
  if (!head) {
    if (type.strategy.createOnUpdate !== true || call.subresource !== '') throw notFound(resourceOf(type), call.name);
    return createWithOwnership(context, call, next, () => ownershipAfterWrite(context, call, undefined, next));
  }
  checkUid(call, next, fromStored(type, head));
  return replace(context, call, head, next, (live) => ownershipAfterWrite(context, call, live, next));
}

/** Writes `next` over the object at `head`: the way of every update and patch. */
export async function replace(
  context: RestContext,
  call: Call,
  head: Stored,
  next: KubeObject,
  ownership: (live: KubeObject) => KubeObject['metadata']['managedFields'],
): Promise<VerbResult> {
  const { type } = call;
  const live = fromStored(type, head);
  checkVersion(call, next, live);
  next.apiVersion = apiVersionOf(type);
  next.kind = type.kind;
  keepServerFields(next, live);
  type.strategy.defaults?.(next);
  const managedFields = ownership(live);
  mutateByAdmission(context, call, { operation: 'UPDATE', object: next, old: live });
  if (managedFields === undefined || managedFields.length === 0) delete next.metadata.managedFields;
  else next.metadata.managedFields = managedFields;
  prepareUpdate(call, next, live);
  prepareByAdmission(context, call, { operation: 'UPDATE', object: next, old: live });
  const errors = validateUpdate(call, next, live);
  if (errors.length > 0) throw invalid(kindOfErrors(type), call.name, errors);
  validateByAdmission(context, call, { operation: 'UPDATE', object: next, old: live });
  for (const warning of call.subresource === '' ? (type.strategy.warnings?.(next) ?? []) : []) call.warn(warning);
  return save(context, call, head, next, live);
}

async function save(
  context: RestContext,
  call: Call,
  head: Stored,
  next: KubeObject,
  live: KubeObject,
): Promise<VerbResult> {
  if (isFree(next)) return removeNow(context, call, head, next);
  if (equal(keepUnchangedTimes(live, next), live)) return { object: live, stored: head };
  if (call.dryRun) return { object: next };
  try {
    const stored = await context.store.write(head.key, head, () => toStored(call.type, next));
    return { object: fromStored(call.type, stored), stored };
  } catch (error) {
    if (error instanceof StaleWrite) throw conflict(resourceOf(call.type), call.name, STALE_MESSAGE);
    throw error;
  }
}

/** A PUT is meant for the very object whose uid it carries. */
function checkUid({ type, namespace, name }: Call, next: KubeObject, live: KubeObject): void {
  const { uid } = next.metadata;
  if (uid === undefined || uid === '' || uid === live.metadata.uid) return;
  const path = [
    '/registry',
    ...(type.custom ? [type.group] : []),
    type.plural,
    ...(namespace === '' ? [] : [namespace]),
    name,
  ].join('/');
  throw conflict(
    resourceOf(type),
    name,
    `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid ?? ''}`,
  );
}

function checkVersion(call: Call, next: KubeObject, live: KubeObject): void {
  const { type } = call;
  const { resourceVersion } = next.metadata;
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (type.strategy.versionedUpdate !== true) return;
    throw invalid({ group: type.group, kind: type.plural }, call.name, [
      invalidField('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (BigInt(resourceVersion) >= 2n ** 64n)
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: value out of range`);
  if (resourceVersion !== live.metadata.resourceVersion) throw conflict(resourceOf(type), call.name, STALE_MESSAGE);
}

/**
 * What only the server sets comes from the live object; fields that a client must not change are restored where it left
 * them out.
 */
function keepServerFields(next: KubeObject, live: KubeObject): void {
  const to = next.metadata;
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if ((own(to, field) ?? '') === '') setOrDrop(to, field, own(live.metadata, field));
  }
  for (const field of ['generation', 'resourceVersion', 'namespace'] as const)
    setOrDrop(to, field, own(live.metadata, field));
  delete to['selfLink'];
}

function setOrDrop(metadata: JsonObject, field: string, value: Json | undefined): void {
  if (value === undefined) drop(metadata, field);
  else put(metadata, field, value);
}

/** Keeps each endpoint to its half: status writes change only status, main writes everything else. */
function prepareUpdate(call: Call, next: KubeObject, live: KubeObject): void {
  const { type, subresource } = call;
  if (subresource === 'status') keepAllButStatus(type, next, live);
  else if (type.subresources.has('status') && subresource === '') restore(next, live, 'status');
  if (subresource === '') type.strategy.prepareUpdate?.(next, live);
  else if (subresource !== 'status' && subresource !== 'scale')
    type.strategy.prepareSubresource?.(subresource, next, live);
  if (type.strategy.generation === true && specChanged(next, live))
    next.metadata.generation = (live.metadata.generation ?? 0) + 1;
}

function keepAllButStatus(type: ResourceType, next: KubeObject, live: KubeObject): void {
  for (const field of Object.keys({ ...live, ...next })) {
    if (field !== 'status' && field !== 'metadata') restore(next, live, field);
  }
  type.strategy.prepareStatusUpdate?.(next, live);
}

function restore(next: KubeObject, live: KubeObject, field: string): void {
  setOrDrop(next, field, own(live, field));
}

function specChanged(next: KubeObject, live: KubeObject): boolean {
  const rest = ({ metadata: _metadata, status: _status, ...others }: KubeObject): Json => others;
  return !equal(rest(next), rest(live));
}

function validateUpdate(call: Call, next: KubeObject, live: KubeObject): ReturnType<typeof validateMetadataUpdate> {
  const { strategy } = call.type;
  // The real server checks metadata for every kind and then each kind checks it again, so each error is listed twice.
  const errors = validateMetadataUpdate(call.type, next, live);
  const metadata = [...errors, ...errors];
  if (call.subresource === 'status') return [...metadata, ...(strategy.validateStatusUpdate?.(next, live) ?? [])];
  if (call.subresource !== '' && call.subresource !== 'scale')
    return [...metadata, ...(strategy.validateSubresource?.(call.subresource, next, live) ?? [])];
  const whole = strategy.validatesUpdates === true ? [] : (strategy.validate?.(next) ?? []);
  return [...metadata, ...whole, ...(strategy.validateUpdate?.(next, live) ?? [])];
}
