import { type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import { type Graph, nodeText, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import type { Finding, Fix } from '../../findings/index.js';
import { adding, change, fact, leaf, removing } from '../make-finding.js';

/** What differs from git, and whose it is where an autoscaler, the router or an operator says so. */
export function drifted(
  app: Node,
  graph: Graph,
  different: readonly JsonObject[],
  evidence: Finding['evidence'],
): Finding {
  const objects = different.map((resource) =>
    graph.store.refer({
      group: textAt(resource, 'group'),
      kind: textAt(resource, 'kind'),
      namespace: textAt(resource, 'namespace'),
      name: textAt(resource, 'name'),
    }),
  );
  const kinds = [...new Set(objects.map(({ key }) => key.kind))].sort().join(', ');
  const [first] = objects;
  const scaled = objects.find((object) => isScaled(object, graph));
  if (scaled !== undefined)
    return leaf(
      'A31',
      app,
      'reconcile',
      `git says how many replicas ${nodeText(scaled)} has, and an autoscaler does too`,
      {
        evidence,
        blamed: scaled,
        field: 'spec.replicas',
        fix: change(scaled, graph, 'take spec.replicas out of git', {
          risk: 'none',
          edits: [removing(scaled, ['spec', 'replicas'])],
        }),
      },
    );
  const told = {
    evidence,
    impact: 'drift' as const,
    signature: `drift ${kinds}`,
    commonTitle: `applications differ from git in ${kinds}`,
  };
  if (objects.length !== 1 || first?.object === undefined)
    return leaf('A31', app, 'reconcile', `${nodeText(app)} differs from git${kinds === '' ? '' : ` in ${kinds}`}`, {
      ...told,
      field: 'spec.ignoreDifferences',
      fix: askForChange(app, graph),
    });
  return (
    routed(app, graph, first, told) ??
    managed(app, graph, first, told) ??
    leaf('A31', app, 'reconcile', `${nodeText(app)} differs from git in ${kinds}`, {
      ...told,
      blamed: first,
      field: first.key.kind === 'Route' ? 'spec.host' : 'spec',
      fix: byHand(app, graph, first),
    })
  );
}

type DriftDetails = Pick<Finding, 'impact' | 'signature' | 'commonTitle'> & { readonly evidence: Finding['evidence'] };

const askForChange = (app: Node, graph: Graph): Fix =>
  change(app, graph, 'argosy drift says whose each field is: sync, or ignore what a controller owns', { risk: 'none' });

/** No controller wrote it, so a person did: a sync takes that back. Where it was meant, it belongs into git first. */
function byHand(app: Node, graph: Graph, { object }: Node): Fix {
  // Without managedFields nobody knows who wrote it.
  if (objectsAt(object, 'metadata', 'managedFields').length === 0) return askForChange(app, graph);
  return change(
    app,
    graph,
    'somebody changed it by hand: write into git what is to stay, then sync; argosy drift shows the fields',
    { risk: 'none', actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }] },
  );
}

/**
 * The router fills in a host where git names none: the smallest rule that settles it, and the option without which the
 * next sync writes the field again.
 */
function routed(app: Node, graph: Graph, route: Node, told: DriftDetails): Finding | undefined {
  if (
    route.key.kind !== 'Route' ||
    textAt(route.object, 'metadata', 'annotations', 'openshift.io/host.generated') !== 'true'
  )
    return undefined;
  return leaf(
    'A31',
    app,
    'reconcile',
    `${nodeText(app)} differs from git in the host of ${nodeText(route)}, which the router fills in`,
    {
      ...told,
      blamed: route,
      field: 'spec.host',
      evidence: [...told.evidence, fact(route, "metadata.annotations['openshift.io/host.generated']", 'true')],
      fix: change(
        app,
        graph,
        'ignore /spec/host and /spec/tls/insecureEdgeTerminationPolicy of it with ' +
          'RespectIgnoreDifferences=true, or name the host in git',
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
function managed(app: Node, graph: Graph, object: Node, told: DriftDetails): Finding | undefined {
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
    `${nodeText(app)} differs from git in ${nodeText(object)}, of which ${managers.join(' and ')} writes fields`,
    {
      ...told,
      blamed: object,
      field: 'spec',
      evidence: [...told.evidence, fact(object, 'metadata.managedFields[].manager', managers.join(', '))],
      fix: change(
        app,
        graph,
        `argosy drift names the fields: ignore those that ${managers.join(' and ')} owns, with ` +
          'RespectIgnoreDifferences=true, or take them out of git',
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
