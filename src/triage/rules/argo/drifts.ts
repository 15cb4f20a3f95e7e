import { type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import { type Graph, nodeText, type Node, listedKey } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import type { Finding, Fix } from '../../findings/index.js';
import { adding, change, fact, leaf, removing } from '../make-finding.js';

/** What differs from git, and who owns it: an autoscaler, the router or an operator. */
export function drifted(
  app: Node,
  graph: Graph,
  different: readonly JsonObject[],
  evidence: Finding['evidence'],
): Finding {
  const objects = different.map((resource) => graph.store.refer(listedKey(resource)));
  const kinds = [...new Set(objects.map(({ key }) => key.kind))].sort().join(', ');
  const [first] = objects;
  const scaled = objects.find((object) => isScaled(object, graph));
  if (scaled !== undefined)
    return leaf('A31', app, 'reconcile', `git and an autoscaler both set spec.replicas of ${nodeText(scaled)}`, {
      evidence,
      blamed: scaled,
      field: 'spec.replicas',
      fix: change(scaled, graph, 'remove spec.replicas from git', {
        risk: 'none',
        edits: [removing(scaled, ['spec', 'replicas'])],
      }),
    });
  const details = {
    evidence,
    impact: 'drift' as const,
    signature: `drift ${kinds}`,
    commonTitle: `applications are OutOfSync: ${kinds}`,
  };
  if (objects.length !== 1 || first?.object === undefined)
    return leaf('A31', app, 'reconcile', `${nodeText(app)} is OutOfSync${kinds === '' ? '' : `: ${kinds}`}`, {
      ...details,
      field: 'spec.ignoreDifferences',
      fix: driftFix(app, graph),
    });
  return (
    routed(app, graph, first, details) ??
    managed(app, graph, first, details) ??
    leaf('A31', app, 'reconcile', `${nodeText(app)} is OutOfSync: ${kinds}`, {
      ...details,
      blamed: first,
      field: first.key.kind === 'Route' ? 'spec.host' : 'spec',
      fix: byHand(app, graph, first),
    })
  );
}

type DriftDetails = Pick<Finding, 'impact' | 'signature' | 'commonTitle'> & { readonly evidence: Finding['evidence'] };

const driftFix = (app: Node, graph: Graph): Fix =>
  change(
    app,
    graph,
    'run argosy drift to see who owns each field, then sync, or ignore the fields that a controller owns',
    { risk: 'none' },
  );

/** No controller wrote it, so a person did: a sync reverts that. Intended changes have to be committed first. */
function byHand(app: Node, graph: Graph, { object }: Node): Fix {
  // Without managedFields the writer is unknown.
  if (objectsAt(object, 'metadata', 'managedFields').length === 0) return driftFix(app, graph);
  return change(app, graph, 'changed by hand: commit what should stay, then sync; argosy drift shows the fields', {
    risk: 'none',
    actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }],
  });
}

/**
 * The router fills in a host where git names none: the smallest rule that settles it, and the option without which the
 * next sync writes the field again.
 */
function routed(app: Node, graph: Graph, route: Node, details: DriftDetails): Finding | undefined {
  if (
    route.key.kind !== 'Route' ||
    textAt(route.object, 'metadata', 'annotations', 'openshift.io/host.generated') !== 'true'
  )
    return undefined;
  return leaf(
    'A31',
    app,
    'reconcile',
    `${nodeText(app)} is OutOfSync: the router sets spec.host of ${nodeText(route)}`,
    {
      ...details,
      blamed: route,
      field: 'spec.host',
      evidence: [...details.evidence, fact(route, "metadata.annotations['openshift.io/host.generated']", 'true')],
      fix: change(
        app,
        graph,
        'ignore /spec/host and /spec/tls/insecureEdgeTerminationPolicy with ' +
          'RespectIgnoreDifferences=true, or set the host in git',
        {
          risk: 'none',
          edits: [
            adding(app, 'spec.ignoreDifferences', {
              group: route.key.group,
              kind: 'Route',
              name: route.key.name,
              jsonPointers: ['/spec/host', '/spec/tls/insecureEdgeTerminationPolicy'],
            }),
            adding(app, 'spec.syncPolicy.syncOptions', 'RespectIgnoreDifferences=true'),
          ],
        },
      ),
    },
  );
}

const OURS = /^(argocd|argosy|kubectl|helm|before-first-apply)/;

/**
 * An operator writes fields of the object that git also describes. Which field differs is not in a snapshot, so nothing
 * is patched.
 */
function managed(app: Node, graph: Graph, object: Node, details: DriftDetails): Finding | undefined {
  const managers = [
    ...new Set(
      objectsAt(object.object, 'metadata', 'managedFields')
        .filter((entry) => textAt(entry, 'subresource') === '' && valueAt(entry, 'writesSpec') === true)
        .map((entry) => textAt(entry, 'manager')),
    ),
  ]
    .filter((manager) => manager !== '' && !OURS.test(manager))
    .sort();
  const [manager] = managers;
  if (manager === undefined) return undefined;
  return leaf(
    'A31',
    app,
    'reconcile',
    `${nodeText(app)} is OutOfSync: ${nodeText(object)} is also written by ${managers.join(' and ')}`,
    {
      ...details,
      blamed: object,
      field: 'spec',
      evidence: [...details.evidence, fact(object, 'metadata.managedFields[].manager', managers.join(', '))],
      fix: change(
        app,
        graph,
        `run argosy drift for the fields: ignore those owned by ${managers.join(' and ')} with ` +
          'RespectIgnoreDifferences=true, or remove them from git',
        { risk: 'none' },
      ),
    },
  );
}

function isScaled({ key }: Node, graph: Graph): boolean {
  return [
    ...graph.store.inNamespace('autoscaling', 'HorizontalPodAutoscaler', key.namespace),
    ...graph.store.inNamespace('keda.sh', 'ScaledObject', key.namespace),
  ].some(
    ({ object }) =>
      textAt(object, 'spec', 'scaleTargetRef', 'name') === key.name &&
      (textAt(object, 'spec', 'scaleTargetRef', 'kind') || 'Deployment') === key.kind,
  );
}
