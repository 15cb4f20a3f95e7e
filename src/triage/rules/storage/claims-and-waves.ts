import { numberAt, objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { consumers, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';

/** A sync waits for the deletion of a claim, and a pod that only a later wave changes still uses it. */
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
    `deadlock: ${nodeText(node)} is terminating but in use by ${nodeText(user)}, which only a later wave of ` +
      `${nodeText(app)} changes`,
    {
      blamed: user,
      field,
      evidence: [
        fact(node, 'metadata.deletionTimestamp', node.object.metadata.deletionTimestamp),
        fact(app, 'status.operationState.message', textAt(app.object, 'status', 'operationState', 'message')),
        fact(app, `status.resources[${user.key.kind}/${user.key.name}].syncWave`, waveOf(user)),
      ],
      fix: change(user, graph, 'move the consumer of the claim to the same wave or an earlier one'),
    },
  );
}

/** It waits for a pod: it is never a cause by itself. */
export function waitsForConsumer(node: Node, graph: Graph, evidence: Finding['evidence']): Finding {
  const pods = consumers(node, graph);
  if (pods.length > 0)
    return delegate('D01', node, 'schedule', `${nodeText(node)} waits until its pod is scheduled`, {
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
      `deadlock: ${nodeText(node)} waits for its first pod, which is in a later wave and waits for the claim`,
      {
        evidence,
        target: waiting,
        level: 'waiting',
        field: "metadata.annotations['argocd.argoproj.io/sync-wave']",
        fix: change(node, graph, 'move the claim to the wave of its first consumer'),
      },
    );
  return leaf('D02', node, 'schedule', `${nodeText(node)} waits for a first consumer, but nothing uses it`, {
    evidence,
    level: 'waiting',
  });
}
