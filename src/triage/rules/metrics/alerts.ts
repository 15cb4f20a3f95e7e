import { type Graph, type Node, nodeText } from '../../graph/index.js';
import type { Finding } from '../../findings/index.js';
import type { AlertFact } from '../../snapshot/index.js';
import { delegate } from '../make-finding.js';

/** Labels of alerts that name an object, the most exact first. */
const OBJECTS = [
  ['pod', '', 'Pod'],
  ['persistentvolumeclaim', '', 'PersistentVolumeClaim'],
  ['deployment', 'apps', 'Deployment'],
  ['statefulset', 'apps', 'StatefulSet'],
  ['daemonset', 'apps', 'DaemonSet'],
  ['job_name', 'batch', 'Job'],
  ['horizontalpodautoscaler', 'autoscaling', 'HorizontalPodAutoscaler'],
  ['service', '', 'Service'],
  ['node', '', 'Node'],
] as const;

/** Alerts that fire to show that alerting works, or that say nothing of their own. */
const QUIET = /^(?:Watchdog|InfoInhibitor|DeadMansSwitch)$/;
const SEVERITIES: Readonly<Record<string, Finding['impact']>> = {
  critical: 'capacity',
  page: 'capacity',
  error: 'capacity',
  major: 'capacity',
  warning: 'drift',
};

/** The object that an alert names; undefined if the snapshot does not have it. */
export function objectOf({ labels }: AlertFact, graph: Graph): Node | undefined {
  for (const [label, group, kind] of OBJECTS) {
    const name = labels[label] ?? '';
    if (name === '') continue;
    const namespace = kind === 'Node' ? '' : (labels.exported_namespace ?? labels.namespace ?? '');
    const node = graph.store.get({ group, kind, namespace, name });
    if (node?.object !== undefined) return node;
  }
  return undefined;
}

/** The alerts about an object. */
export function alertsAbout(node: Node, graph: Graph): readonly AlertFact[] {
  if (graph.alerts.length === 0) return [];
  return (
    graph
      .once('alerts by object', () => {
        const map = new Map<string, AlertFact[]>();
        for (const alert of graph.alerts) {
          const id = QUIET.test(alert.name) ? undefined : objectOf(alert, graph)?.id;
          if (id !== undefined) map.set(id, [...(map.get(id) ?? []), alert]);
        }
        return map;
      })
      .get(node.id) ?? []
  );
}

/** An object with which no rule finds anything wrong and an alert does: where to look next. */
export function alerted(node: Node, graph: Graph): readonly Finding[] {
  const [alert] = alertsAbout(node, graph).filter(
    ({ labels }) => labels.severity !== 'info' && labels.severity !== 'none',
  );
  if (alert === undefined) return [];
  return [
    delegate('H05', node, 'run', `alert ${alert.name} fires for ${nodeText(node)}: ${alert.summary}`, {
      impact: SEVERITIES[alert.labels.severity ?? ''] ?? 'drift',
      evidence: [{ of: nodeText(node), path: `alert ${alert.name}`, value: alert.summary }],
      ...(alert.since === undefined ? {} : { onset: alert.since }),
      field: 'spec',
    }),
  ];
}
