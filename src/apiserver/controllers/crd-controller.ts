import { clone, equal, isArray, isObject, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApiError, messageOf } from '../errors/index.js';
import { createWorkQueue, inProcessClient, namesOf } from '../controller-runtime/index.js';
import { timestamp, type RestContext, type LocalClient } from '../rest/index.js';
import { acceptNames, compileCrd } from '../crd/index.js';
import { CRDS } from '../../model/resources/index.js';

const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * Gives every CRD its conditions, serves the established ones, and empties those that are deleted. It is part of the
 * server, not of the controllers: without it custom resources would not exist.
 */
export function startCrdController(context: RestContext): { close(): void } {
  const client = inProcessClient(context, 'kube-apiserver');
  const queue = createWorkQueue(
    context.clock,
    (name) => reconcile(context, client, name),
    () => undefined,
    { objectOf: namesOf(client, CRDS) },
  );
  // Known CRDs are served before the first request comes in.
  for (const crd of client.list(CRDS)) serve(context, crd);
  const watching = client.watch(CRDS, ({ type, object }) => {
    const name = object.metadata.name ?? '';
    if (type === 'DELETED') context.types.setCustom(name, []);
    else serve(context, object);
    queue.add(name);
  });
  return {
    close() {
      watching.close();
      void queue.close();
    },
  };
}

function serve(context: RestContext, crd: KubeObject): void {
  if (hasCondition(crd, 'Established'))
    // One that cannot be compiled must not keep the server from serving all others.
    try {
      context.types.setCustom(crd.metadata.name ?? '', compileCrd(crd), Number(crd.metadata.resourceVersion));
    } catch (error) {
      context.report(`${crd.metadata.name ?? ''} is not served: ${messageOf(error)}`);
    }
}

async function reconcile(context: RestContext, client: LocalClient, name: string): Promise<void> {
  const crd = client.get(CRDS, '', name);
  if (!crd) return;
  if (crd.metadata.deletionTimestamp !== undefined) return cleanUp(client, crd);
  const others = client.list(CRDS).filter((other) => other.metadata.name !== name);
  const status = acceptNames(crd, others, timestamp(context.clock.now()));
  if (equal(status, crd['status'])) return;
  await client.edit(CRDS, '', name, (next) => void (next['status'] = clone(status)), 'status');
}

/** Deletes every object of the kind, then lets the CRD go. Objects held by finalizers bring us back when they leave. */
async function cleanUp(client: LocalClient, crd: KubeObject): Promise<void> {
  const of = { group: groupOf(crd), plural: pluralOf(crd) };
  const left = servedObjects(client, of);
  for (const object of left) {
    if (object.metadata.deletionTimestamp === undefined)
      await client.remove(of, object.metadata.namespace ?? '', object.metadata.name ?? '');
  }
  if (servedObjects(client, of).length > 0) throw new Error(`${crd.metadata.name ?? ''} still has objects`);
  await client.edit(CRDS, '', crd.metadata.name ?? '', (next) => {
    next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP);
  });
}

function servedObjects(client: LocalClient, of: { group: string; plural: string }): KubeObject[] {
  try {
    return client.list(of);
  } catch (error) {
    // Never established, so nothing was ever kept under it.
    if (error instanceof ApiError && error.code === 404) return [];
    throw error;
  }
}

function hasCondition(crd: KubeObject, type: string): boolean {
  const status = crd['status'];
  const conditions = isObject(status) ? status['conditions'] : undefined;
  return (
    isArray(conditions) &&
    conditions.some((condition) => isObject(condition) && condition['type'] === type && condition['status'] === 'True')
  );
}

function specOf(crd: KubeObject): JsonObject {
  return isObject(crd['spec']) ? crd['spec'] : {};
}

function groupOf(crd: KubeObject): string {
  const { group } = specOf(crd);
  return typeof group === 'string' ? group : '';
}

function pluralOf(crd: KubeObject): string {
  const names = specOf(crd)['names'];
  return isObject(names) && typeof names['plural'] === 'string' ? names['plural'] : '';
}
