import { basename } from 'node:path';
import { equal, isObject } from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import type { Application } from '../../model/argo/index.js';
import { keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { resolveSources } from '../manifests/index.js';
import { instanceName } from './admission.js';
import { type ClusterCache, digestOf, type UnchangedApplication } from '../cache/index.js';
import type { ReconcileContext } from './reconcile-context.js';
import { relatedObjectKey } from '../comparison/index.js';
import type { CacheUpdate } from './reconcile-memory.js';
import { revisionsOf } from './render-targets.js';
import type { AdmittedApplication, OperatedApplication } from './sub-reconciler.js';

/** The name of a built file changes with its content and with all that it imports. */
const CODE_VERSION = basename(import.meta.url);

/**
 * Whether the application is exactly as it was when nothing was left to do, at the commits that its repositories have
 * now. Undefined if it is not, or if that cannot be established: the rest of the reconcile then finds out why.
 */
export async function findUnchanged({
  application,
  cluster,
  cache: { values, staleSince },
  context,
}: AdmittedApplication): Promise<CacheUpdate | undefined> {
  if (values.head !== undefined || values.refresh !== undefined || values.failingSince !== undefined) return undefined;
  const known = context.unchanged.get(application.uid);
  if (known === undefined || known.version !== application.object.metadata.resourceVersion) return undefined;
  try {
    const clusterCache = await context.clusters.cacheOf(cluster);
    if (
      known.basis !== basisOf(clusterCache, context) ||
      !(await hasSameLiveObjects(known, application, clusterCache, context))
    )
      return undefined;
    const commits = await resolveSources(
      application,
      context.renderer,
      staleSince === undefined ? undefined : Math.max(0, context.clock.steady() - staleSince),
    );
    if (!equal([...commits], [...known.revisions])) return undefined;
    return { answered: staleSince, resourceTopics: new Set(known.objects.keys()) };
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Milliseconds that the first list of a kind may take. */
const CACHE_SYNC_TIMEOUT = 10_000;

async function hasSameLiveObjects(
  { objects }: UnchangedApplication,
  application: Application,
  clusterCache: ClusterCache,
  context: ReconcileContext,
): Promise<boolean> {
  const keys = [...objects.keys()].map(parseKeyText);
  const kinds = [...new Map(keys.map((key) => [`${key.group}/${key.kind}`, key])).values()];
  await clusterCache.waitForSync(kinds, CACHE_SYNC_TIMEOUT);
  if (
    clusterCache.disconnectedFor !== undefined ||
    kinds.some((kind) => clusterCache.unreadableReason(kind) !== undefined)
  )
    return false;
  if (
    clusterCache
      .ownedBy(instanceName(application, context.controlNamespace))
      .some((live) => !objects.has(keyText(keyOf(live))))
  )
    return false;
  return keys.every((key) => versionOf(clusterCache.get(key)) === objects.get(keyText(key)));
}

/** Remembers an application that is Synced and Healthy, and forgets any other. */
export function recordUnchanged(operated: OperatedApplication): void {
  const { application, clusterCache, context, head, headState, requeueAt, object } = operated;
  const written = context.controlPlane.application(application.namespace, application.name);
  const isComplete =
    head.rendered.sources.every(({ isPinned }) => isPinned) && requeueAt === undefined && !context.isReadOnly();
  if (!isComplete || written === undefined || !isSyncedAndHealthy(written, object)) {
    context.unchanged.delete(application.uid);
    return;
  }
  const assessor = context.assessor();
  const lives = [...headState.resources.flatMap(({ live }) => live ?? []), ...clusterCache.ownedBy(operated.instance)];
  const facts = lives.flatMap((live) =>
    assessor.requiredFacts(live).map((wanted) => relatedObjectKey(clusterCache, wanted, live)),
  );
  const keys = new Map(
    [...headState.resources.map(({ key }) => key), ...lives.map(keyOf), ...facts].map((key) => [keyText(key), key]),
  );
  context.unchanged.set(application.uid, {
    version: written.metadata.resourceVersion ?? '',
    basis: basisOf(clusterCache, context),
    revisions: revisionsOf(head),
    objects: new Map([...keys].map(([name, key]) => [name, versionOf(clusterCache.get(key))])),
  });
}

/**
 * Synced and Healthy without conditions, and nobody has changed spec or annotations since the reconcile began. After an
 * operation that failed the next reconcile is a whole one, whatever the status says.
 */
function isSyncedAndHealthy(written: KubeObject, begun: KubeObject): boolean {
  const { spec, operation, metadata, status } = written;
  if (
    metadata.uid !== begun.metadata.uid ||
    metadata.deletionTimestamp !== undefined ||
    operation !== undefined ||
    !isObject(status)
  )
    return false;
  const { sync, health, operationState: state, conditions } = status;
  const isSame =
    equal(spec ?? null, begun.spec ?? null) && equal({ ...metadata.annotations }, { ...begun.metadata.annotations });
  const isGood =
    isObject(sync) &&
    sync.status === 'Synced' &&
    isObject(health) &&
    health.status === 'Healthy' &&
    conditions === undefined;
  return isSame && isGood && (!isObject(state) || state.phase === 'Succeeded');
}

function basisOf(clusterCache: ClusterCache, { controlPlane }: ReconcileContext): string {
  return digestOf([CODE_VERSION, controlPlane.version, clusterCache.server, clusterCache.kindsDigest].join('\n'));
}

function versionOf(object: KubeObject | undefined): string {
  return object === undefined ? '' : `${object.metadata.uid ?? ''}/${object.metadata.resourceVersion ?? ''}`;
}

/** Back from `keyText`: no part of a key holds a slash. */
function parseKeyText(text: string): Key {
  const [group = '', kind = '', namespace = '', name = ''] = text.split('/');
  return { group, kind, namespace, name };
}
