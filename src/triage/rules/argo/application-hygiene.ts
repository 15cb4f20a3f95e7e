import type { Finding } from '../../findings/index.js';
import type { Graph, Node } from '../../graph/index.js';
import { hidesDrift } from './hidden-drift.js';
import { selfHealConflicts } from './self-heal-conflicts.js';
import { childrenUnwatched, oldModelCheck, staleHealth, unchecked } from './unchecked-health.js';
import { otherRevision } from './unusual-revision.js';

/** Wrong revisions, rules and owners of an application although nothing is down. */
export function applicationHygiene(app: Node, graph: Graph): readonly Finding[] {
  return [
    ...otherRevision(app, graph),
    ...hidesDrift(app, graph),
    ...selfHealConflicts(app, graph),
    ...unchecked(app, graph),
    ...oldModelCheck(app, graph),
    ...childrenUnwatched(app, graph),
    ...staleHealth(app, graph),
  ];
}
