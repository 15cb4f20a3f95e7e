import { type Clock, ClusterError, pause } from '../../cluster/index.js';
import type { Impact } from '../../health/index.js';
import { createMergePatch } from '../../model/patch/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject } from '../../model/json/index.js';
import { findObjectViolation } from '../../model/argo/index.js';
import { gvkOf, keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import type { Admitted } from '../delivery/index.js';
import type { LiveResource } from './live-resource.js';

/** Before each further attempt; an object in the middle of a rollout changes several times a second. */
const RETRY_DELAYS = [10, 50, 250, 1000];

/** Runs an action on the object as it is; on a conflict it is read and the action runs again. */
export async function runAction(
  read: () => Promise<LiveResource>,
  run: (object: KubeObject) => readonly Impact[],
  admit: () => Admitted,
  clock: Clock,
): Promise<void> {
  for (const retryDelay of [...RETRY_DELAYS, undefined]) {
    try {
      await runOnce(await read(), run, admit);
      return;
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isConflict || retryDelay === undefined) throw error;
      await pause(clock, retryDelay);
    }
  }
}

async function runOnce(
  live: LiveResource,
  run: (object: KubeObject) => readonly Impact[],
  admit: () => Admitted,
): Promise<void> {
  const impacts = run(live.object);
  const { project, destination } = admit();
  for (const { subresource, resource: changed } of impacts) {
    const resource = subresource === undefined ? changed : live.object;
    const { group, kind } = gvkOf(resource);
    const violation = findObjectViolation(
      project,
      { ...keyOf(resource), group, kind, isNamespaced: live.kindOf(resource)?.namespaced ?? true },
      destination,
    );
    const refusal = violation ?? live.findScopeViolation(keyOf(resource));
    if (refusal !== undefined) throw new Fault('OPERATION_REFUSED', refusal);
  }
  await applyImpacts(live, impacts);
}

/** Writes the impacts of an action. Objects are created as a dry run first, so that little is left half done. */
export async function applyImpacts(live: LiveResource, impacts: readonly Impact[]): Promise<void> {
  for (const { operation, resource, subresource } of impacts)
    if (operation === 'create' && subresource === undefined)
      await live.cluster.create(refOf(live, resource), resource, { dryRun: true });
  for (const impact of impacts) await applyImpact(live, impact);
}

function refOf({ kindOf }: LiveResource, resource: KubeObject): LiveResource['ref'] {
  const ref = kindOf(resource);
  if (ref === undefined)
    throw new Fault('KIND_UNKNOWN', `the cluster does not serve ${resource.apiVersion} ${resource.kind}`);
  return ref;
}

async function applyImpact(live: LiveResource, { operation, resource, subresource }: Impact): Promise<void> {
  if (subresource !== undefined) {
    await live.cluster.create(live.ref, resource, { subresource });
    return;
  }
  const ref = refOf(live, resource);
  if (operation === 'create') {
    await live.cluster.create(ref, resource);
    return;
  }
  const { namespace, name = '', resourceVersion } = live.object.metadata;
  const patch = createMergePatch(live.object, resource);
  if (Object.keys(patch).length === 0) return;
  // The version makes the server reject the patch where the object changed since it was read.
  const metadata = { ...(isObject(patch.metadata) ? patch.metadata : {}), resourceVersion };
  await live.cluster.patch(ref, { namespace, name }, { type: 'merge', body: { ...patch, metadata } });
}
