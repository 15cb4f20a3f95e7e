import type { ToldCause, TriageAnswer } from '../../model/index.js';
import type { Report, ReportedCause } from '../../triage/index.js';
import type { Searched } from '../side/triage-desk.js';
import type { ToldPatches } from '../side/tell-patches.js';

const NONE: ToldPatches = { patches: [], proof: [] };

/** A cause as the page reads it: nothing is missing, so nothing has to be asked for. */
export function toldCause(
  { fix, objects, next, ...cause }: ReportedCause,
  patches: ReadonlyMap<string, ToldPatches>,
): ToldCause {
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
    ...(patches.get(id) ?? NONE),
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

export function toldReport(
  { time, summary: { applications, objects, events, broken }, causes, problems }: Report,
  { patches, isSearched }: Searched,
): TriageAnswer {
  return {
    time,
    summary: { applications, objects, events, broken },
    causes: causes.map((cause) => toldCause(cause, patches)),
    problems,
    isSearched,
  };
}
