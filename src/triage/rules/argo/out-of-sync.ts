import { objectsAt, valueAt } from '../../../model/json/index.js';
import type { BlockingWindow, Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, fact, leaf, shellWord } from '../make-finding.js';
import { drifted } from './drifts.js';
import { selfHealConflicts } from './self-heal-conflicts.js';

/** Nothing is down and git differs: told once, by what differs. */
export function outOfSync(app: Node, graph: Graph, heldBy: BlockingWindow | undefined): Finding[] {
  if (textAt(app.object, 'status', 'sync', 'status') !== 'OutOfSync') return [];
  const different = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'status') === 'OutOfSync',
  );
  const orphan = different.length > 0 && different.every((resource) => valueAt(resource, 'requiresPruning') === true);
  const isAutomatic = valueAt(app.object, 'spec', 'syncPolicy', 'automated') !== undefined;
  const synced = textAt(app.object, 'status', 'operationState', 'phase') === 'Succeeded';
  const kinds = [...new Set(different.map((resource) => textAt(resource, 'kind')))].sort().join(', ');
  const evidence = [fact(app, 'status.sync.status', 'OutOfSync'), fact(app, 'status.resources', kinds)];
  if (orphan)
    return [
      leaf('A22', app, 'reconcile', `git no longer has what ${nodeText(app)} delivers`, {
        evidence,
        field: 'spec.source.path',
        signature: 'orphan applications',
        commonTitle: 'applications whose files git no longer has',
        fix: act(
          'delete the application, with or without what it delivered',
          [`argocd app delete ${shellWord(app.key.name)}`],
          { risk: 'delete-recreate', reversible: false },
        ),
      }),
    ];
  const isMoved =
    isAutomatic &&
    synced &&
    textAt(app.object, 'status', 'sync', 'revision') !==
      textAt(app.object, 'status', 'operationState', 'syncResult', 'revision');
  const held = isMoved && heldBy !== undefined ? blockedByWindow(app, graph, evidence, heldBy) : undefined;
  if (held !== undefined) return [held];
  if (isMoved)
    return [
      leaf('A51', app, 'reconcile', `${nodeText(app)} will be synced to a newer revision`, {
        evidence,
        level: 'waiting',
        signature: 'will sync',
        commonTitle: 'applications that will sync by themselves',
      }),
    ];
  // Two who change one field are told as that.
  return selfHealConflicts(app, graph).length > 0 ? [] : [drifted(app, graph, different, evidence)];
}

/** The project has times in which it syncs, or does not, and this is none of them. */
function blockedByWindow(
  app: Node,
  graph: Graph,
  evidence: Finding['evidence'],
  heldBy: BlockingWindow,
): Finding | undefined {
  const project = graph.edges(app).find(({ field }) => field === 'spec.project')?.to;
  if (project?.object === undefined || app.object === undefined) return undefined;
  const index = heldBy(project.object, app.object, graph.time);
  const window = objectsAt(project.object, 'spec', 'syncWindows')[index ?? -1];
  if (index === undefined || window === undefined) return undefined;
  return leaf(
    'A43',
    app,
    'reconcile',
    `a sync window of ${nodeText(project)} holds ${nodeText(app)}: ${textAt(window, 'kind')} at ` +
      `${textAt(window, 'schedule')} for ${textAt(window, 'duration')}`,
    {
      blamed: project,
      field: `spec.syncWindows[${index}]`,
      signature: `window ${project.id} ${index}`,
      evidence: [...evidence, fact(project, `spec.syncWindows[${index}]`, window)],
      fix: change(project, graph, 'wait for the window, sync by hand where it allows that, or correct the window', {
        risk: 'none',
      }),
    },
  );
}
