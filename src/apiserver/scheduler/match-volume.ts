import { labelSelectorOf, matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { compareQuantities, classOf, quantityText } from '../kinds/index.js';
import { items, maybe, sub, text, texts } from '../resources/index.js';
import { matchesTerms } from './node-match.js';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/** The claim has its volume, and its controller has marked it as bound. */
export function isBound(claim: KubeObject): boolean {
  return text(maybe(claim, 'spec'), 'volumeName') !== '' && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Whether the volume can be used on the node. */
export function fitsNode(volume: KubeObject, node: KubeObject): boolean {
  const required = maybe(volume, 'spec.nodeAffinity.required');
  return required === undefined || matchesTerms(items(required, 'nodeSelectorTerms'), node);
}

/** Whether the volume is reserved for this claim (by name, or by name and uid). */
export function isFor(volume: KubeObject, claim: KubeObject): boolean {
  const reference = maybe(volume, 'spec.claimRef');
  if (
    !reference ||
    text(reference, 'name') !== claim.metadata.name ||
    text(reference, 'namespace') !== claim.metadata.namespace
  )
    return false;
  const uid = text(reference, 'uid');
  return uid === '' || uid === claim.metadata.uid;
}

export function sizeOf(claim: KubeObject): string {
  return quantityText(sub(claim, 'spec.resources.requests'), 'storage') ?? '0';
}

function capacityOf(volume: KubeObject): string {
  return quantityText(sub(volume, 'spec.capacity'), 'storage') ?? '0';
}

/**
 * The volume to bind the claim to: one that is reserved for it, else the smallest free one of its class that is large
 * enough and offers its access modes; with a node, only volumes usable there.
 */
export function findVolume(
  claim: KubeObject,
  volumes: readonly KubeObject[],
  node?: KubeObject,
): KubeObject | undefined {
  const selector = maybe(claim, 'spec.selector');
  const labels = selector === undefined ? undefined : labelSelectorOf(selector);
  let best: KubeObject | undefined;
  for (const volume of volumes) {
    if (!isOfShape(volume, claim) || (node !== undefined && !fitsNode(volume, node))) continue;
    if (isFor(volume, claim)) return volume;
    if (
      maybe(volume, 'spec.claimRef') !== undefined ||
      !['Available', ''].includes(text(maybe(volume, 'status'), 'phase'))
    )
      continue;
    if (labels !== undefined && !matchesLabels(labels, volume.metadata.labels)) continue;
    if (classOf(volume) !== classOf(claim)) continue;
    if (best === undefined || compareQuantities(capacityOf(volume), capacityOf(best)) < 0) best = volume;
  }
  return best;
}

/** Mode, access modes and size are right, and the volume is not on its way out. */
function isOfShape(volume: KubeObject, claim: KubeObject): boolean {
  const [spec, wanted] = [maybe(volume, 'spec'), maybe(claim, 'spec')];
  const mode = (of: typeof spec): string => text(of, 'volumeMode') || 'Filesystem';
  const modes = texts(spec, 'accessModes');
  return (
    volume.metadata.deletionTimestamp === undefined &&
    mode(spec) === mode(wanted) &&
    texts(wanted, 'accessModes').every((each) => modes.includes(each)) &&
    compareQuantities(capacityOf(volume), sizeOf(claim)) >= 0
  );
}
