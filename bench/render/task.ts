import type { MonorepoApplication } from './monorepo.js';
import type { Subject } from './subject.js';

/** What our side is asked to do, one after the other. */
export type Task =
  /** Renders everything once. */
  | { readonly kind: 'pass'; readonly subjects: readonly Subject[] }
  /** Opens a repository for the passes that follow; small caches are full after a few of them. */
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly data: string;
      readonly applications: readonly MonorepoApplication[];
      readonly hasSmallCaches: boolean;
    }
  /** Looks what the repository holds now, and renders what that concerns. */
  | { readonly kind: 'follow' }
  /** Says what memory is in use after everything else was given back. */
  | { readonly kind: 'weigh' };

export interface Answer {
  readonly wall: number;
  readonly cpu: number;
  /** Processor time since the process began. */
  readonly total: number;
  /** Bytes, where the task was to weigh. */
  readonly memory: number;
  /** Applications that were really rendered, and objects that all of them have. */
  readonly rendered: readonly string[];
  readonly objects: number;
}
