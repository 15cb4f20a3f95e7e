import type { FaultCode } from '../../model/faults/index.js';
import type { HealthEvalResponse } from '../../model/api/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Checkout } from '../triage/index.js';
import type { ListingFact, LogFact, Report } from '../../triage/index.js';
import type { PatchesView } from './patches-view.js';

/** Work that may take long: it is done by a thread of its own, so that answers do not wait for it. */
export type BackgroundTask =
  | { readonly kind: 'objects'; readonly objects: readonly KubeObject[]; readonly where: string }
  | { readonly kind: 'log'; readonly log: LogFact }
  | { readonly kind: 'listing'; readonly listing: ListingFact }
  | { readonly kind: 'problem' | 'loss'; readonly message: string }
  /** What was sent so far is all: which causes are behind it? Answered with a report. */
  | { readonly kind: 'triage'; readonly id: number; readonly now: number }
  /**
   * Which changes of these files end the causes of the last report? What was gathered for it is gone with the answer.
   */
  | { readonly kind: 'patches'; readonly id: number; readonly checkouts: readonly Checkout[]; readonly now: number }
  | { readonly kind: 'forget' }
  | {
      readonly kind: 'health';
      readonly id: number;
      readonly object: string;
      readonly lua: string;
      readonly now: number;
    };

export type BackgroundResult = { readonly id: number } & (
  | { readonly report: Report }
  /** By the id of their cause. */
  | { readonly patches: ReadonlyMap<string, PatchesView> }
  | { readonly assessment: HealthEvalResponse }
  | { readonly fault: { readonly code: FaultCode; readonly message: string; readonly where: string } }
  | { readonly defect: string }
);
