import {
  fieldElement,
  type FieldPath,
  type KubeObject,
  type ManagedFieldsEntry,
} from '../../model/kubernetes/index.js';
import { isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { notFound } from '../errors/index.js';
import {
  applyPatch,
  conflictError,
  fromScaleEntries,
  toScaleEntries,
  type ReplicasPath,
  trackUpdate,
  type WriteScope,
} from '../apply/index.js';
import { builtinSchema } from '../schema/index.js';
import type { Stored } from '../store/index.js';
import {
  apiVersionOf,
  fromStored,
  keyFor,
  resourceOf,
  type VerbResult,
  type Call,
  type RestContext,
} from './context.js';
import { scaleOf, scalePaths, withScale } from './scale.js';
import { replace } from './update.js';

interface Scaled {
  readonly head: Stored;
  readonly live: KubeObject;
  /** The Scale of the live object, with those who own its replicas. */
  readonly scale: KubeObject;
  readonly paths: ReplicasPath;
}

/** PUT and PATCH of `scale`: `change` turns the current Scale into the wanted one. */
export async function writeScale(
  context: RestContext,
  call: Call,
  change: (scale: KubeObject) => JsonObject,
): Promise<VerbResult> {
  const scaled = readScale(context, call);
  const next = scaleFrom(change(scaled.scale));
  const entries = trackUpdate({
    ...scope(),
    live: scaled.scale,
    next,
    manager: call.fieldManager,
    now: context.clock.now(),
  });
  return replaceScale(context, call, scaled, next, entries);
}

/** Server-side apply of a Scale. */
export async function applyScale(
  context: RestContext,
  call: Call,
  { body, manager, force }: { readonly body: JsonObject; readonly manager: string; readonly force: boolean },
): Promise<VerbResult> {
  const scaled = readScale(context, call);
  const result = applyPatch({
    ...scope(),
    live: scaled.scale,
    config: scaleFrom(body),
    manager,
    force,
    now: context.clock.now(),
  });
  if (result.kind === 'conflict') throw conflictError(result.conflicts);
  return replaceScale(context, call, scaled, result.object, result.managedFields);
}

function readScale(context: RestContext, call: Call): Scaled {
  const { type } = call;
  const head = context.store.head(keyFor(type, call.namespace, call.name));
  if (!head) throw notFound(resourceOf(type), call.name);
  const live = fromStored(type, head);
  const path = fieldPath(scalePaths(type).specPath);
  const paths: ReplicasPath = (apiVersion) => (apiVersion === apiVersionOf(type) ? path : undefined);
  const scale = scaleOf(type, live);
  const managedFields = toScaleEntries(live.metadata.managedFields, paths);
  if (managedFields) scale.metadata.managedFields = managedFields;
  return { head, live, scale, paths };
}

async function replaceScale(
  context: RestContext,
  call: Call,
  { head, live, paths }: Scaled,
  next: KubeObject,
  entries: ManagedFieldsEntry[] | undefined,
): Promise<VerbResult> {
  const object = withScale(call.type, live, next);
  return replace(context, call, head, object, () =>
    fromScaleEntries(live.metadata.managedFields, entries, apiVersionOf(call.type), paths),
  );
}

function scope(): WriteScope {
  const schema = builtinSchema('autoscaling', 'v1', 'Scale');
  if (!schema) throw new RangeError('the schema table has no Scale');
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', schema, subresource: 'scale' };
}

function scaleFrom(value: JsonObject): KubeObject {
  const metadata: Json | undefined = value.metadata;
  return { ...value, apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: isObject(metadata) ? metadata : {} };
}

function fieldPath(path: string): FieldPath {
  return path
    .split('.')
    .slice(1)
    .map((name) => fieldElement(name));
}
