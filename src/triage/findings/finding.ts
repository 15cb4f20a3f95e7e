import type { Json, JsonObject } from '../../model/json/index.js';
import type { Key, KubeObject } from '../../model/kubernetes/index.js';
import type { Node, Phase } from '../graph/index.js';
import type { Impact, TriageCode } from './codes.js';

/** A fact that a finding rests on: which field of which object says what. */
export interface Evidence {
  /** `Kind namespace/name`, or another source. */
  readonly of: string;
  readonly path: string;
  readonly value: string;
  /** How it was over time, in milliseconds, if it was measured. */
  readonly samples?: readonly (readonly [time: number, value: number])[];
}

/**
 * A change of one object that ends a fault, wherever the object is managed: `set` a field, `remove` it, `add` an item
 * to a list. A path of `**` and names matches these names at any depth; removing an empty path removes the object.
 */
export interface Edit {
  readonly object: Key;
  readonly path: readonly (string | number)[];
  readonly change: { readonly kind: 'set' | 'add'; readonly value: Json } | { readonly kind: 'remove' };
}

/** An object to create, in the same application as another one. */
export interface Addition {
  readonly object: KubeObject;
  readonly beside: Key;
}

/** An action on an object of the cluster that is not a change in git. */
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
  /** Shell commands in order, without secrets. */
  readonly commands: readonly string[];
  readonly risk: 'none' | 'restart' | 'delete-recreate' | 'data';
  readonly reversible: boolean;
  /** A command that shows whether it worked. */
  readonly verify: string;
  /** The edits, if the fix is a plain change of objects. */
  readonly edits?: readonly Edit[];
  /** The edits are a guess (a similar name, twice a limit): the value of an earlier commit is better. */
  readonly isGuess?: boolean;
  readonly actions?: readonly Action[];
  readonly adds?: readonly Addition[];
  /** Where the order matters: each with its check. */
  readonly steps?: readonly FixStep[];
  /** What to add to the configuration of something outside, such as Terraform. */
  readonly snippet?: string;
}

/** What a rule reports about one object. */
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
  /** The object to change, if not the one with the symptom. */
  readonly blamed?: Node;
  /** The field to change, on the object to blame. */
  readonly field?: string;
  /** Faults with the same one have one cause, which is no object of the cluster. */
  readonly signature?: string;
  /** The title of the common cause. */
  readonly commonTitle?: string;
  /** When it began, in milliseconds. */
  readonly onset?: number;
  /** An object with a similar name exists: the reference has to be changed. */
  readonly isWrongName?: boolean;
  /** That name. */
  readonly rightName?: string;
  /** Less than a proof: it is offered as a lead and never as the cause. */
  readonly suspect?: boolean;
  readonly fix?: Fix;
}
