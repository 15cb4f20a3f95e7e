import { SYNC_PHASES, type Key, type KubeObject, type SyncPhase } from '../model/index.js';

/** An object and the step of the sync in which git puts it. */
export interface Placed {
  readonly object: KubeObject;
  readonly key: Key;
  readonly phase: SyncPhase;
  readonly wave: number;
}

/** Something in the order of a sync that cannot work, or does not mean what it says. */
export interface WaveProblem {
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

export function comparePlaced(a: Placed, b: Placed): number {
  return SYNC_PHASES.indexOf(a.phase) - SYNC_PHASES.indexOf(b.phase) || a.wave - b.wave;
}

export function placeText({ phase, wave }: Placed): string {
  return `${phase}, wave ${wave}`;
}

export function placedName({ key }: Placed): string {
  return `${key.kind} ${key.name}`;
}

/** The one that comes first. */
export function earliest(some: readonly Placed[]): Placed | undefined {
  return [...some].sort(comparePlaced)[0];
}
