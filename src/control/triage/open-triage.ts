import { createAssessor, lintSettings, runHealthScript, type Catalogue } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { parseApplication, parseAppProject } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { evaluateSyncWindows } from '../../plan/index.js';
import {
  createRuleSet,
  triage,
  WhatIf,
  type BlockingWindow,
  type Lint,
  type Report,
  type Snapshot,
  type TriageOptions,
} from '../../triage/index.js';

/** Triage with the health catalogue behind it: for kinds without rules, and for the checks of Argo CD's settings. */
export function openTriage(catalogue: Catalogue, now: () => number): (snapshot: Snapshot) => Report {
  const options = triageOptions(catalogue, now);
  return (snapshot) => triage(snapshot, options);
}

/** What would become of a snapshot by a repair, judged as the report was. */
export function openWhatIf(catalogue: Catalogue, now: () => number): (snapshot: Snapshot, report: Report) => WhatIf {
  const options = triageOptions(catalogue, now);
  return (snapshot, report) => new WhatIf(snapshot, report, options);
}

function triageOptions(catalogue: Catalogue, now: () => number): TriageOptions {
  const assessor = createAssessor({ catalogue, now });
  const kinds = catalogue.entries.flatMap(({ groups, kinds: names }) =>
    groups.flatMap((group) => names.map((kind) => ({ group, kind }))),
  );
  const lint: Lint = ({ configMaps, argocds, crds }) =>
    lintSettings(
      {
        configMaps: configMaps.map((object) => ({ object })),
        argocds: argocds.map((object) => ({ object })),
        crds: [...crds],
      },
      {
        kinds,
        reference: (object: KubeObject) => assessor.assess(object),
        evaluate: (source, object, { openLibs }) => runHealthScript(source, object, { openLibs, now }),
      },
    ).map(({ rule, message, hint, where }) => ({ rule, message, hint, of: where.name, key: where.key ?? '' }));
  return { rules: createRuleSet, assess: (object) => assessor.assess(object), lint, blockingWindow };
}

/**
 * An open window that denies, or else one that allows and is closed. What cannot be read is told by whoever delivers
 * it.
 */
export const blockingWindow: BlockingWindow = (project, application, time) => {
  try {
    const { syncWindows } = parseAppProject(project);
    const { isAllowed, matching, active } = evaluateSyncWindows(syncWindows, parseApplication(application), {
      now: new Date(time),
      isManual: false,
    });
    const holding =
      active.find(({ kind }) => kind === 'deny') ?? matching.find(({ kind }) => kind === 'allow') ?? matching[0];
    return isAllowed || holding === undefined ? undefined : syncWindows.indexOf(holding);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
};
