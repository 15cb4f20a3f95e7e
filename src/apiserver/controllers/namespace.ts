import { compareText } from '../../model/go/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError } from '../errors/index.js';
import { type ServedResource, timestamp } from '../rest/index.js';
import { ensure, items, maybe, text, texts } from '../resources/index.js';
import { type Controller, type ControllerHost, ignoreNotFound, createWorkQueue } from '../controller-runtime/index.js';
import { NAMESPACES } from '../../model/resources/index.js';

const FINALIZER = 'kubernetes';
/** Milliseconds between two attempts to finish a namespace that still has content. */
const REQUEUE_AFTER = 15_000;
const REQUEUE_SOON = 500;

/** Empties namespaces that are being deleted, says what holds them up, and lets them go. */
export const namespaceController: Controller = {
  name: 'namespace-controller',
  start(host) {
    const resources = new Map<string, ServedResource>();
    const serving = host.client.onResources((of) => {
      if (of.namespaced) resources.set(`${of.group}/${of.plural}`, of);
    });
    const queue = createWorkQueue(
      host.clock,
      async (name) => {
        const again = await empty(name, [...resources.values()], host);
        if (again !== undefined) queue.addAfter(name, again);
      },
      (name, error) => {
        if (!(error instanceof ApiError)) host.log.error(`namespace-controller: ${name}`, { error });
      },
    );
    const watch = host.client.watch(NAMESPACES, ({ type, object }) => {
      if (type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined) queue.add(object.metadata.name ?? '');
    });
    return {
      close() {
        watch.close();
        serving.close();
        void queue.close();
      },
    };
  },
};

interface Totals {
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  readonly failures: string[];
}

/** Milliseconds until the next attempt; undefined when the namespace is done. */
async function empty(
  name: string,
  resources: readonly ServedResource[],
  host: ControllerHost,
): Promise<number | undefined> {
  const namespace = host.client.get(NAMESPACES, '', name);
  if (
    !namespace ||
    namespace.metadata.deletionTimestamp === undefined ||
    !texts(maybe(namespace, 'spec'), 'finalizers').includes(FINALIZER)
  )
    return undefined;
  const totals: Totals = { remaining: new Map(), finalizers: new Map(), failures: [] };
  const isPods = (of: ServedResource): boolean => of.group === '' && of.plural === 'pods';
  for (const of of resources.filter(isPods)) await deleteAll(name, of, totals, host);
  // Pods go first, so that nothing they use is taken from under them.
  if (totals.remaining.size > 0) {
    await setConditions(namespace, { ...totals, remaining: new Map(), finalizers: new Map() }, host);
    return REQUEUE_SOON;
  }
  for (const of of resources) if (!isPods(of)) await deleteAll(name, of, totals, host);
  await setConditions(namespace, totals, host);
  if (totals.remaining.size > 0 || totals.failures.length > 0)
    return totals.finalizers.size > 0 ? REQUEUE_AFTER : REQUEUE_SOON;
  await ignoreNotFound(
    host.client.edit(
      NAMESPACES,
      '',
      name,
      (copy) => {
        const spec = ensure(copy, 'spec');
        spec['finalizers'] = texts(spec, 'finalizers').filter((finalizer) => finalizer !== FINALIZER);
      },
      'finalize',
    ),
  );
  return undefined;
}

async function deleteAll(
  namespace: string,
  of: ServedResource,
  totals: Totals,
  { client }: ControllerHost,
): Promise<void> {
  // One resource can be served under two groups (events): what is gone in one is gone in the other.
  for (const { metadata } of listed(of, namespace, client)) {
    if (metadata.deletionTimestamp !== undefined) continue;
    try {
      await client.remove(of, namespace, metadata.name ?? '', { propagation: 'Background' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!['NotFound', 'MethodNotAllowed'].includes(error.reason)) totals.failures.push(error.message);
    }
  }
  const left = listed(of, namespace, client);
  if (left.length === 0) return;
  totals.remaining.set(`${of.plural}.${of.group}`, left.length);
  for (const object of left)
    for (const finalizer of object.metadata.finalizers ?? [])
      totals.finalizers.set(finalizer, (totals.finalizers.get(finalizer) ?? 0) + 1);
}

/** A kind that left the server with its definition has no objects. */
function listed(of: ServedResource, namespace: string, client: ControllerHost['client']): KubeObject[] {
  try {
    return client.list(of, namespace);
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return [];
    throw error;
  }
}

const HEALTHY_CONDITIONS: readonly (readonly [type: string, reason: string, message: string])[] = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
];

/** What is wrong, by condition type: reason and message. */
function failedConditions({ remaining, finalizers, failures }: Totals): Map<string, readonly [string, string]> {
  const list = (counts: ReadonlyMap<string, number>, verb: string): string =>
    [...counts]
      .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
      .sort(compareText)
      .join(', ');
  const found = new Map<string, readonly [string, string]>();
  if (failures.length > 0) {
    const list = [...failures].sort(compareText).join(', ');
    found.set('NamespaceDeletionContentFailure', [
      'ContentDeletionFailed',
      `Failed to delete all resource types, ${failures.length} remaining: ${list}`,
    ]);
  }
  if (remaining.size > 0)
    found.set('NamespaceContentRemaining', [
      'SomeResourcesRemain',
      `Some resources are remaining: ${list(remaining, 'has')}`,
    ]);
  if (finalizers.size > 0) {
    found.set('NamespaceFinalizersRemaining', [
      'SomeFinalizersRemain',
      `Some content in the namespace has finalizers remaining: ${list(finalizers, 'in')}`,
    ]);
  }
  return found;
}

async function setConditions(namespace: KubeObject, totals: Totals, { client, clock }: ControllerHost): Promise<void> {
  const now = timestamp(clock.now());
  const wrong = failedConditions(totals);
  await ignoreNotFound(
    client.edit(
      NAMESPACES,
      '',
      namespace.metadata.name ?? '',
      (copy) => {
        if (copy.metadata.uid !== namespace.metadata.uid) return false;
        const status = ensure(copy, 'status');
        const old = items(status, 'conditions');
        const ours = HEALTHY_CONDITIONS.map(([type, reason, message]) =>
          nextCondition(old, type, wrong.get(type), [reason, message], now),
        );
        if (ours.every((condition) => old.includes(condition))) return false;
        status['conditions'] = [
          ...old.filter((condition) => !HEALTHY_CONDITIONS.some(([type]) => type === text(condition, 'type'))),
          ...ours,
        ];
        return true;
      },
      'status',
    ),
  );
}

function nextCondition(
  old: readonly JsonObject[],
  type: string,
  wrong: readonly [string, string] | undefined,
  well: readonly [string, string],
  now: string,
): JsonObject {
  const before = old.find((condition) => text(condition, 'type') === type);
  const [reason, message] = wrong ?? well;
  const status = wrong ? 'True' : 'False';
  if (
    before &&
    text(before, 'status') === status &&
    text(before, 'reason') === reason &&
    text(before, 'message') === message
  )
    return before;
  return {
    type,
    status,
    lastTransitionTime: before && text(before, 'status') === status ? (before['lastTransitionTime'] ?? now) : now,
    reason,
    message,
  };
}
