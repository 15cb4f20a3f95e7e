import type { FaultCode, HealthVerdict, KubeObject } from '../../model/index.js';
import type { ListingFact, LogFact, Report } from '../../triage/index.js';

/** Work that may take long: it is done by a thread of its own, so that answers do not wait for it. */
export type SideTask =
  | { readonly kind: 'objects'; readonly objects: readonly KubeObject[]; readonly where: string }
  | { readonly kind: 'log'; readonly log: LogFact }
  | { readonly kind: 'listing'; readonly listing: ListingFact }
  | { readonly kind: 'problem' | 'loss'; readonly says: string }
  /** What was sent so far is all: which causes are behind it? Answered with a report. */
  | { readonly kind: 'triage'; readonly id: number; readonly now: number }
  | { readonly kind: 'health'; readonly id: number; readonly object: string; readonly lua: string; readonly now: number };

export type SideAnswer = { readonly id: number } & (
  | { readonly report: Report }
  | { readonly verdict: HealthVerdict }
  | { readonly fault: { readonly code: FaultCode; readonly message: string; readonly where: string } }
  | { readonly defect: string }
);
