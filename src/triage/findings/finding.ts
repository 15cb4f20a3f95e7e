import type { Json, JsonObject } from '../../model/json/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import type { Node, Phase } from '../graph/index.js';
import type { Impact, TriageCode } from './codes.js';

/** A fact that a finding rests on: which field of which object says what. */
export interface Evidence {
  /** `Kind namespace/name`, or what else said it. */
  readonly of: string;
  readonly path: string;
  readonly value: string;
}

/**
 * A change of one object that ends a fault, whoever writes the object: `set` a field, `remove` it, `add` an item that a
 * list has to hold. A path of `**` and names means these names wherever they stand; to remove an empty path is to
 * remove the object.
 */
export interface Edit {
  readonly object: Key;
  readonly path: readonly (string | number)[];
  readonly change: { readonly kind: 'set' | 'add'; readonly value: Json } | { readonly kind: 'remove' };
}

/** An object that is to come, delivered by whoever delivers another. */
export interface Addition {
  readonly object: KubeObject;
  readonly beside: Key;
}

/** Something that is done to an object of the cluster and that git does not say. */
export type Action =
  | { readonly kind: 'delete'; readonly object: Key }
  | { readonly kind: 'merge'; readonly object: Key; readonly patch: JsonObject };

/** One step of several, and how to see that it worked before the next. */
export interface FixStep {
  readonly say: string;
  readonly command: string;
  readonly check: string;
}

/** How to repair, and what it costs. */
export interface Fix {
  /** Git where the object is delivered from there; the cluster otherwise. */
  readonly where: 'git' | 'cluster' | 'outside';
  readonly say: string;
  /** Commands in order, each a line of a shell; nothing secret stands in them. */
  readonly commands: readonly string[];
  readonly risk: 'none' | 'restart' | 'delete-recreate' | 'data';
  readonly reversible: boolean;
  /** A command that shows whether it worked. */
  readonly verify: string;
  /** What is changed, where it is a plain change of objects. */
  readonly edits?: readonly Edit[];
  /**
   * Nothing says that the edits are right (names that are alike, twice a limit): what an earlier commit said is better.
   */
  readonly isGuess?: boolean;
  readonly actions?: readonly Action[];
  readonly adds?: readonly Addition[];
  /** Where the order matters: each with its check. */
  readonly steps?: readonly FixStep[];
  /** What to add to the configuration of something outside, such as Terraform. */
  readonly snippet?: string;
}

/** What a rule says about one object. */
export interface Finding {
  readonly rule: TriageCode;
  readonly node: Node;
  readonly phase: Phase;
  /** leaf: the search ends here. delegating: a consequence, whose cause is among what the object needs. */
  readonly kind: 'leaf' | 'delegating';
  /** Something is wrong, or waits as things do that are fine. */
  readonly level: 'fault' | 'waiting';
  readonly impact: Impact;
  /** One sentence: what is wrong. */
  readonly title: string;
  readonly evidence: readonly Evidence[];
  /** The one thing that it names as its cause. */
  readonly target?: Node;
  /** The object to change, where it is another than the one that shows it. */
  readonly blamed?: Node;
  /** The field to change, on the object to blame. */
  readonly field?: string;
  /** Faults with the same one have one cause, which is no object of the cluster. */
  readonly signature?: string;
  /** How the common cause is told. */
  readonly commonTitle?: string;
  /** When it began, in milliseconds. */
  readonly onset?: number;
  /** Something of nearly this name exists: whoever uses the name is to be changed. */
  readonly isWrongName?: boolean;
  /** That name. */
  readonly rightName?: string;
  /** Less than a proof: it is offered as a lead and never as the cause. */
  readonly suspect?: boolean;
  readonly fix?: Fix;
}
