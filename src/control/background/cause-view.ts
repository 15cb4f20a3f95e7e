import type { CauseView, TriageResponse } from '../../model/api/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Report, ReportedCause } from '../../triage/index.js';
import type { PatchesView } from './patches-view.js';

/** What is known of the patches, by the ids of their causes. */
export interface PatchSearch {
  readonly patches: ReadonlyMap<string, PatchesView>;
  /** False while repositories are still searched. */
  readonly isSearched: boolean;
}

const NO_PATCHES: PatchesView = { patches: [], proof: [] };

/** A cause as the API sends it, with every field set. */
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

export function toTriageResponse(
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

/** The causes that affect an application, the worst first. */
export function causesOf(application: KubeObject, { causes }: Report): ReportedCause[] {
  const { namespace = '', name = '' } = application.metadata;
  const own = `Application ${namespace}/${name}`;
  return causes.filter(
    ({ reach, chain, objects }) =>
      reach.names.includes(name) ||
      chain.some(({ object }) => object === own) ||
      objects.some((key) => key.kind === 'Application' && key.name === name && key.namespace === namespace),
  );
}
