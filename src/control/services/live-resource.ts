import type { Cluster } from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import { maskSecrets } from '../../diff/index.js';
import { Fault } from '../../model/faults/index.js';
import { joinApiVersion, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { Settings } from '../../model/settings/index.js';
import type { ApplicationTree, ResourceNode } from './resource-tree.js';

export interface Destination {
  readonly cluster: Cluster;
  /** How the kind of an object is addressed there; undefined where it is not served. */
  kindOf(object: { readonly apiVersion: string; readonly kind: string }): ResourceRef | undefined;
  /** Why the Secret of the cluster does not let the object be managed. */
  findScopeViolation(key: Key): string | undefined;
}

/** An object of an application's tree, as the cluster has it now. */
export interface LiveResource extends Destination {
  readonly object: KubeObject;
  readonly ref: ResourceRef;
}

/** Reads only what is in the tree of the application. `version` may name another version of the kind. */
export async function readLive(
  tree: ApplicationTree,
  findDestination: () => Promise<Destination>,
  application: KubeObject,
  key: Key,
  version: string,
): Promise<LiveResource> {
  const node = [...tree.nodes, ...(tree.orphanedNodes ?? [])].find((each) => isAt(each, key));
  if (node?.uid === undefined) throw missing(key, application);
  const destination = await findDestination();
  const wanted = {
    apiVersion: joinApiVersion(key.group, version === '' ? (node.version ?? '') : version),
    kind: key.kind,
  };
  const ref = destination.kindOf(wanted);
  if (ref === undefined)
    throw new Fault('KIND_UNKNOWN', `the cluster does not serve ${wanted.apiVersion} ${wanted.kind}`);
  const object = await destination.cluster.get(ref, {
    name: key.name,
    ...(ref.namespaced ? { namespace: key.namespace } : {}),
  });
  if (object === undefined) throw missing(key, application);
  return { ...destination, object, ref };
}

function isAt({ group = '', kind, namespace = '', name }: ResourceNode, key: Key): boolean {
  return keyText({ group, kind, namespace, name }) === keyText(key);
}

function missing({ group, kind, name }: Key, application: KubeObject): Fault {
  return new Fault(
    'VALUE_INVALID',
    `${[kind, group, name].filter((word) => word !== '').join(' ')} not found as part of application ` +
      (application.metadata.name ?? ''),
  );
}

/** With the values of Secrets hidden. */
export function maskLive(
  object: KubeObject,
  { sensitiveAnnotations: annotations }: Pick<Settings, 'sensitiveAnnotations'>,
): KubeObject {
  return maskSecrets([object], { annotations })[0] ?? object;
}

const PATCHES = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  '': 'merge',
} as const;

export async function patchLive(
  { cluster, ref, object }: LiveResource,
  type: string,
  body: JsonObject | JsonObject[],
): Promise<KubeObject> {
  const known = Object.hasOwn(PATCHES, type) ? PATCHES[type as keyof typeof PATCHES] : undefined;
  if (known === undefined)
    throw new Fault(
      'VALUE_INVALID',
      `patch type "${type.slice(0, 100)}" is not supported: use ${Object.keys(PATCHES)
        .filter((name) => name !== '')
        .join(', ')}`,
      { where: 'patchType' },
    );
  if ((known === 'json') !== Array.isArray(body))
    throw new Fault(
      'PATCH_INVALID',
      known === 'json' ? 'a JSON patch is a list of operations' : 'a merge patch is an object',
    );
  const id = { name: object.metadata.name ?? '', ...(ref.namespaced ? { namespace: object.metadata.namespace } : {}) };
  return cluster.patch(
    ref,
    id,
    known === 'json' ? { type: 'json', body: body as JsonObject[] } : { type: known, body: body as JsonObject },
  );
}

const PROPAGATION = { foreground: 'Foreground', orphan: 'Orphan', force: 'Background' } as const;

export async function removeLive(
  { cluster, ref, object }: LiveResource,
  how: 'foreground' | 'orphan' | 'force',
): Promise<void> {
  const { name = '', namespace, uid = '' } = object.metadata;
  await cluster.remove(
    ref,
    { name, ...(ref.namespaced ? { namespace } : {}) },
    {
      uid,
      propagation: PROPAGATION[how],
      ...(how === 'force' ? { gracePeriodSeconds: 0 } : {}),
    },
  );
}
