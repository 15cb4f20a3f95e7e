import { SYNC_PHASES, type SyncPhase } from '../../model/argo/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';

/** An object and the step of the sync in which git puts it. */
export interface PlacedObject {
  readonly object: KubeObject;
  readonly key: Key;
  readonly phase: SyncPhase;
  readonly wave: number;
}

/** Something in the order of a sync that cannot work, or does not mean what it says. */
export interface WaveViolation {
  readonly rule:
    | 'annotation'
    | 'needed-later'
    | 'claim-before-pod'
    | 'crd-later'
    | 'namespace-later'
    | 'image-later'
    | 'secret-beside'
    | 'claim-later'
    | 'model-later'
    | 'notebook-later';
  readonly key: Key;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

export function comparePlacedObjects(a: PlacedObject, b: PlacedObject): number {
  return SYNC_PHASES.indexOf(a.phase) - SYNC_PHASES.indexOf(b.phase) || a.wave - b.wave;
}

export function placeText({ phase, wave }: PlacedObject): string {
  return `${phase}, wave ${wave}`;
}

export function placedName({ key }: PlacedObject): string {
  return `${key.kind} ${key.name}`;
}

/** The one that comes first. */
export function earliest(some: readonly PlacedObject[]): PlacedObject | undefined {
  return [...some].sort(comparePlacedObjects)[0];
}
