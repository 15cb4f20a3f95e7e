import { entryOf, textAt } from '../json/index.js';
import { type Graph, nodeText, type Node } from '../graph/index.js';
import type { Cause, CauseMap } from './find-causes.js';
import type { Point } from './explain-findings.js';

/** Something people count: an application, or a workload where no application is known. */
export interface Unit {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
}

const WORKLOADS = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'ReplicaSet',
  'ReplicationController',
  'Pod',
  'Rollout',
]);

/** Every unit of the snapshot. */
export function countUnits(graph: Graph): number {
  if (graph.applications.length > 0) return graph.applications.length;
  return graph.once('workloads', () => new Set(graph.store.ofKind('', 'Pod').map((pod) => graph.top(pod).id)).size);
}

export function unitsOf(node: Node, graph: Graph): Unit[] {
  if (graph.applications.length > 0) return graph.appsOf(node).map(appUnit);
  const top = graph.top(node);
  return WORKLOADS.has(top.key.kind) || top !== node
    ? [{ id: top.id, name: nodeText(top), environment: environmentOf(top) }]
    : [];
}

function appUnit(app: Node): Unit {
  return { id: app.id, name: app.key.name, environment: environmentOf(app) };
}

const ENVIRONMENTS = new Set(
  'dev development test testing qa uat int integration stage staging preprod prod production sandbox demo'.split(' '),
);
const SAME: Readonly<Record<string, string>> = {
  development: 'dev',
  production: 'prod',
  stage: 'staging',
  testing: 'test',
  integration: 'int',
};

/** The environment of an application: from its labels, otherwise a usual environment name in its names. */
function environmentOf({ key, object }: Node): string {
  for (const label of ['environment', 'env', 'app.kubernetes.io/environment']) {
    const value = textAt(object, 'metadata', 'labels', label);
    if (value !== '') return entryOf(SAME, value) ?? value;
  }
  for (const text of [textAt(object, 'spec', 'destination', 'namespace'), key.name, key.namespace]) {
    const word = text.split(/[-_./]/).find((part) => ENVIRONMENTS.has(part));
    if (word !== undefined) return entryOf(SAME, word) ?? word;
  }
  return '';
}

/** Which units each cause touches. */
export function reachOf(
  points: readonly Point[],
  { causes, behind }: CauseMap,
  graph: Graph,
): ReadonlyMap<Cause, ReadonlyMap<string, Unit>> {
  const reach = new Map(causes.map((cause) => [cause, new Map<string, Unit>()]));
  for (const point of points) {
    const found = behind.get(point);
    if (found === undefined || found.size === 0) continue;
    for (const unit of unitsOf(point.finding.node, graph))
      for (const cause of found) reach.get(cause)?.set(unit.id, unit);
  }
  return reach;
}
