import { basename } from 'node:path';
import { equal, isObject } from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import { isCompleted, type Application } from '../../model/argo/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { resolveSources } from '../manifests/index.js';
import { instanceName, type Admitted } from './admission.js';
import { type ClusterCache, digestOf, type UnchangedApplication } from '../cache/index.js';
import type { ReconcileContext, RequeueAfter } from './reconcile-context.js';
import { relatedObjectKey } from '../comparison/index.js';
import type { Reconciliation } from './reconciliation.js';
import type { ReconcileState } from './reconcile-state.js';

/** The name of a built file changes with its content and with all that it imports. */
const CODE_VERSION = basename(import.meta.url);

/**
 * Whether the application is exactly as when nothing was left to do with it, at the commits that its repositories have
 * now.
 * Where that cannot be said for any reason, the answer is no, and a whole look finds the reason.
 */
export async function isUnchanged(
  { application, cluster }: Admitted,
  record: ReconcileState,
  desk: ReconcileContext,
): Promise<boolean> {
  if (record.head !== undefined || record.refresh !== undefined || record.failingSince !== undefined) return false;
  const settled = desk.unchanged.get(application.uid);
  if (settled === undefined || settled.version !== application.object.metadata.resourceVersion) return false;
  try {
    const view = await desk.clusters.cacheOf(cluster);
    if (settled.basis !== basisOf(view, desk) || !(await hasSameLiveObjects(settled, application, view, desk)))
      return false;
    const asked = record.staleSince;
    const commits = await resolveSources(
      application,
      desk.renderer,
      asked === undefined ? undefined : Math.max(0, desk.clock.steady() - asked),
    );
    if (!equal([...commits], [...settled.revisions])) return false;
    // What was asked for meanwhile is still to be done.
    if (record.staleSince === asked) record.staleSince = undefined;
    record.resourceTopics = new Set(settled.objects.keys());
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Milliseconds that the first list of a kind may take. */
const CACHE_SYNC_TIMEOUT = 10_000;

async function hasSameLiveObjects(
  { objects }: UnchangedApplication,
  application: Application,
  view: ClusterCache,
  desk: ReconcileContext,
): Promise<boolean> {
  const keys = [...objects.keys()].map(parseKeyText);
  const kinds = [...new Map(keys.map((key) => [`${key.group}/${key.kind}`, key])).values()];
  await view.waitForSync(kinds, CACHE_SYNC_TIMEOUT);
  if (view.disconnectedFor !== undefined || kinds.some((kind) => view.unreadableReason(kind) !== undefined))
    return false;
  if (view.ownedBy(instanceName(application, desk.controlNamespace)).some((live) => !objects.has(keyText(keyOf(live)))))
    return false;
  return keys.every((key) => versionOf(view.get(key)) === objects.get(keyText(key)));
}

/** Remembers an application with which nothing is left to do, and forgets what was remembered of any other. */
export function recordUnchanged(pass: Reconciliation, next: RequeueAfter): void {
  const { application, reconcileState, clusterCache, context } = pass;
  const { head, comparedState } = reconcileState;
  const written = context.controlPlane.application(application.namespace, application.name);
  const isWhole =
    head?.rendered.sources.every(({ isPinned }) => isPinned) === true &&
    next.milliseconds === undefined &&
    !context.isReadOnly();
  if (!isWhole || comparedState === undefined || written === undefined || !isSyncedAndHealthy(written, application)) {
    context.unchanged.delete(application.uid);
    return;
  }
  const assessor = context.assessor();
  const lives = [...comparedState.resources.flatMap(({ live }) => live ?? []), ...clusterCache.ownedBy(pass.instance)];
  const facts = lives.flatMap((live) =>
    assessor.requiredFacts(live).map((wanted) => relatedObjectKey(clusterCache, wanted, live)),
  );
  const keys = new Map(
    [...comparedState.resources.map(({ key }) => key), ...lives.map(keyOf), ...facts].map((key) => [keyText(key), key]),
  );
  context.unchanged.set(application.uid, {
    version: written.metadata.resourceVersion ?? '',
    basis: basisOf(clusterCache, context),
    revisions: head.rendered.sources.map(({ revision }) => revision),
    objects: new Map([...keys].map(([name, key]) => [name, versionOf(clusterCache.get(key))])),
  });
}

/** Synced and Healthy without a word, and as far as people decide it still what this pass looked at. */
function isSyncedAndHealthy({ spec, operation, metadata, status }: KubeObject, { object, uid }: Application): boolean {
  if (metadata.uid !== uid || metadata.deletionTimestamp !== undefined || operation !== undefined || !isObject(status))
    return false;
  const { sync, health, operationState: state, conditions } = status;
  const isSame =
    equal(spec ?? null, object.spec ?? null) && equal({ ...metadata.annotations }, { ...object.metadata.annotations });
  const isGood =
    isObject(sync) &&
    sync.status === 'Synced' &&
    isObject(health) &&
    health.status === 'Healthy' &&
    conditions === undefined;
  return isSame && isGood && (!isObject(state) || isCompleted(state.phase));
}

function basisOf(view: ClusterCache, { controlPlane }: ReconcileContext): string {
  return digestOf([CODE_VERSION, controlPlane.version, view.server, view.kindsDigest].join('\n'));
}

function versionOf(object: KubeObject | undefined): string {
  return object === undefined ? '' : `${object.metadata.uid ?? ''}/${object.metadata.resourceVersion ?? ''}`;
}

/** Back from `keyText`: no part of a key holds a slash. */
function parseKeyText(text: string): Key {
  const [group = '', kind = '', namespace = '', name = ''] = text.split('/');
  return { group, kind, namespace, name };
}
