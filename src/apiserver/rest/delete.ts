import { clone, isArray, type Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  badRequest,
  conflict,
  invalid,
  invalidField,
  notFound,
  type FieldError,
  type GroupResource,
} from '../errors/index.js';
import type { Stored } from '../store/index.js';
import { runAdmission } from './run-admission.js';
import {
  fromStored,
  keyFor,
  resourceOf,
  timestamp,
  toStored,
  type VerbResult,
  type Call,
  type RestContext,
} from './context.js';

/** The part of meta/v1 DeleteOptions that a server acts on. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: Propagation;
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Deletes at once, or marks the object as deleting where finalizers or a grace period hold it. */
export async function remove(
  context: RestContext,
  call: Call,
  options: DeleteOptions,
): Promise<VerbResult & { gone: boolean }> {
  const { type } = call;
  const key = keyFor(type, call.namespace, call.name);
  const head = context.store.head(key);
  if (!head) throw notFound(resourceOf(type), call.name);
  const current = fromStored(type, head);
  checkPreconditions(call, current, options);
  runAdmission(context, call, { operation: 'DELETE', old: current });
  const next = markDeleted(context, call, current, options);
  if (next === undefined) return { object: current, stored: head, gone: false };
  if (isFree(next))
    return { ...(await removeNow(context, call, head, type.strategy.gracePeriod ? next : current)), gone: true };
  if (call.dryRun) return { object: next, gone: false };
  const stored = await context.store.write(key, head, () => toStored(type, next));
  return { object: fromStored(type, stored), stored, gone: false };
}

/**
 * Takes the object out of the store and answers with `answer`; watchers see the last kept state with the new revision.
 */
export async function removeNow(
  context: RestContext,
  call: Call,
  head: Stored,
  answer: KubeObject,
): Promise<VerbResult> {
  if (!call.dryRun)
    await context.store.remove(head.key, head, () => ({ ...head.object, metadata: { ...head.object.metadata } }));
  return { object: answer };
}

/** True where nothing holds the object any more: no finalizers, no namespace contents, no grace period. */
export function isFree(object: KubeObject): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return false;
  if ((metadata.finalizers ?? []).length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return object.kind !== 'Namespace' || object.apiVersion !== 'v1' || namespaceFinalizers(object).length === 0;
}

function namespaceFinalizers(namespace: KubeObject): Json[] {
  const spec = namespace['spec'];
  const list = typeof spec === 'object' && spec !== null && !isArray(spec) ? spec['finalizers'] : undefined;
  return isArray(list) ? list : [];
}

function checkPreconditions(call: Call, current: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = current.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    throw conflict(
      kindOf(call),
      call.name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid ?? ''}). The ` +
        'object might have been deleted and then recreated',
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw conflict(
      kindOf(call),
      call.name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ` +
        `ResourceVersion in record (${resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

/** Preconditions name the kind where other conflicts name the resource. */
function kindOf({ type }: Call): GroupResource {
  return { group: type.group, resource: type.kind };
}

/** The object with its deletion marks; undefined where a delete under way already says all of it. */
function markDeleted(
  context: RestContext,
  call: Call,
  current: KubeObject,
  options: DeleteOptions,
): KubeObject | undefined {
  const next = clone(current);
  const { metadata } = next;
  setPropagationFinalizers(metadata, propagationOf(call, current, options));
  const grace = gracePeriod(call, current, options);
  if (metadata.deletionTimestamp !== undefined) {
    const left = metadata.deletionGracePeriodSeconds ?? 0;
    const shorter = grace < left;
    if (!shorter && sameFinalizers(current, next)) return undefined;
    if (shorter)
      metadata.deletionTimestamp = timestamp(new Date(Date.parse(metadata.deletionTimestamp) - (left - grace) * 1000));
    metadata.deletionGracePeriodSeconds = Math.min(left, grace);
    return next;
  }
  metadata.deletionTimestamp = timestamp(new Date(context.clock.now().getTime() + grace * 1000));
  if (!isNamespace(call)) metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation += 1;
  if (isNamespace(call)) next['status'] = { ...asObject(next['status']), phase: 'Terminating' };
  call.type.strategy.beginDelete?.(next, current, timestamp(context.clock.now()));
  return next;
}

/** Namespaces are deleted by their own endpoint in the real server, which marks them a little differently. */
function isNamespace({ type }: Call): boolean {
  return type.group === '' && type.plural === 'namespaces';
}

function asObject(value: Json | undefined): { [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !isArray(value) ? value : {};
}

function sameFinalizers(a: KubeObject, b: KubeObject): boolean {
  return (a.metadata.finalizers ?? []).join() === (b.metadata.finalizers ?? []).join();
}

function gracePeriod(call: Call, current: KubeObject, options: DeleteOptions): number {
  const own = call.type.strategy.gracePeriod;
  return own ? own(current, options.gracePeriodSeconds) : 0;
}

function propagationOf(call: Call, current: KubeObject, options: DeleteOptions): Propagation | undefined {
  if (options.propagation !== undefined) return options.propagation;
  // Without an order, finalizers that a person put there stay.
  const finalizers = current.metadata.finalizers ?? [];
  if (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND)) return undefined;
  return call.type.strategy.orphanByDefault === true ? 'Orphan' : 'Background';
}

function setPropagationFinalizers(metadata: KubeObject['metadata'], propagation: Propagation | undefined): void {
  if (propagation === undefined) return;
  const others = (metadata.finalizers ?? []).filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const added = { Orphan: [ORPHAN], Foreground: [FOREGROUND], Background: [] }[propagation];
  const all = [...others, ...added];
  if (all.length > 0) metadata.finalizers = all;
  else delete metadata.finalizers;
}

/** Reads DeleteOptions from a body and from query parameters; the body wins. */
export function readDeleteOptions(
  body: KubeObject | undefined,
  query: URLSearchParams,
): DeleteOptions & { dryRun: boolean } {
  const fields = asObject(body);
  const preconditions = asObject(fields['preconditions']);
  const grace = fields['gracePeriodSeconds'] ?? numberOf(query.get('gracePeriodSeconds'));
  const policy = fields['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const orphan =
    fields['orphanDependents'] ??
    (query.has('orphanDependents') ? !['false', '0'].includes(query.get('orphanDependents') ?? '') : undefined);
  checkDeleteOptions(policy, orphan, fields['dryRun']);
  const byOrphan = orphan === true ? 'Orphan' : 'Background';
  const byDefault = orphan === undefined ? undefined : byOrphan;
  const propagation = typeof policy === 'string' ? (policy as Propagation) : byDefault;
  const dryRun = fields['dryRun'] ?? query.getAll('dryRun');
  return {
    ...(typeof grace === 'number' ? { gracePeriodSeconds: Math.max(0, grace) } : {}),
    ...(typeof preconditions['uid'] === 'string' ? { uid: preconditions['uid'] } : {}),
    ...(typeof preconditions['resourceVersion'] === 'string'
      ? { resourceVersion: preconditions['resourceVersion'] }
      : {}),
    ...(propagation === undefined ? {} : { propagation }),
    dryRun: isArray(dryRun) && dryRun.length > 0,
  };
}

function checkDeleteOptions(policy: Json | undefined, orphan: Json | undefined, dryRun: Json | undefined): void {
  const errors: FieldError[] = [];
  if (isArray(dryRun) && dryRun.some((value) => value !== 'All')) {
    errors.push({
      field: 'dryRun',
      type: 'FieldValueNotSupported',
      detail: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
    });
  }
  if (policy !== undefined && orphan !== undefined) {
    errors.push(
      invalidField('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !['Background', 'Foreground', 'Orphan'].includes(String(policy))) {
    errors.push({
      field: 'propagationPolicy',
      type: 'FieldValueNotSupported',
      detail:
        `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", ` +
        '"Orphan", "nil"',
    });
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

function numberOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
