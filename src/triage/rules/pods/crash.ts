import type { Finding } from '../../findings/index.js';

/** A terminated container, and the most specific line of its log. */
export interface Crash {
  readonly line: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
  readonly phase: 'init' | 'run';
}
