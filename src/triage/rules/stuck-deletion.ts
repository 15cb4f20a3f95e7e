import { type Graph, nodeText, type Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { objectsAt } from '../../model/json/index.js';
import type { Finding, RuleTable } from '../findings/index.js';
import { act, delegate, fact, kubectlName, leaf, joinDistinct } from './make-finding.js';

/** Registered by kind. */
export const NAMESPACE_RULES: RuleTable = {
  '/Namespace': [namespaceRules],
};

/** Five minutes are enough for a controller that works to let go. */
const STUCK_AFTER = 300_000;
/** These have rules of their own, or keep what is still in use on purpose. */
const OTHER_RULE_KINDS = new Set([
  '/Pod',
  '/Namespace',
  '/PersistentVolumeClaim',
  '/PersistentVolume',
  'argoproj.io/Application',
]);

function minutesOverdue({ object }: Node, graph: Graph): number | undefined {
  const age = graph.time - Date.parse(textAt(object, 'metadata', 'deletionTimestamp'));
  return age > STUCK_AFTER ? Math.round(age / 60_000) : undefined;
}

/** An object that was told to go and is kept by a finalizer that nobody takes away. */
export function stuckDeletion(node: Node, graph: Graph): readonly Finding[] {
  const finalizers = node.object?.metadata.finalizers ?? [];
  const minutes = minutesOverdue(node, graph);
  if (minutes === undefined || finalizers.length === 0 || OTHER_RULE_KINDS.has(`${node.key.group}/${node.key.kind}`))
    return [];
  return [
    leaf(
      'F13',
      node,
      'reconcile',
      `${nodeText(node)} should have gone ${minutes} minutes ago: nobody takes away its finalizer ` +
        finalizers.join(', '),
      {
        impact: 'drift',
        field: 'metadata.finalizers',
        evidence: [
          fact(node, 'metadata.deletionTimestamp', textAt(node.object, 'metadata', 'deletionTimestamp')),
          fact(node, 'metadata.finalizers', finalizers.join(', ')),
        ],
        fix: act(
          'start the controller that the finalizer belongs to; where it is gone for good, remove the ' +
            'finalizer by hand after looking what it protects',
          [`kubectl get ${kubectlName(node)} -o yaml`],
          { risk: 'data', reversible: false, verify: `kubectl get ${kubectlName(node)}` },
        ),
      },
    ),
  ];
}

function stuckDeletionsIn(namespace: string, graph: Graph): readonly Node[] {
  const all = graph.once('objects that should have gone', () =>
    graph.store
      .all()
      .filter((node) => node.object?.metadata.deletionTimestamp !== undefined && stuckDeletion(node, graph).length > 0),
  );
  return all.filter(({ key }) => key.namespace === namespace);
}

/** A namespace that does not end: what is left in it keeps it, or an API that does not answer. */
function namespaceRules(node: Node, graph: Graph): readonly Finding[] {
  if (textAt(node.object, 'status', 'phase') !== 'Terminating' || minutesOverdue(node, graph) === undefined) return [];
  const bad = objectsAt(node.object, 'status', 'conditions').filter(
    (condition) => textAt(condition, 'status') === 'True',
  );
  if (bad.length === 0) return [];
  const messages = joinDistinct(bad.map((condition) => textAt(condition, 'message')));
  const title = `namespace ${node.key.name} does not go: ${messages}`;
  const evidence = bad.map((condition) =>
    fact(node, `status.conditions[${textAt(condition, 'type')}]`, textAt(condition, 'message')),
  );
  const [kept] = stuckDeletionsIn(node.key.name, graph);
  if (kept !== undefined) return [delegate('F13', node, 'reconcile', title, { evidence, target: kept })];
  return [
    leaf('F13', node, 'reconcile', title, {
      evidence,
      field: 'spec.finalizers',
      fix: act('restore the controller whose finalizer is left, or remove the finalizer by hand', [], {
        risk: 'data',
        reversible: false,
      }),
    }),
  ];
}

/** An application that was deleted and is still here: something of what it delivered does not go. */
export function stuckApplicationDeletion(app: Node, graph: Graph): readonly Finding[] {
  const minutes = minutesOverdue(app, graph);
  if (minutes === undefined) return [];
  const told = {
    evidence: [fact(app, 'metadata.deletionTimestamp', textAt(app.object, 'metadata', 'deletionTimestamp'))],
  };
  const kept = graph
    .edges(app)
    .map(({ to }) => to)
    .find((to) => to.object !== undefined && stuckDeletion(to, graph).length > 0);
  return [
    delegate('A45', app, 'reconcile', `${nodeText(app)} was deleted ${minutes} minutes ago and is still here`, {
      ...told,
      ...(kept === undefined ? {} : { target: kept }),
    }),
  ];
}
