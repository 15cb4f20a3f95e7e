import { equal, isObject, put, type JsonObject } from '../../model/json/index.js';
import { labelSelectorOf, matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, badRequest, forbidden, notFound } from '../errors/index.js';
import { type SpecialCall, objectBody } from '../http/index.js';
import { ignoreNotFound, inProcessClient } from '../controller-runtime/index.js';
import {
  type LocalClient,
  timestamp,
  type Call,
  readDeleteOptions,
  remove,
  type DeleteOptions,
} from '../rest/index.js';
import { count, ensure, has, items, maybe, number, text } from '../resources/index.js';
import { PODS } from '../../model/resources/index.js';

const BUDGETS = { group: 'policy', plural: 'poddisruptionbudgets' } as const;
/** Evictions that the budget's controller has not processed yet; above this limit it must catch up first. */
const MAX_DISRUPTED_PODS = 2000;

/** POST pods/NAME/eviction: a delete that asks the disruption budgets first. */
export async function evict(asked: SpecialCall): Promise<JsonObject> {
  const { context, call } = asked;
  const eviction = objectBody(await asked.body(), 'Eviction');
  const metadata = maybe(eviction, 'metadata');
  if (text(metadata, 'name') !== call.name) throw badRequest('name in URL does not match name in Eviction object');
  const sent = maybe(eviction, 'deleteOptions');
  const { dryRun, ...options } = readDeleteOptions(
    sent === undefined ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', metadata: {}, ...sent },
    new URLSearchParams(),
  );
  const client = inProcessClient(context, call.fieldManager, call.user);
  const pod = client.get(PODS, call.namespace, call.name);
  if (!pod) throw notFound({ group: '', resource: 'pods' }, call.name);
  const rehearsal = dryRun || call.dryRun;
  if (!needsNoBudget(pod)) await takeFromBudget(client, pod, rehearsal, timestamp(context.clock.now()));
  await markAndDelete(client, { ...call, subresource: '', dryRun: rehearsal }, pod, options, {
    context,
    now: timestamp(context.clock.now()),
  });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

async function markAndDelete(
  client: LocalClient,
  call: Call,
  pod: KubeObject,
  options: DeleteOptions,
  { context, now }: { context: SpecialCall['context']; now: string },
): Promise<void> {
  if (!call.dryRun && (options.uid === undefined || options.uid === pod.metadata.uid)) {
    await client.edit(
      PODS,
      call.namespace,
      call.name,
      (copy) => {
        addDisruption(copy, { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' }, now);
      },
      'status',
    );
  }
  await remove(context, call, options);
}

/** Deletes the pod, after its status says who disturbs it and why. One that is gone is no failure. */
export async function disruptPod(
  client: LocalClient,
  pod: KubeObject,
  disruption: { reason: string; message: string },
  now: Date,
): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  await ignoreNotFound(
    client.edit(
      PODS,
      namespace,
      name,
      (copy) => {
        if (copy.metadata.uid !== uid) return false;
        addDisruption(copy, disruption, timestamp(now));
        return true;
      },
      'status',
    ),
  );
  await ignoreNotFound(client.remove(PODS, namespace, name, uid === undefined ? {} : { uid }));
}

/** Says in the pod's status who disturbs it and why. */
export function addDisruption(
  pod: KubeObject,
  { reason, message }: { reason: string; message: string },
  now: string,
): void {
  const status = ensure(pod, 'status');
  const condition: JsonObject = {
    type: 'DisruptionTarget',
    status: 'True',
    observedGeneration: pod.metadata.generation ?? 1,
    lastProbeTime: null,
    lastTransitionTime: now,
    reason,
    message,
  };
  const others = items(status, 'conditions').filter((each) => text(each, 'type') !== 'DisruptionTarget');
  status['conditions'] = [...others, condition];
}

function needsNoBudget(pod: KubeObject): boolean {
  return (
    ['Succeeded', 'Failed', 'Pending'].includes(text(maybe(pod, 'status'), 'phase')) ||
    pod.metadata.deletionTimestamp !== undefined
  );
}

async function takeFromBudget(client: LocalClient, pod: KubeObject, dryRun: boolean, now: string): Promise<void> {
  const budgets = client.list(BUDGETS, pod.metadata.namespace).filter((each) => protects(each, pod));
  const [budget] = budgets;
  if (budgets.length > 1)
    throw new ApiError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  if (!budget || isUnhealthyAndFree(budget, pod)) return;
  checkBudget(budget);
  if (dryRun) return;
  await client.edit(
    BUDGETS,
    pod.metadata.namespace ?? '',
    budget.metadata.name ?? '',
    (copy) => {
      const status = ensure(copy, 'status');
      status['disruptionsAllowed'] = count(status, 'disruptionsAllowed') - 1;
      put(ensure(status, 'disruptedPods'), pod.metadata.name ?? '', now);
    },
    'status',
  );
}

function protects(budget: KubeObject, pod: KubeObject): boolean {
  const selector = maybe(budget, 'spec.selector');
  // An empty selector of policy/v1 selects every pod of the namespace.
  return (
    selector !== undefined && (equal(selector, {}) || matchesLabels(labelSelectorOf(selector), pod.metadata.labels))
  );
}

function isUnhealthyAndFree(budget: KubeObject, pod: KubeObject): boolean {
  const ready = items(maybe(pod, 'status'), 'conditions').some(
    (condition) => text(condition, 'type') === 'Ready' && text(condition, 'status') === 'True',
  );
  if (ready) return false;
  if (text(maybe(budget, 'spec'), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const status = maybe(budget, 'status');
  return count(status, 'desiredHealthy') > 0 && count(status, 'currentHealthy') >= count(status, 'desiredHealthy');
}

function checkBudget(budget: KubeObject): void {
  const name = budget.metadata.name ?? '';
  const status = maybe(budget, 'status') ?? {};
  if (count(status, 'observedGeneration') < (budget.metadata.generation ?? 0)) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (count(status, 'disruptionsAllowed') < 0)
    throw forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, 'pdb disruptions allowed is negative');
  const unseen =
    has(status, 'disruptedPods') && isObject(status['disruptedPods']) ? Object.keys(status['disruptedPods']).length : 0;
  if (unseen > MAX_DISRUPTED_PODS) {
    throw forbidden(
      { group: 'policy', resource: 'poddisruptionbudget' },
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if ((number(status, 'disruptionsAllowed') ?? 0) === 0) {
    throw tooMany(
      `The disruption budget ${name} needs ${count(status, 'desiredHealthy')} healthy pods and has ` +
        `${count(status, 'currentHealthy')} currently`,
      0,
    );
  }
}

function tooMany(cause: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: cause }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}
