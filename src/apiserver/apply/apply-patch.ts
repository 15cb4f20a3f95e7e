import { equal, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { FieldSet, splitApiVersion, type KubeObject, type ManagedFieldsEntry } from '../../model/kubernetes/index.js';
import { ApiError, badRequest } from '../errors/index.js';
import type { Conflict } from './conflict.js';
import { fieldsOf } from './field-set-of.js';
import { fieldsFromLastApplied, withLastApplied } from './last-applied.js';
import { encodeManagers, identityOf, storedManagers, withFields, type Managers } from './managers.js';
import { merge } from './merge.js';
import {
  conflictsOf,
  dropUnknownVersions,
  reconcileManagers,
  takeFields,
  withoutManagedFields,
  withoutServerFields,
} from './field-ownership.js';
import { prune } from './prune.js';
import { shapeOf, type Shape } from './shape.js';
import { emptyObject, recordUpdate, timeText } from './track-update.js';
import { typeErrors, typeErrorText } from './typed-check.js';
import { Comparisons, VersionedShapes, type WriteScope } from './versions.js';

export interface ApplyInput extends WriteScope {
  /** The stored object, in the version of the request; undefined where the apply creates it. */
  readonly live: KubeObject | undefined;
  readonly config: KubeObject;
  readonly manager: string;
  readonly force: boolean;
  readonly now: Date;
}

export type ApplyResult =
  | {
      readonly kind: 'applied';
      readonly object: KubeObject;
      readonly managedFields: ManagedFieldsEntry[] | undefined;
      readonly changed: boolean;
    }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };

/** The manager of `kubectl apply --server-side`, which may take over from client-side apply. */
const KUBECTL = 'kubectl';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * Server-side apply: the object with the configuration laid over it and without what this manager no longer applies, or
 * the conflicts that forbid it. The object still has to be defaulted, admitted and validated. Throws an ApiError where
 * the configuration does not fit the kind.
 */
export function applyPatch(input: ApplyInput): ApplyResult {
  const { config, manager } = input;
  checkConfig(input);
  const shape = shapeOf(input.schema);
  const live = withoutManagedFields(input.live ?? emptyObject(input));
  const request: Request = { ...input, live, shape };
  const managers = managersBefore(input, live);
  let result = attempt(request, new Map(managers), input.force);
  if (result.kind === 'conflict' && manager === KUBECTL) {
    const allowed = fieldsFromLastApplied(live, input.apiVersion, shape);
    const left = allowed === undefined ? result.conflicts : result.conflicts.filter(({ path }) => !allowed.has(path));
    result = left.length > 0 ? { kind: 'conflict', conflicts: left } : attempt(request, new Map(managers), true);
  }
  if (result.kind === 'conflict' || manager !== KUBECTL) return result;
  const object = withLastApplied(result.object, config);
  return { ...result, object, changed: result.changed || !equal(object, result.object) };
}

function checkConfig({ config, apiVersion, kind, schema }: ApplyInput): void {
  if (config.apiVersion !== apiVersion || config.kind !== kind)
    throw badRequest(`invalid object type: ${kindText(config)}`);
  // Only apiVersion and kind were checked before: metadata may be anything.
  const metadata: Json | undefined = config.metadata;
  const meta: JsonObject = isObject(metadata) ? metadata : {};
  if (meta.managedFields !== undefined && meta.managedFields !== null)
    throw badRequest('metadata.managedFields must be nil');
  const errors = typeErrors(config, shapeOf(schema));
  if (errors.length === 0) return;
  const where = `${textOf(meta.namespace)}/${textOf(meta.name)}; ${kindText(config)}`;
  throw new ApiError(500, '', `failed to create typed patch object (${where}): ${typeErrorText(errors)}`);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function kindText({ apiVersion, kind }: KubeObject): string {
  const { group, version } = splitApiVersion(apiVersion);
  return `${group}/${version}, Kind=${kind}`;
}

/**
 * An object that nobody tracked until now belongs to `before-first-apply`, so that the first apply can conflict with
 * it.
 */
function managersBefore(input: ApplyInput, live: KubeObject): Managers {
  const managers = storedManagers(input.live?.metadata.managedFields);
  if (managers.size === 0 && input.live !== undefined)
    recordUpdate(managers, emptyObject(input), live, { ...input, manager: BEFORE_FIRST_APPLY });
  return managers;
}

interface Request extends ApplyInput {
  readonly live: KubeObject;
  readonly shape: Shape;
}

function attempt(request: Request, managers: Managers, force: boolean): ApplyResult {
  const { live, config, shape, apiVersion, resetFields } = request;
  const identity = {
    name: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply' as const,
    apiVersion,
    subresource: request.subresource ?? '',
  };
  const self = identityOf(identity);
  const views = new VersionedShapes(request);
  dropUnknownVersions(managers, views);
  reconcileManagers(managers, views);
  const last = managers.get(self);
  const applied = fieldsOf(config, shape);
  managers.set(self, {
    ...identity,
    time: last?.time,
    fields: resetFields === undefined ? applied : applied.recursiveDifference(resetFields),
    entry: undefined,
  });
  const next = prune(merged(live, config, shape), managers, self, last, views);
  const comparisons = new Comparisons(views, live, next);
  if (!force) {
    const conflicts = conflictsOf(managers, self, comparisons);
    if (conflicts.length > 0) return { kind: 'conflict', conflicts };
  }
  takeFields(managers, self, comparisons);
  return finish(request, managers, self, next);
}

function merged(live: KubeObject, config: KubeObject, shape: Shape): KubeObject {
  const value = merge(live, config, shape);
  return isObject(value) ? (value as KubeObject) : live;
}

/** The time of an entry is when its manager last changed the object, so an apply that changes nothing keeps it. */
function finish({ live, now }: Request, managers: Managers, self: string, next: KubeObject): ApplyResult {
  const changed = !equal(live, next);
  const manager = managers.get(self);
  const fields = withoutServerFields(manager?.fields ?? FieldSet.empty());
  if (manager === undefined || fields.isEmpty()) managers.delete(self);
  else managers.set(self, withFields(manager, fields, { time: changed ? timeText(now) : manager.time }));
  return {
    kind: 'applied',
    object: changed ? withoutManagedFields(next) : live,
    managedFields: encodeManagers(managers),
    changed,
  };
}
