import type { ReportedCause } from '../../../triage/index.js';

/** What is to be ended, and how it is told. */
export type PatchCause = Pick<ReportedCause, 'id' | 'name' | 'rule' | 'title' | 'fix' | 'objects' | 'field'> &
  Partial<Pick<ReportedCause, 'chain'>>;
