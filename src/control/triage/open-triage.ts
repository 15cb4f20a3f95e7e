import { createAssessor, lintSettings, runHealthScript, type Catalogue } from '../../health/index.js';
import type { KubeObject } from '../../model/index.js';
import { ruleBook, triage, type Lint, type Report, type Snapshot } from '../../triage/index.js';

/** Triage with the health catalogue behind it: for kinds without rules, and for the checks of Argo CD's settings. */
export function openTriage(catalogue: Catalogue, now: () => number): (snapshot: Snapshot) => Report {
  const assessor = createAssessor({ catalogue, now });
  const kinds = catalogue.entries.flatMap(({ groups, kinds: names }) => groups.flatMap((group) => names.map((kind) => ({ group, kind }))));
  const lint: Lint = ({ configMaps, argocds, crds }) => lintSettings({ configMaps: configMaps.map((object) => ({ object })), argocds: argocds.map((object) => ({ object })), crds: [...crds] }, {
    kinds, reference: (object: KubeObject) => assessor.assess(object), evaluate: (source, object, { openLibs }) => runHealthScript(source, object, { openLibs, now }),
  }).map(({ rule, message, hint, where }) => ({ rule, message, hint, of: where.name, key: where.key ?? '' }));
  return (snapshot) => triage(snapshot, { rules: ruleBook, assess: (object) => assessor.assess(object), lint });
}
