import type { FaultWorld, LiveWorld } from '../../../world/faults/index.js';
import { checkoutsOf, commitPatches } from '../triage-fixes/apply-first-fix.js';
import type { RemedyWorld } from './carry-out.js';

/** A fault world, with its one repository. */
export function faultRemedyWorld(world: Omit<FaultWorld, 'label'>, going: LiveWorld): RemedyWorld {
  const { cluster, kubeconfig, withRealUrl, during, play, collect } = going;
  return {
    ...{ cluster, kubeconfig, withRealUrl, during, play, collect },
    checkouts: () => checkoutsOf(world, going),
    files: () => new Map(going.branches().map(({ name, files }) => [name, new Set(files.keys())])),
    commit: (set) => commitPatches(set, going),
  };
}
