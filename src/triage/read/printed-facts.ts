import type { KubeObject } from '../../model/kubernetes/index.js';
import type { EventFact } from '../snapshot/index.js';

/** What a part of a text says of objects and events; ages are counted from the moment at which it was printed. */
export interface TextFacts {
  readonly objects: readonly PrintedObject[];
  readonly events: readonly PrintedEvent[];
}

export interface PrintedEvent extends Omit<EventFact, 'time'> {
  readonly age: number | undefined;
}

/** An object as a text shows it. */
export interface PrintedObject {
  readonly object: KubeObject;
  readonly age?: number | undefined;
}
