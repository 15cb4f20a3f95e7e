import type { Json, JsonObject } from '../../../src/model/json/index.js';

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What is truly wrong, by place: never by the name of a rule. */
export interface Root {
  /** The object that says it; it may be one that is missing. */
  readonly object: ObjectRef;
  /** Where in the object, as `spec.template.spec.containers[0].image`. */
  readonly field: string;
  /** What it says there; null where it should say something and does not. */
  readonly value: Json;
  /** Other objects that the same cause is written in, such as all workloads of one shared value. */
  readonly also?: readonly ObjectRef[];
  /** The file of the repository that says it, where git does. */
  readonly file?: string;
  /** What is wrong lies outside of cluster and git, such as a registry without a tag or a credential of a cloud. */
  readonly outside?: string;
}

/** Something that can be seen in the world. */
export interface Sign {
  /** A name that ends in `*` means some object whose name begins so. */
  readonly object: ObjectRef;
  /** Fields that it has; objects of lists are found by what they have. */
  readonly shows?: JsonObject;
  /** It is not there. */
  readonly isAbsent?: boolean;
  /** An Event about it, by its reason and words of its message. */
  readonly event?: { readonly reason: string; readonly words: string };
  /** Words of the log of a container. */
  readonly log?: string;
}

export interface LabelledFault {
  /** Name of the injector. */
  readonly fault: string;
  readonly isHeldOut: boolean;
  /** `cycle`: the roots wait for each other. `silent`: nothing is broken yet, and yet it is wrong. */
  readonly kind: 'fault' | 'cycle' | 'silent';
  readonly because: string;
  readonly roots: readonly Root[];
  readonly signs: readonly Sign[];
  /** Applications that suffer from it. */
  readonly applications: readonly string[];
}

/** What is true of a world, written beside its snapshot. */
export interface Label {
  readonly seed: number;
  readonly faults: readonly LabelledFault[];
  /** Harmless oddities that were put in. */
  readonly decoys: readonly string[];
  /** Everything that is not well: applications by name, and all objects with their state. */
  readonly members: {
    readonly applications: readonly Member[];
    readonly objects: readonly (ObjectRef & { readonly health: string; readonly message: string })[];
  };
  /** Names of faults in the order in which it is best to mend them. */
  readonly order: readonly string[];
}

export interface Member {
  readonly name: string;
  readonly sync: string;
  readonly health: string;
}

/**
 * The fault whose mending alone makes most applications well comes first; then the one with the largest share in what
 * is left.
 */
export function orderOf(faults: readonly Pick<LabelledFault, 'fault' | 'applications'>[]): string[] {
  const open = [...faults];
  const order: string[] = [];
  while (open.length > 0) {
    const blockers = (application: string): number =>
      open.filter(({ applications }) => applications.includes(application)).length;
    const worth = ({ applications }: Pick<LabelledFault, 'applications'>): [number, number] => [
      applications.filter((name) => blockers(name) === 1).length,
      applications.reduce((sum, name) => sum + 1 / blockers(name), 0),
    ];
    open.sort((a, b) => {
      const [[alone, share], [otherAlone, otherShare]] = [worth(a), worth(b)];
      return otherAlone - alone || otherShare - share || (a.fault < b.fault ? -1 : 1);
    });
    order.push(open.shift()?.fault ?? '');
  }
  return order;
}
