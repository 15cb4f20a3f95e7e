import { basename } from 'node:path';
import {
  equal,
  Fault,
  isCompleted,
  isObject,
  keyOf,
  keyText,
  type Application,
  type Key,
  type KubeObject,
} from '../../model/index.js';
import { resolveSources } from '../make-manifests.js';
import { instanceName, type Admitted } from './admit.js';
import type { ClusterView } from './cluster-view.js';
import type { Desk, NextLook } from './desk.js';
import { factKey } from './facts.js';
import type { Pass } from './pass.js';
import type { ApplicationRecord } from './record.js';
import { digestOf, type Settled } from './settled-book.js';

/** The name of a built file changes with its content and with all that it imports. */
const CODE = basename(import.meta.url);

/**
 * Whether the application is exactly as when nothing was left to do with it, at the commits that its repositories have
 * now.
 * Where that cannot be said for any reason, the answer is no, and a whole look finds the reason.
 */
export async function isStillSettled(
  { application, cluster }: Admitted,
  record: ApplicationRecord,
  desk: Desk,
): Promise<boolean> {
  if (record.head !== undefined || record.refresh !== undefined || record.brokenSince !== undefined) return false;
  const settled = desk.settled.find(application.uid);
  if (settled === undefined || settled.version !== application.object.metadata.resourceVersion) return false;
  try {
    const view = await desk.clusters.view(cluster);
    if (settled.basis !== basisOf(view, desk) || !(await isSameLive(settled, application, view, desk))) return false;
    const asked = record.staleSince;
    const commits = await resolveSources(
      application,
      desk.workshop,
      asked === undefined ? undefined : Math.max(0, desk.clock.steady() - asked),
    );
    if (!equal([...commits], [...settled.revisions])) return false;
    // What was asked for meanwhile is still to be done.
    if (record.staleSince === asked) record.staleSince = undefined;
    record.wanted = new Set(settled.objects.keys());
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Milliseconds that the first list of a kind may take. */
const SETTLED_WITHIN = 10_000;

async function isSameLive(
  { objects }: Settled,
  application: Application,
  view: ClusterView,
  desk: Desk,
): Promise<boolean> {
  const keys = [...objects.keys()].map(keyFrom);
  const kinds = [...new Map(keys.map((key) => [`${key.group}/${key.kind}`, key])).values()];
  await view.settle(kinds, SETTLED_WITHIN);
  if (view.silence !== undefined || kinds.some((kind) => view.doubtAbout(kind) !== undefined)) return false;
  if (view.ownedBy(instanceName(application, desk.controlNamespace)).some((live) => !objects.has(keyText(keyOf(live)))))
    return false;
  return keys.every((key) => versionOf(view.get(key)) === objects.get(keyText(key)));
}

/** Remembers an application with which nothing is left to do, and forgets what was remembered of any other. */
export function noteSettled(pass: Pass, next: NextLook): void {
  const { application, record, view, desk } = pass;
  const { head, observation } = record;
  const written = desk.home.application(application.namespace, application.name);
  const isWhole =
    head?.made.sources.every(({ isPinned }) => isPinned) === true &&
    next.afterMilliseconds === undefined &&
    !desk.isReadOnly();
  if (!isWhole || observation === undefined || written === undefined || !isAtRest(written, application)) {
    desk.settled.drop(application.uid);
    return;
  }
  const assessor = desk.assessor();
  const lives = [...observation.resources.flatMap(({ live }) => live ?? []), ...view.ownedBy(pass.instance)];
  const facts = lives.flatMap((live) => assessor.wants(live).map((wanted) => factKey(view, wanted, live)));
  const keys = new Map(
    [...observation.resources.map(({ key }) => key), ...lives.map(keyOf), ...facts].map((key) => [keyText(key), key]),
  );
  desk.settled.note(application.uid, {
    version: written.metadata.resourceVersion ?? '',
    basis: basisOf(view, desk),
    revisions: head.made.sources.map(({ revision }) => revision),
    objects: new Map([...keys].map(([name, key]) => [name, versionOf(view.get(key))])),
  });
}

/** Synced and Healthy without a word, and as far as people decide it still what this pass looked at. */
function isAtRest({ spec, operation, metadata, status }: KubeObject, { object, uid }: Application): boolean {
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

function basisOf(view: ClusterView, { home }: Desk): string {
  return digestOf([CODE, home.version, view.server, view.kindsDigest].join('\n'));
}

function versionOf(object: KubeObject | undefined): string {
  return object === undefined ? '' : `${object.metadata.uid ?? ''}/${object.metadata.resourceVersion ?? ''}`;
}

/** Back from `keyText`: no part of a key holds a slash. */
function keyFrom(text: string): Key {
  const [group = '', kind = '', namespace = '', name = ''] = text.split('/');
  return { group, kind, namespace, name };
}
