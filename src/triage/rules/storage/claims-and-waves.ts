import { numberAt, objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { consumers, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';

/** A sync waits until a claim is gone, and a pod that only a later wave would change keeps it. */
export function keptByLater(node: Node, graph: Graph): Finding | undefined {
  if (node.object?.metadata.deletionTimestamp === undefined) return undefined;
  const app = graph
    .appsOf(node)
    .find(
      ({ object }) =>
        textAt(object, 'status', 'operationState', 'phase') === 'Running' &&
        textAt(object, 'status', 'operationState', 'message').includes(node.key.name),
    );
  const waves = new Map(
    objectsAt(app?.object, 'status', 'resources').map((resource) => [
      `${textAt(resource, 'kind')}/${textAt(resource, 'name')}`,
      numberAt(resource, 'syncWave') ?? 0,
    ]),
  );
  const waveOf = ({ key }: Node): number => waves.get(`${key.kind}/${key.name}`) ?? 0;
  const user = consumers(node, graph)
    .map((pod) => graph.top(pod))
    .find((each) => waves.has(`${each.key.kind}/${each.key.name}`) && waveOf(each) > waveOf(node));
  if (app === undefined || user === undefined) return undefined;
  const field = "metadata.annotations['argocd.argoproj.io/sync-wave']";
  return leaf(
    'A24',
    node,
    'reconcile',
    `${nodeText(node)} is to go and ${nodeText(user)} keeps it, which only a later wave of ${nodeText(app)} ` +
      'would change: both wait for each other',
    {
      blamed: user,
      field,
      evidence: [
        fact(node, 'metadata.deletionTimestamp', node.object.metadata.deletionTimestamp),
        fact(app, 'status.operationState.message', textAt(app.object, 'status', 'operationState', 'message')),
        fact(app, `status.resources[${user.key.kind}/${user.key.name}].syncWave`, waveOf(user)),
      ],
      fix: change(user, graph, 'put whoever uses the claim into its wave or an earlier one'),
    },
  );
}

/** It waits for a pod: it is never a cause by itself. */
export function waitsForConsumer(node: Node, graph: Graph, evidence: Finding['evidence']): Finding {
  const pods = consumers(node, graph);
  if (pods.length > 0)
    return delegate('D01', node, 'schedule', `${nodeText(node)} waits until its pod has a node`, {
      evidence,
      level: 'waiting',
    });
  const waiting = graph
    .appsOf(node)
    .find(
      (app) =>
        textAt(app.object, 'status', 'operationState', 'phase') === 'Running' &&
        textAt(app.object, 'status', 'operationState', 'message').includes(node.key.name),
    );
  if (waiting !== undefined)
    return delegate(
      'A24',
      node,
      'schedule',
      `${nodeText(node)} waits for a pod, and the pod waits until the claim is healthy: it is in a later wave`,
      {
        evidence,
        target: waiting,
        level: 'waiting',
        field: "metadata.annotations['argocd.argoproj.io/sync-wave']",
        fix: change(node, graph, 'put the claim into the wave of its first consumer'),
      },
    );
  return leaf('D02', node, 'schedule', `${nodeText(node)} waits for a first consumer and nothing uses it`, {
    evidence,
    level: 'waiting',
  });
}
