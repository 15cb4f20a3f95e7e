import { Fault } from '../../model/faults/index.js';
import { clone } from '../../model/json/index.js';
import { compareQuantities, subtractQuantities, type KubeObject, type Quantity } from '../../model/kubernetes/index.js';
import { SYSTEM_USER } from '../access/index.js';
import { ApiError } from '../errors/index.js';
import { ensure, number, sub } from '../resources/index.js';
import {
  fromStored,
  keyFor,
  prefixOf,
  type Call,
  type RestContext,
  update,
  type AdmissionRequest,
  type AdmissionPlugin,
} from '../rest/index.js';
import type { Stored } from '../store/index.js';
import { NOTHING, amountsAt, amountsText, only, sumOf, toList, type Amounts } from './amounts.js';
import { NamespacePresence } from './namespace-presence.js';
import type { Measure } from './quota-measure.js';
import { missingAmounts } from './quota-pods.js';
import { evaluatorOf, inScope, usedOf } from './quota-usage.js';
import { admissionForbidden } from './admission-forbidden.js';

/** Events were never under quota; reviews and bindings are not kept. */
const IGNORED = new Set(['/events', 'events.k8s.io/events', '/bindings']);

interface Charge {
  readonly quota: Stored;
  readonly used: Amounts;
}

/**
 * Refuses what would go beyond a quota. Usage is computed from the newest objects, not taken from the quota's status,
 * so that a quota is exact however many writes are under way; the status is then brought up to date with the write.
 */
export function resourceQuota(context: RestContext): AdmissionPlugin {
  const quotas = context.types.preferred('', 'resourcequotas');
  const limited = new NamespacePresence(context, '', 'resourcequotas');
  const measures = new WeakMap<Stored, Measure>();
  return {
    name: 'ResourceQuota',
    validate(request) {
      // A quota that is still on its way has no limits in its status yet, so the durable ones are all that count.
      if (
        !limited.has(request.namespace) ||
        !request.object ||
        !request.type.namespaced ||
        !quotas ||
        !handles(request)
      )
        return;
      const found = context.store.range(prefixOf(quotas, request.namespace));
      const heads = found.flatMap(({ key }) => context.store.head(key) ?? []);
      const charges = heads.flatMap((quota) => check({ context, measures }, request, quota) ?? []);
      if (
        request.dryRun ||
        (request.operation === 'CREATE' && context.store.head(keyFor(request.type, request.namespace, request.name)))
      )
        return;
      for (const charge of charges) recordUsage(context, { type: quotas, namespace: request.namespace }, charge);
    },
  };
}

/** Could the request change what is used? */
function handles({ operation, subresource, type, object, old }: AdmissionRequest): boolean {
  const id = `${type.group}/${type.plural}`;
  if (IGNORED.has(id) || operation === 'DELETE') return false;
  const deadline = (pod: KubeObject | undefined): boolean =>
    (number(sub(pod, 'spec'), 'activeDeadlineSeconds') ?? -1) >= 0;
  switch (id) {
    case '/pods':
      return (
        (subresource === '' && (operation === 'CREATE' || deadline(object) !== deadline(old))) ||
        (subresource === 'resize' && operation === 'UPDATE')
      );
    case '/services':
      return subresource === '';
    case '/persistentvolumeclaims':
      return subresource === '' || subresource === 'status';
    default:
      return subresource === '' && operation === 'CREATE';
  }
}

interface QuotaContext {
  readonly context: RestContext;
  readonly measures: WeakMap<Stored, Measure>;
}

/**
 * What the quota's used amounts become, or undefined where it is not concerned; throws where it has too little left.
 */
function check(context: QuotaContext, request: AdmissionRequest, stored: Stored): Charge | undefined {
  const { type, object, old } = request;
  const quota = stored.object;
  const hard = amountsAt(quota, 'status.hard');
  const evaluator = evaluatorOf(type.group, type.plural);
  const names = evaluator.matching(hard.keys());
  if (!object || names.length === 0) return undefined;
  const measure = evaluator.measure(object);
  if (!inScope(quota, measure)) return undefined;
  const title = quota.metadata.name ?? '';
  const missing = type.group === '' && type.plural === 'pods' ? missingAmounts(object, names) : undefined;
  if (missing !== undefined) throw admissionForbidden(request, `failed quota: ${title}: ${missing}`);
  const known = amountsAt(quota, 'status.used');
  if (!names.every((name) => known.has(name)))
    throw admissionForbidden(request, `status unknown for quota: ${title}, resources: ${[...names].sort().join(',')}`);
  const now = context.context.clock.now();
  const asked = only(measure.usage(now), names);
  const previous = old && evaluator.measure(old);
  const before = previous && inScope(quota, previous) ? only(previous.usage(now), names) : NOTHING;
  const more = increase(asked, before);
  if (more.size === 0) return undefined;
  const others = usedOf(quota, othersThan(context, request, evaluator.measure), names, now);
  forbidExcess(request, title, { more, used: sumOf([others, before]), hard });
  return { quota: stored, used: sumOf([others, asked]) };
}

function increase(now: Amounts, before: Amounts): Map<string, Quantity> {
  const grown = new Map<string, Quantity>();
  for (const [name, quantity] of now) {
    const old = before.get(name);
    const more = old === undefined ? quantity : subtractQuantities(quantity, old);
    if (more.amount > 0n) grown.set(name, more);
  }
  return grown;
}

function forbidExcess(
  request: AdmissionRequest,
  title: string,
  { more, used, hard }: { more: Amounts; used: Amounts; hard: Amounts },
): void {
  if (request.subresource === 'status') return;
  const total = sumOf([used, more]);
  const exceeded = [...more.keys()].filter((name) => {
    const [sum, limit] = [total.get(name), hard.get(name)];
    return sum !== undefined && limit !== undefined && compareQuantities(sum, limit) > 0;
  });
  if (exceeded.length === 0) return;
  const text = (amounts: Amounts): string => amountsText(only(amounts, exceeded));
  throw admissionForbidden(
    request,
    `exceeded quota: ${title}, requested: ${text(more)}, used: ${text(used)}, limited: ${text(hard)}`,
  );
}

/** Every other object of the resource in the namespace; each state is measured once. */
function* othersThan(
  { context, measures }: QuotaContext,
  { type, namespace, name }: AdmissionRequest,
  measure: (object: KubeObject) => Measure,
): Generator<Measure> {
  const own = keyFor(type, namespace, name);
  for (const stored of context.store.heads(prefixOf(type, namespace))) {
    if (stored.key === own) continue;
    let known = measures.get(stored);
    if (!known) measures.set(stored, (known = measure(fromStored(type, stored))));
    yield known;
  }
}

/** Writes the new usage in the same turn, before the object itself, so that both become visible together. */
function recordUsage(
  context: RestContext,
  { type, namespace }: Pick<Call, 'type' | 'namespace'>,
  { quota, used }: Charge,
): void {
  const next = clone(fromStored(type, quota));
  ensure(next, 'status').used = toList(new Map([...amountsAt(next, 'status.used'), ...used]));
  const name = next.metadata.name ?? '';
  const call: Call = {
    type,
    namespace,
    name,
    subresource: 'status',
    user: SYSTEM_USER,
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warn: () => undefined,
  };
  update(context, call, next).catch((error: unknown) => {
    // If the disk fails this write, it fails the object's too, and its writer gets the error.
    if (!(error instanceof Fault || error instanceof ApiError)) throw error;
  });
}
