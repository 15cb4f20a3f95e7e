import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';

/** Which object, or which objects: a name that ends in `*` stands for all that begin so. */
export interface StoryRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** One thing that somebody does to the cluster. */
export type StoryStep =
  | { readonly kind: 'apply'; readonly object: KubeObject }
  | { readonly kind: 'patch'; readonly of: StoryRef; readonly patch: JsonObject; readonly subresource?: string }
  | { readonly kind: 'delete'; readonly of: StoryRef }
  /** Goes on when this can be seen. */
  | { readonly kind: 'until'; readonly sign: StorySign };

/** Something that can be seen from outside. */
export type StorySign =
  /** An object has these fields, whatever else it has. */
  | { readonly kind: 'shows'; readonly of: StoryRef; readonly shows: JsonObject }
  /** The row that `kubectl get` prints has these cells, by the heads of their columns. */
  | { readonly kind: 'row'; readonly of: StoryRef; readonly columns: Readonly<Record<string, string>> }
  | { readonly kind: 'absent'; readonly of: StoryRef }
  /** An Event of this play about an object, with exactly this message; `<any>` in it is anything. */
  | {
      readonly kind: 'event';
      readonly of: StoryRef;
      readonly type: 'Normal' | 'Warning';
      readonly reason: string;
      readonly message: string;
    }
  /** A container of a pod wrote a line with this text in it. */
  | { readonly kind: 'log'; readonly of: StoryRef; readonly container: string; readonly message: string }
  /** Git has a file, or lacks it, at the revision and below the path that an Application names. */
  | { readonly kind: 'git'; readonly of: StoryRef; readonly file: string; readonly has: boolean }
  /** The server refuses an object, with this text in its answer. Asked as a dry run. */
  | { readonly kind: 'refused'; readonly object: KubeObject; readonly message: string };

/**
 * How Argosy tells the cause: which object it names, where that is not the cause's own, words that it uses, and why it
 * is told after the repair too, where it is; or why it tells none.
 */
export type ExpectedCause =
  | { readonly kind: 'told'; readonly object?: StoryRef; readonly words: readonly string[]; readonly lingers?: string }
  | { readonly kind: 'untold'; readonly why: string };

/** A problem that people met: how it comes, what it looks like, what it is, how it goes. */
export interface Story {
  readonly name: string;
  readonly title: string;
  /** The number of the founding document that tells it, and the heading there; empty for every other story. */
  readonly seed: string;
  readonly heading: string;
  /** The controllers of the world that play in it. */
  readonly controllers: readonly string[];
  /** What is there before anything breaks, and what shows that it works. */
  readonly scene: readonly StoryStep[];
  readonly healthy: readonly StorySign[];
  readonly break: readonly StoryStep[];
  readonly symptoms: readonly StorySign[];
  readonly heal: readonly StoryStep[];
  readonly cause: {
    readonly object: StoryRef;
    readonly because: string;
    readonly repair: string;
    readonly told: ExpectedCause;
  };
}
