import { ClusterError } from '../../cluster/index.js';
import { createActions, type Action, type Actions, type Impact } from '../../health/index.js';
import { createMergePatch } from '../../model/patch/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject } from '../../model/json/index.js';
import { findObjectViolation } from '../../model/argo/index.js';
import { gvkOf, keyOf, type KubeObject } from '../../model/kubernetes/index.js';
import type { ApplicationService } from './application-service.js';
import type { LiveResource } from './live-resource.js';

/** What can be done with an object now. */
export function actionsOf(object: KubeObject, desk: ApplicationService): readonly Action[] {
  return openActions(desk).discover(object);
}

const MAX_ATTEMPTS = 5;

/** Runs one on the object as it is; somebody else's write in between starts it again from what they wrote. */
export async function runAction(
  read: () => Promise<LiveResource>,
  application: KubeObject,
  name: string,
  given: Readonly<Record<string, string>>,
  desk: ApplicationService,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await runOnce(await read(), application, name, given, desk);
      return;
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function runOnce(
  live: LiveResource,
  application: KubeObject,
  name: string,
  given: Readonly<Record<string, string>>,
  desk: ApplicationService,
): Promise<void> {
  const impacts = openActions(desk).run(live.object, name, given);
  const { project, destination } = desk.admit(application);
  for (const { resource } of impacts) {
    const { group, kind } = gvkOf(resource);
    const objection = findObjectViolation(
      project,
      { ...keyOf(resource), group, kind, isNamespaced: live.kindOf(resource)?.namespaced ?? true },
      destination,
    );
    if (objection !== undefined) throw new Fault('OPERATION_REFUSED', objection);
  }
  await applyImpacts(live, impacts);
}

/**
 * Does to the cluster what an action comes to. What it makes is tried as a dry run first, so that little is left half
 * done.
 */
export async function applyImpacts(live: LiveResource, impacts: readonly Impact[]): Promise<void> {
  for (const { operation, resource } of impacts)
    if (operation === 'create') await live.cluster.create(refOf(live, resource), resource, { dryRun: true });
  for (const impact of impacts) await applyImpact(live, impact);
}

function openActions(desk: ApplicationService): Actions {
  return createActions({
    catalogue: desk.catalogue,
    overrides: desk.overrides,
    now: () => desk.now(),
    elapsed: () => performance.now(),
  });
}

function refOf({ kindOf }: LiveResource, resource: KubeObject): LiveResource['ref'] {
  const ref = kindOf(resource);
  if (ref === undefined)
    throw new Fault('KIND_UNKNOWN', `the cluster has no kind ${resource.apiVersion} ${resource.kind}`);
  return ref;
}

async function applyImpact(live: LiveResource, { operation, resource }: Impact): Promise<void> {
  const ref = refOf(live, resource);
  if (operation === 'create') {
    await live.cluster.create(ref, resource);
    return;
  }
  const { namespace, name = '', resourceVersion } = live.object.metadata;
  const patch = createMergePatch(live.object, resource);
  if (Object.keys(patch).length === 0) return;
  // The version makes it a change of the object that was looked at, and of no later one.
  const metadata = { ...(isObject(patch.metadata) ? patch.metadata : {}), resourceVersion };
  await live.cluster.patch(ref, { namespace, name }, { type: 'merge', body: { ...patch, metadata } });
}
