import type { LabelSelector } from '../../model/kubernetes/index.js';
import type { CelProgram } from '../cel/index.js';
import type { Template } from './templates.js';

/**
 * A stage: data that plays one step of a third-party controller. It reads one object (`self`) and others that it names
 * (`refs`), decides by CEL whether it holds, and says what is true next: status, conditions, objects, an Event.
 * docs/stages.md is the page for people who write them.
 */
export interface Stage {
  readonly name: string;
  /** Which real controller and version it imitates. */
  readonly follows: string;
  /**
   * As the real component calls itself in Events and managedFields. Stages of different controllers do not see each
   * other.
   */
  readonly controller: string;
  /** Where it was written, for messages. */
  readonly file: string;
  readonly match: Match;
  /** It plays a mutating webhook: it patches self while self is written, and looks nothing up. */
  readonly admission: boolean;
  readonly refs: readonly Ref[];
  readonly when: readonly CelProgram[];
  readonly then: Action;
}

interface Match {
  readonly group: string;
  readonly kind: string;
  readonly labels: LabelSelector | undefined;
  /** Objects that are being deleted, and only those; other stages never see them. */
  readonly deleting: boolean;
  /** Conditions over self alone, tried before anything is looked up. */
  readonly when: readonly CelProgram[];
}

/** How other objects are found: one by name, or all that a selector matches. */
export interface LookUp {
  readonly group: Template;
  readonly kind: Template;
  /** Self's own where it is not given. Of `all`, an empty one means every namespace. */
  readonly namespace: Template | undefined;
  readonly name: Template | undefined;
  readonly all: boolean;
  readonly labelSelector: Template | undefined;
  /** Over `item`: which of all are meant. */
  readonly where: CelProgram | undefined;
  /** Of a ConfigMap: the key whose YAML or JSON is meant instead of the object. */
  readonly key: string | undefined;
  /** Its expressions may fail, and then it is null: they read fields that need not be there. */
  readonly optional: boolean;
}

/** A fact from outside, asked of a function that the program hands in. */
export interface ProbeRef {
  readonly probe: string;
  readonly with: Template;
  /** Milliseconds after which it is asked again; undefined: never. */
  readonly every: number | undefined;
  readonly optional: boolean;
}

/** A value computed once under a name, so that conditions and templates need not repeat it. */
export interface ValueRef {
  readonly value: Template;
  readonly optional: boolean;
}

export interface Ref {
  readonly name: string;
  readonly source: LookUp | ProbeRef | ValueRef;
}

export interface Action {
  /** How long the stage must hold before it acts. */
  readonly after: Template | undefined;
  /** Merged over status; null removes a field. */
  readonly status: Template | undefined;
  readonly conditions: readonly { readonly type: string; readonly template: Template }[];
  /** Merged over everything but status. */
  readonly patch: Template | undefined;
  /** Paths at which the patch replaces what is there instead of being merged with it. */
  readonly replace: readonly (readonly string[])[];
  readonly finalizers: { readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly create: readonly Template[];
  readonly delete: readonly LookUp[];
  readonly events: readonly EventTemplate[];
}

export interface EventTemplate {
  readonly type: 'Normal' | 'Warning';
  readonly reason: Template;
  readonly message: Template;
}
