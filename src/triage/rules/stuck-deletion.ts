import { type Graph, nodeText, type Node } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { objectsAt } from '../../model/json/index.js';
import type { Finding, RuleTable } from '../findings/index.js';
import { act, delegate, fact, kubectlName, leaf, joinDistinct } from './make-finding.js';

/** Registered by kind. */
export const NAMESPACE_RULES: RuleTable = {
  '/Namespace': [namespaceRules],
};

/** Five minutes are enough for a running controller to remove its finalizer. */
const STUCK_AFTER = 300_000;
/** Kinds with their own rules, or protected while in use. */
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

/** A deleted object whose finalizer is never removed. */
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
      `${nodeText(node)} is stuck in deletion for ${minutes} minutes: no controller removes its finalizer ` +
        finalizers.join(', '),
      {
        impact: 'drift',
        field: 'metadata.finalizers',
        evidence: [
          fact(node, 'metadata.deletionTimestamp', textAt(node.object, 'metadata', 'deletionTimestamp')),
          fact(node, 'metadata.finalizers', finalizers.join(', ')),
        ],
        fix: act(
          'start the controller that owns the finalizer; if it is gone for good, check what the finalizer ' +
            'protects, then remove it manually',
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

/** A namespace stuck in Terminating: by its remaining objects, or an API that does not respond. */
function namespaceRules(node: Node, graph: Graph): readonly Finding[] {
  if (textAt(node.object, 'status', 'phase') !== 'Terminating' || minutesOverdue(node, graph) === undefined) return [];
  const bad = objectsAt(node.object, 'status', 'conditions').filter(
    (condition) => textAt(condition, 'status') === 'True',
  );
  if (bad.length === 0) return [];
  const messages = joinDistinct(bad.map((condition) => textAt(condition, 'message')));
  const title = `namespace ${node.key.name} is stuck in Terminating: ${messages}`;
  const evidence = bad.map((condition) =>
    fact(node, `status.conditions[${textAt(condition, 'type')}]`, textAt(condition, 'message')),
  );
  const [kept] = stuckDeletionsIn(node.key.name, graph);
  if (kept !== undefined) return [delegate('F13', node, 'reconcile', title, { evidence, target: kept })];
  return [
    leaf('F13', node, 'reconcile', title, {
      evidence,
      field: 'spec.finalizers',
      fix: act('restore the controller that owns the finalizer, or remove the finalizer manually', [], {
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
  const details = {
    evidence: [fact(app, 'metadata.deletionTimestamp', textAt(app.object, 'metadata', 'deletionTimestamp'))],
  };
  const kept = graph
    .edges(app)
    .map(({ to }) => to)
    .find((to) => to.object !== undefined && stuckDeletion(to, graph).length > 0);
  return [
    delegate('A45', app, 'reconcile', `${nodeText(app)} is stuck in deletion for ${minutes} minutes`, {
      ...details,
      ...(kept === undefined ? {} : { target: kept }),
    }),
  ];
}
