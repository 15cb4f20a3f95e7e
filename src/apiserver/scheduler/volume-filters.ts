import type { KubeObject } from '../../model/kubernetes/index.js';
import { CSI_DRIVER, SIMULATED } from './volume-claims.js';
import { findVolume, fitsNode, isBound } from './match-volume.js';
import { classOf } from '../kinds/index.js';
import { items, maybe, text, texts } from '../resources/index.js';
import {
  check,
  unresolvable,
  unschedulable,
  SKIP,
  type ClusterSnapshot,
  type Filter,
  type NodeRejection,
} from './filter.js';
import { matchesTerm } from './node-match.js';

interface ClaimUse {
  readonly name: string;
  readonly ephemeral: boolean;
}

/** The claims that a pod mounts; those of generic ephemeral volumes are named after pod and volume. */
export function claimsOf(pod: KubeObject): ClaimUse[] {
  return items(maybe(pod, 'spec'), 'volumes').flatMap((volume): ClaimUse[] => {
    const claim = maybe(volume, 'persistentVolumeClaim');
    if (claim) return [{ name: text(claim, 'claimName'), ephemeral: false }];
    return maybe(volume, 'ephemeral')
      ? [{ name: `${pod.metadata.name ?? ''}-${text(volume, 'name')}`, ephemeral: true }]
      : [];
  });
}

/** Why the pod's claims rule out every node, or the claims themselves. */
function readClaims(pod: KubeObject, view: ClusterSnapshot): string | KubeObject[] {
  const found: KubeObject[] = [];
  for (const { name, ephemeral } of claimsOf(pod)) {
    const claim = view.claim(pod.metadata.namespace ?? '', name);
    if (!claim)
      return ephemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${JSON.stringify(name)}`
        : `persistentvolumeclaim ${JSON.stringify(name)} not found`;
    if (text(maybe(claim, 'status'), 'phase') === 'Lost') {
      const volume = JSON.stringify(text(maybe(claim, 'spec'), 'volumeName'));
      return `persistentvolumeclaim ${JSON.stringify(name)} bound to non-existent persistentvolume ${volume}`;
    }
    if (claim.metadata.deletionTimestamp !== undefined)
      return `persistentvolumeclaim ${JSON.stringify(name)} is being deleted`;
    found.push(claim);
  }
  return found;
}

/** Binding of this claim waits for a pod that uses it. */
export function waitsForConsumer(claim: KubeObject, view: Pick<ClusterSnapshot, 'storageClass'>): boolean {
  const storageClass = view.storageClass(classOf(claim));
  return text(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer';
}

/** The claims whose binding the choice of a node decides. */
export function openClaims(pod: KubeObject, view: ClusterSnapshot): KubeObject[] {
  const claims = readClaims(pod, view);
  return typeof claims === 'string' ? [] : claims.filter((claim) => !isBound(claim));
}

export const volumeBinding: Filter = {
  name: 'VolumeBinding',
  prepare({ pod }, view) {
    const claims = readClaims(pod, view);
    if (typeof claims === 'string') return { kind: 'reject', reason: claims };
    if (claims.length === 0) return SKIP;
    const bound = claims.filter(isBound);
    const open = claims.filter((claim) => !isBound(claim));
    if (open.some((claim) => !waitsForConsumer(claim, view) || text(maybe(claim, 'spec'), 'volumeName') !== '')) {
      return { kind: 'reject', reason: 'pod has unbound immediate PersistentVolumeClaims' };
    }
    return check(({ node }) => checkVolumes(node, bound, open, view));
  },
};

function checkVolumes(
  node: KubeObject,
  bound: readonly KubeObject[],
  open: readonly KubeObject[],
  view: ClusterSnapshot,
): NodeRejection | undefined {
  const reasons: string[] = [];
  const volumes = bound.map((claim) => view.volume(text(maybe(claim, 'spec'), 'volumeName')));
  if (volumes.some((volume) => volume !== undefined && !fitsNode(volume, node)))
    reasons.push("node(s) didn't match PersistentVolume's node affinity");
  if (!open.every((claim) => mayBind(claim, node, view)))
    reasons.push("node(s) didn't find available persistent volumes to bind");
  if (volumes.includes(undefined))
    reasons.push('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');
  return reasons.length === 0 ? undefined : unresolvable(...reasons);
}

function mayBind(claim: KubeObject, node: KubeObject, view: ClusterSnapshot): boolean {
  const selected = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
  if (selected !== undefined) return selected === node.metadata.name;
  return findVolume(claim, view.volumes(), node) !== undefined || mayProvision(claim, node, view);
}

function mayProvision(claim: KubeObject, node: KubeObject, view: ClusterSnapshot): boolean {
  const storageClass = view.storageClass(classOf(claim));
  const provisioner = text(storageClass, 'provisioner');
  if (provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') return false;
  const topologies = items(storageClass, 'allowedTopologies');
  return (
    topologies.length === 0 ||
    topologies.some((term) =>
      items(term, 'matchLabelExpressions').every((rule) =>
        matchesTerm({ matchExpressions: [{ ...rule, operator: 'In' }] }, node),
      ),
    )
  );
}

const IN_USE =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

export const volumeRestrictions: Filter = {
  name: 'VolumeRestrictions',
  prepare({ pod }, view) {
    const namespace = pod.metadata.namespace ?? '';
    const names = claimsOf(pod)
      .filter(({ ephemeral }) => !ephemeral)
      .map(({ name }) => name);
    const missing = names.find((name) => !view.claim(namespace, name));
    if (missing !== undefined)
      return { kind: 'reject', reason: `persistentvolumeclaim ${JSON.stringify(missing)} not found` };
    const exclusive = names.filter((name) =>
      texts(maybe(view.claim(namespace, name), 'spec'), 'accessModes').includes('ReadWriteOncePod'),
    );
    const isUsed = view.nodes.some(({ pods }) =>
      [...pods.values()].some(
        ({ pod: other }) =>
          other.metadata.namespace === namespace && claimsOf(other).some(({ name }) => exclusive.includes(name)),
      ),
    );
    return exclusive.length > 0 && isUsed ? check(() => unschedulable(IN_USE)) : SKIP;
  },
};

/** Volumes that a CSI driver lets a node hold, where the node says how many. */
export const nodeVolumeLimits: Filter = {
  name: 'NodeVolumeLimits',
  prepare({ pod }, view) {
    const wanted = driversOf(pod, view);
    if (wanted.size === 0) return SKIP;
    return check((state) => {
      const attached = new Map<string, Set<string>>();
      const limits = [...wanted].flatMap(([driver, volumes]) => {
        const limit = view.volumeLimit(state.name, driver);
        return limit === undefined ? [] : [{ driver, volumes, limit }];
      });
      if (limits.length === 0) return undefined;
      for (const { pod: other } of state.pods.values()) merge(attached, driversOf(other, view));
      const exceeds = limits.some(({ driver, volumes, limit }) => {
        const used = attached.get(driver) ?? new Set();
        const more = [...volumes].filter((volume) => !used.has(volume));
        // A volume that is still attached counts even when no pod uses it any more.
        const all = new Set([...used, ...(view.attachedVolumes(state.name).get(driver) ?? [])]);
        return more.length > 0 && all.size + more.length > limit;
      });
      return exceeds ? unschedulable('node(s) exceed max volume count') : undefined;
    });
  },
};

/** Volumes by driver: of bound claims the handle, of those still to be provisioned the claim. */
function driversOf(pod: KubeObject, view: ClusterSnapshot): Map<string, Set<string>> {
  const drivers = new Map<string, Set<string>>();
  const namespace = pod.metadata.namespace ?? '';
  for (const { name } of claimsOf(pod)) {
    const claim = view.claim(namespace, name);
    if (!claim) continue;
    const volume = view.volume(text(maybe(claim, 'spec'), 'volumeName'));
    const csi = maybe(volume, 'spec.csi');
    const driver = volume ? text(csi, 'driver') : driverOf(view, claim);
    if (driver !== '')
      merge(drivers, new Map([[driver, new Set([csi ? text(csi, 'volumeHandle') : `${namespace}/${name}`])]]));
  }
  return drivers;
}

/** The driver that will provision an unbound claim. */
function driverOf(view: ClusterSnapshot, claim: KubeObject): string {
  const provisioner = text(view.storageClass(classOf(claim)), 'provisioner');
  return provisioner === SIMULATED ? CSI_DRIVER : provisioner;
}

function merge(into: Map<string, Set<string>>, from: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [driver, volumes] of from) into.set(driver, new Set([...(into.get(driver) ?? []), ...volumes]));
}
