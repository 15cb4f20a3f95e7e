import { clone, drop, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import type { LocalClient } from '../../rest/index.js';
import { count, maybe, sub } from '../../resources/index.js';
import { controllerReference, ignoreNotFound, isControlledBy } from '../../controller-runtime/index.js';
import { templateHash } from './template-hash.js';

export const REVISIONS = { group: 'apps', plural: 'controllerrevisions' } as const;
const HASH_LABEL = 'controller.kubernetes.io/hash';
/** Room for a hash in a name of 253 characters. */
const MAX_PARENT_LENGTH = 223;

/** Templates that a StatefulSet or DaemonSet had, each kept as a ControllerRevision. */
export interface History {
  /** The revision of the present template. */
  readonly update: KubeObject;
  /** All of them, oldest first. */
  readonly all: readonly KubeObject[];
  readonly collisions: number;
}

interface Parts {
  readonly client: LocalClient;
  readonly owner: KubeObject;
  /** The label that carries the hash. */
  readonly hashLabel?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function revisionNumber(revision: KubeObject): number {
  return count(revision, 'revision');
}

export function revisionHash(revision: KubeObject, label: string): string {
  const hash = own(revision.metadata.labels ?? {}, label);
  return typeof hash === 'string' ? hash : '';
}

/** The pod template that a revision keeps. */
export function templateOf(revision: KubeObject): JsonObject {
  const template = clone(sub(revision, 'data.spec.template'));
  drop(template, '$patch');
  return template;
}

export function revisionsOf(client: LocalClient, owner: KubeObject): KubeObject[] {
  return client
    .list(REVISIONS, owner.metadata.namespace)
    .filter((each) => isControlledBy(each, owner))
    .sort((a, b) => revisionNumber(a) - revisionNumber(b));
}

/** Finds or makes the revision of the owner's template; one from the past becomes the newest again. */
export async function recordRevision(parts: Parts): Promise<History> {
  const { client, owner } = parts;
  const all = revisionsOf(client, owner);
  const newest = all.at(-1);
  const collisions = count(maybe(owner, 'status'), 'collisionCount');
  const data: JsonObject = { spec: { template: { ...clone(sub(owner, 'spec.template')), $patch: 'replace' } } };
  const same = all.filter((each) => equal(each['data'], data)).at(-1);
  if (same !== undefined && same === newest) return { update: same, all, collisions };
  const next = newest === undefined ? 1 : revisionNumber(newest) + 1;
  if (same === undefined) return create(parts, all, data, next, collisions);
  const update = await client.update(REVISIONS, { ...same, revision: next });
  return { update, all: [...all.filter((each) => each !== same), update], collisions };
}

async function create(
  parts: Parts,
  all: readonly KubeObject[],
  data: JsonObject,
  revision: number,
  firstCollisions: number,
): Promise<History> {
  for (let collisions = firstCollisions; ; collisions++) {
    const wanted = newRevision(parts, data, revision, collisions);
    const update = await createOrFind(parts.client, wanted);
    if (update) return { update, all: [...all, update], collisions };
  }
}

function newRevision(
  { owner, hashLabel = HASH_LABEL, annotations = {} }: Parts,
  data: JsonObject,
  revision: number,
  collisions: number,
): KubeObject {
  const hash = templateHash(data, collisions);
  const labels = clone(sub(owner, 'spec.template.metadata.labels')) as Record<string, string>;
  put(labels, hashLabel, hash);
  const { name = '', namespace = '' } = owner.metadata;
  return {
    kind: 'ControllerRevision',
    apiVersion: 'apps/v1',
    metadata: {
      name: `${name.slice(0, MAX_PARENT_LENGTH)}-${hash}`,
      namespace,
      labels,
      ownerReferences: [controllerReference(owner)],
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: clone(annotations) }),
    },
    data,
    revision,
  };
}

/** Undefined where the name belongs to other data. */
async function createOrFind(client: LocalClient, wanted: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await client.create(REVISIONS, wanted);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error;
    const taken = client.get(REVISIONS, wanted.metadata.namespace ?? '', wanted.metadata.name ?? '');
    return taken && equal(taken['data'], wanted['data']) ? taken : undefined;
  }
}

/** Deletes the oldest revisions that nothing uses, beyond the limit. */
export async function truncateHistory(
  client: LocalClient,
  all: readonly KubeObject[],
  isUsed: (revision: KubeObject) => boolean,
  limit: number,
): Promise<void> {
  const unused = all.filter((each) => !isUsed(each));
  for (const each of unused.slice(0, Math.max(0, unused.length - limit))) {
    const { namespace = '', name = '' } = each.metadata;
    await ignoreNotFound(client.remove(REVISIONS, namespace, name));
  }
}
