import { clone, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { conflict, notFound } from '../errors/index.js';
import { StaleWrite } from '../store/index.js';
import { fromStored, keyFor, timestamp, toStored, type VerbResult, type Call, type RestContext } from './context.js';

export interface Binding {
  readonly node: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Gives a pod its node. The real server writes this past the endpoint's usual way: neither generation nor
 * managedFields change. `call` names the pod.
 */
export async function bind(context: RestContext, call: Call, binding: Binding): Promise<VerbResult> {
  const { type, name } = call;
  const head = context.store.head(keyFor(type, call.namespace, name));
  if (!head) throw notFound({ group: '', resource: 'pods' }, name);
  const pod = fromStored(type, head);
  checkBinding(pod, binding);
  const next = bound(pod, binding, timestamp(context.clock.now()));
  if (call.dryRun) return { object: next };
  try {
    const stored = await context.store.write(head.key, head, () => toStored(type, next));
    return { object: fromStored(type, stored), stored };
  } catch (error) {
    if (error instanceof StaleWrite)
      throw bindConflict(
        name,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
    throw error;
  }
}

function bindConflict(name: string, why: string): Error {
  return conflict({ group: '', resource: 'pods/binding' }, name, why);
}

function checkBinding(pod: KubeObject, { uid, resourceVersion }: Binding): void {
  const { metadata } = pod;
  const name = metadata.name ?? '';
  const spec = pod['spec'] as JsonObject;
  const stale = (what: string, asked: string, is: string): Error =>
    bindConflict(
      name,
      `StorageError: invalid object, Code: 4, Key: /registry/pods/${metadata.namespace ?? ''}/${name}, ` +
        `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${asked}, ` +
        `${what} in object meta: ${is}`,
    );
  if (uid !== undefined && uid !== metadata.uid) throw stale('UID', uid, metadata.uid ?? '');
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw stale('ResourceVersion', resourceVersion, metadata.resourceVersion ?? '');
  if (metadata.deletionTimestamp !== undefined)
    throw bindConflict(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '')
    throw bindConflict(name, `pod ${name} is already assigned to node ${JSON.stringify(spec['nodeName'])}`);
  const gates = spec['schedulingGates'];
  if (Array.isArray(gates) && gates.length > 0)
    throw bindConflict(name, `pod ${name} has non-empty .spec.schedulingGates`);
}

function bound(pod: KubeObject, { node, annotations = {}, labels = {} }: Binding, now: string): KubeObject {
  const next = clone(pod);
  const { metadata } = next;
  (next['spec'] as JsonObject)['nodeName'] = node;
  if (Object.keys(annotations).length > 0) metadata.annotations = { ...metadata.annotations, ...annotations };
  if (Object.keys(labels).length > 0) metadata.labels = { ...metadata.labels, ...labels };
  const status = (next['status'] ?? {}) as JsonObject;
  delete status['nominatedNodeName'];
  const conditions = (Array.isArray(status['conditions']) ? status['conditions'] : []) as JsonObject[];
  const scheduled: JsonObject = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  status['conditions'] = [...conditions.filter((condition) => condition['type'] !== 'PodScheduled'), scheduled];
  next['status'] = status;
  return next;
}
