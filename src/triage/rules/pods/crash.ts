import type { Finding } from '../../findings/index.js';

/** A container that ended, and the line of its log that tells most. */
export interface Crash {
  readonly line: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
  readonly phase: 'init' | 'run';
}
