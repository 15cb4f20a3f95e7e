import { objectsAt } from '../../../model/json/index.js';
import type { BlockingWindow, Finding, Rule } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, delegate, fact, kubectlName, leaf, shellWord } from '../make-finding.js';
import { fromCondition } from './application-conditions.js';
import { orphanedApplication } from './orphans.js';
import { fromOperation } from './operations.js';
import { outOfSync } from './out-of-sync.js';
import { badResources } from './unhealthy-resources.js';

export function applicationRules(blockingWindow?: BlockingWindow): Rule {
  return (app, graph) => checkApplication(app, graph, blockingWindow);
}

function checkApplication(app: Node, graph: Graph, blockingWindow: BlockingWindow | undefined): readonly Finding[] {
  if (textAt(app.object, 'metadata', 'annotations', 'argocd.argoproj.io/skip-reconcile') === 'true')
    return [
      leaf('A49', app, 'reconcile', `${nodeText(app)} is not reconciled: the skip-reconcile annotation is set`, {
        field: "metadata.annotations['argocd.argoproj.io/skip-reconcile']",
      }),
    ];
  const orphan = orphanedApplication(app, graph);
  if (orphan !== undefined) return [orphan];
  const conditions = objectsAt(app.object, 'status', 'conditions');
  const findings = conditions.flatMap((condition) =>
    fromCondition(app, graph, textAt(condition, 'type'), textAt(condition, 'message')),
  );
  const isLost = findings.some(({ phase, impact }) => (phase === 'render' || phase === 'compare') && impact !== 'note');
  if (!isLost) findings.push(...fromOperation(app, graph));
  const hasSync = findings.some(({ phase }) => phase === 'admit');
  findings.push(...fromHealth(app, isLost || hasSync));
  return findings.length > 0 ? findings : outOfSync(app, graph, blockingWindow);
}

function fromHealth(app: Node, isExplained: boolean): Finding[] {
  const status = textAt(app.object, 'status', 'health', 'status');
  if (status === 'Healthy' || status === '') return [];
  const evidence = [fact(app, 'status.health.status', status)];
  const bad = badResources(app);
  const isMissing = status === 'Missing' && bad.every((resource) => textAt(resource, 'health', 'status') === 'Missing');
  const isOnTheWay = textAt(app.object, 'status', 'operationState', 'phase') === 'Running';
  if (isMissing)
    return isExplained || isOnTheWay
      ? []
      : [
          leaf('A42', app, 'reconcile', `${nodeText(app)} was never synced`, {
            evidence,
            field: 'spec.syncPolicy.automated',
            signature: 'never synced',
            commonTitle: 'applications that were never synced',
            fix: act('sync the application', [`argosy app sync ${shellWord(app.key.name)}`], {
              actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }],
              verify: `kubectl get ${kubectlName(app)}`,
            }),
          }),
        ];
  if (status === 'Unknown' && isExplained) return [];
  // What failed to create its objects is why they are missing.
  if (isExplained && bad.length > 0 && bad.every((resource) => textAt(resource, 'health', 'status') === 'Missing'))
    return [];
  return [
    delegate('A23', app, 'ready', `${nodeText(app)} is ${status}`, {
      evidence,
      ...(status === 'Suspended' ? { level: 'waiting', impact: 'note' } : {}),
      ...(status === 'Progressing' || (status === 'Missing' && isOnTheWay) ? { level: 'waiting' } : {}),
    }),
  ];
}
