import { type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import type { BlockingWindow, Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';
import { drifted } from './drifts.js';
import { orphan, unpruned } from './orphans.js';
import { selfHealConflicts } from './self-heal-conflicts.js';

/** Nothing is down but git differs: one finding, by what differs. */
export function outOfSync(app: Node, graph: Graph, blockingWindow: BlockingWindow | undefined): Finding[] {
  if (textAt(app.object, 'status', 'sync', 'status') !== 'OutOfSync') return [];
  const different = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'status') === 'OutOfSync',
  );
  const isGone = (resource: JsonObject): boolean => valueAt(resource, 'requiresPruning') === true;
  const delivered = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => valueAt(resource, 'hook') !== true,
  );
  const isAutomatic = valueAt(app.object, 'spec', 'syncPolicy', 'automated') !== undefined;
  const synced = textAt(app.object, 'status', 'operationState', 'phase') === 'Succeeded';
  const kinds = [...new Set(different.map((resource) => textAt(resource, 'kind')))].sort().join(', ');
  const evidence = [fact(app, 'status.sync.status', 'OutOfSync'), fact(app, 'status.resources', kinds)];
  const isParent = delivered.some((resource) => textAt(resource, 'kind') === app.key.kind);
  if (different.length > 0 && !isParent && delivered.every(isGone))
    return [orphan(app, `the resources of ${nodeText(app)} are no longer in git`, evidence)];
  if (different.length > 0 && different.every(isGone)) return [unpruned(app, graph, different, evidence)];
  const isMoved =
    isAutomatic &&
    synced &&
    textAt(app.object, 'status', 'sync', 'revision') !==
      textAt(app.object, 'status', 'operationState', 'syncResult', 'revision');
  const blocked =
    isMoved && blockingWindow !== undefined ? blockedByWindow(app, graph, evidence, blockingWindow) : undefined;
  if (blocked !== undefined) return [blocked];
  if (isMoved)
    return [
      leaf('A51', app, 'reconcile', `auto-sync of ${nodeText(app)} to a newer revision is pending`, {
        evidence,
        level: 'waiting',
        signature: 'will sync',
        commonTitle: 'applications with a pending auto-sync',
      }),
    ];
  // A self-heal conflict is reported as such.
  return selfHealConflicts(app, graph).length > 0 ? [] : [drifted(app, graph, different, evidence)];
}

/** The project has times in which it syncs, or does not, and this is none of them. */
function blockedByWindow(
  app: Node,
  graph: Graph,
  evidence: Finding['evidence'],
  blockingWindow: BlockingWindow,
): Finding | undefined {
  const project = graph.edges(app).find(({ field }) => field === 'spec.project')?.to;
  if (project?.object === undefined || app.object === undefined) return undefined;
  const index = blockingWindow(project.object, app.object, graph.time);
  const window = objectsAt(project.object, 'spec', 'syncWindows')[index ?? -1];
  if (index === undefined || window === undefined) return undefined;
  return leaf(
    'A43',
    app,
    'reconcile',
    `sync window of ${nodeText(project)} blocks ${nodeText(app)}: ${textAt(window, 'kind')} at ` +
      `${textAt(window, 'schedule')} for ${textAt(window, 'duration')}`,
    {
      blamed: project,
      field: `spec.syncWindows[${index}]`,
      signature: `window ${project.id} ${index}`,
      evidence: [...evidence, fact(project, `spec.syncWindows[${index}]`, window)],
      fix: change(project, graph, 'wait for the window, sync manually if it allows that, or change the window', {
        risk: 'none',
      }),
    },
  );
}
