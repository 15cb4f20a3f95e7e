import type { CauseView, TriageResponse } from '../../model/api/index.js';
import type { Report, ReportedCause } from '../../triage/index.js';
import type { PatchSearch } from './triage-service.js';
import type { PatchesView } from './patches-view.js';

const NO_PATCHES: PatchesView = { patches: [], proof: [] };

/** A cause as the page reads it: nothing is missing, so nothing has to be asked for. */
export function toCauseView(
  { fix, objects, next, ...cause }: ReportedCause,
  patches: ReadonlyMap<string, PatchesView>,
): CauseView {
  const {
    id,
    name,
    severity,
    rule,
    kind,
    confidence,
    impact,
    title,
    evidence,
    reach,
    heals,
    alone,
    chain,
    consequences,
    unverified,
    since,
  } = cause;
  return {
    id,
    name,
    severity,
    rule,
    kind,
    confidence,
    impact,
    title,
    objects,
    evidence,
    reach,
    heals,
    alone,
    chain,
    consequences,
    unverified,
    since,
    next,
    ...(patches.get(id) ?? NO_PATCHES),
    fix:
      fix === undefined
        ? null
        : {
            where: fix.where,
            say: fix.say,
            commands: fix.commands,
            risk: fix.risk,
            reversible: fix.reversible,
            verify: fix.verify,
            steps: fix.steps ?? [],
            snippet: fix.snippet ?? '',
          },
  };
}

export function toTriageAnswer(
  { time, summary: { applications, objects, events, broken }, causes, problems }: Report,
  { patches, isSearched }: PatchSearch,
): TriageResponse {
  return {
    time,
    summary: { applications, objects, events, broken },
    causes: causes.map((cause) => toCauseView(cause, patches)),
    problems,
    isSearched,
  };
}
