import type { ToldCause, TriageAnswer } from '../../model/index.js';
import type { Report, ReportedCause } from '../../triage/index.js';

/** A cause as the page reads it: nothing is missing, so nothing has to be asked for. */
export function toldCause({ fix, objects, next, ...cause }: ReportedCause): ToldCause {
  const { id, name, severity, rule, kind, confidence, impact, title, evidence, reach, heals, alone, chain, consequences, unverified, since } = cause;
  return {
    id, name, severity, rule, kind, confidence, impact, title, objects, evidence, reach, heals, alone, chain, consequences, unverified, since, next, patches: [],
    fix: fix === undefined ? null : { where: fix.where, say: fix.say, commands: fix.commands, risk: fix.risk, reversible: fix.reversible, verify: fix.verify, steps: fix.steps ?? [], snippet: fix.snippet ?? '' },
  };
}

export function toldReport({ time, summary: { applications, objects, events, broken }, causes, problems }: Report): TriageAnswer {
  return { time, summary: { applications, objects, events, broken }, causes: causes.map(toldCause), problems };
}
