import type { Cause } from '../triage/report';

/** Why an application is not as it should be, or what it waits for. */
export interface Explanation {
  /** Sentences, the most important first; none where all is well. */
  readonly reasons: readonly string[];
  /** The causes of triage that this application suffers from. */
  readonly causes: readonly Pick<Cause, 'id' | 'name' | 'severity' | 'title' | 'chain' | 'fix'>[];
}
