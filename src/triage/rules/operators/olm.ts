import { objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, kubectlName, leaf } from '../make-finding.js';

/** Registered by kind. */
export const OLM_RULES: RuleTable = {
  'operators.coreos.com/Subscription': [subscriptionRules],
  'operators.coreos.com/InstallPlan': [planRules],
  'operators.coreos.com/ClusterServiceVersion': [versionRules],
};

const GROUP = 'operators.coreos.com';

/** What keeps an operator from being installed by the lifecycle manager. */
function subscriptionRules(node: Node, graph: Graph): readonly Finding[] {
  const bad = ['ResolutionFailed', 'CatalogSourcesUnhealthy', 'BundleUnpackFailed']
    .map((type) => conditionOf(node.object, type))
    .find((condition) => textAt(condition, 'status') === 'True');
  if (bad !== undefined)
    return [unresolved(node, graph, textAt(bad, 'type'), `${textAt(bad, 'reason')} ${textAt(bad, 'message')}`.trim())];
  const groups =
    graph.store.listing(GROUP, 'OperatorGroup', node.key.namespace) === 'complete'
      ? graph.store.inNamespace(GROUP, 'OperatorGroup', node.key.namespace)
      : undefined;
  if (groups !== undefined && groups.length !== 1)
    return [
      leaf(
        'H01',
        node,
        'reconcile',
        `namespace ${node.key.namespace} has ${groups.length} OperatorGroups, and ${nodeText(node)} needs exactly one`,
        {
          field: 'metadata.namespace',
          evidence: [fact(node, 'OperatorGroups', groups.map(({ key }) => key.name).join(', '))],
          fix: change(node, graph, groups.length === 0 ? 'add an OperatorGroup' : 'keep one OperatorGroup', {
            risk: 'none',
          }),
        },
      ),
    ];
  const plan = graph.store.get({
    group: GROUP,
    kind: 'InstallPlan',
    namespace: node.key.namespace,
    name: textAt(node.object, 'status', 'installPlanRef', 'name'),
  });
  if (plan?.object !== undefined && planRules(plan).length > 0)
    return [
      delegate('H01', node, 'reconcile', `${nodeText(node)} waits for ${nodeText(plan)}`, {
        target: plan,
        evidence: [fact(node, 'status.installPlanRef.name', plan.key.name)],
        impact: 'drift',
      }),
    ];
  const version = graph.store.get({
    group: GROUP,
    kind: 'ClusterServiceVersion',
    namespace: node.key.namespace,
    name: textAt(node.object, 'status', 'currentCSV'),
  });
  return version !== undefined && /^(Failed|Pending)$/.test(textAt(version.object, 'status', 'phase'))
    ? [
        delegate('H01', node, 'reconcile', `${nodeText(node)} cannot install ${nodeText(version)}`, {
          target: version,
          evidence: [fact(node, 'status.currentCSV', version.key.name)],
        }),
      ]
    : [];
}

function unresolved(node: Node, graph: Graph, type: string, message: string): Finding {
  const source = graph.store.refer({
    group: GROUP,
    kind: 'CatalogSource',
    namespace: textAt(node.object, 'spec', 'sourceNamespace') || node.key.namespace,
    name: textAt(node.object, 'spec', 'source'),
  });
  const evidence = [fact(node, `status.conditions[${type}]`, message)];
  const state = textAt(source.object, 'status', 'connectionState', 'lastObservedState');
  if (source.state === 'ghost')
    return delegate('H01', node, 'reconcile', `${nodeText(node)} refers to ${nodeText(source)}, which does not exist`, {
      evidence,
      target: source,
    });
  if (source.object !== undefined && state !== '' && state !== 'READY')
    return leaf('H01', node, 'reconcile', `${nodeText(source)} of ${nodeText(node)} does not respond: ${state}`, {
      evidence: [...evidence, fact(source, 'status.connectionState.lastObservedState', state)],
      blamed: source,
      field: 'status.connectionState',
      impact: 'infrastructure',
      signature: `catalogue ${source.id}`,
      fix: act(
        'repair the pod of the catalog',
        [`kubectl get pods -n ${source.key.namespace} -l olm.catalogSource=${source.key.name}`],
        { verify: `kubectl get ${kubectlName(source)}` },
      ),
    });
  return leaf('H01', node, 'reconcile', `${nodeText(node)} cannot be resolved: ${message}`, {
    evidence,
    field: /channel/i.test(message) ? 'spec.channel' : 'spec.name',
    fix: change(node, graph, 'use a package, channel and version of the catalog', { risk: 'none' }),
  });
}

function planRules(node: Node): readonly Finding[] {
  const isOpen =
    valueAt(node.object, 'spec', 'approved') === false && textAt(node.object, 'status', 'phase') === 'RequiresApproval';
  return isOpen
    ? [
        leaf('H01', node, 'reconcile', `${nodeText(node)} waits for approval`, {
          impact: 'drift',
          field: 'spec.approved',
          evidence: [fact(node, 'spec.approved', false)],
          fix: act('approve it', [`kubectl patch ${kubectlName(node)} --type merge -p '{"spec":{"approved":true}}'`], {
            actions: [{ kind: 'merge', object: node.key, patch: { spec: { approved: true } } }],
            verify: `kubectl get ${kubectlName(node)}`,
          }),
        }),
      ]
    : [];
}

function versionRules(node: Node, graph: Graph): readonly Finding[] {
  if (textAt(node.object, 'status', 'phase') !== 'Failed') return [];
  const [reason, message] = [textAt(node.object, 'status', 'reason'), textAt(node.object, 'status', 'message')];
  const evidence = [fact(node, 'status', `Failed ${reason} ${message}`)];
  const names = objectsAt(node.object, 'spec', 'install', 'spec', 'deployments').map((deployment) =>
    textAt(deployment, 'name'),
  );
  const bad = graph.store
    .inNamespace('apps', 'Deployment', node.key.namespace)
    .find(
      ({ key, object }) => names.includes(key.name) && textAt(conditionOf(object, 'Available'), 'status') !== 'True',
    );
  if (bad !== undefined)
    return [
      delegate('H01', node, 'reconcile', `${nodeText(node)} is not installed: ${reason} ${message}`, {
        evidence,
        target: bad,
      }),
    ];
  return [
    leaf('H01', node, 'reconcile', `${nodeText(node)} is not installed: ${reason} ${message}`, {
      evidence,
      field: 'spec',
      fix: act(
        'resolve the error in the message; a failed version is recreated when deleted',
        [`kubectl delete ${kubectlName(node)}`],
        { risk: 'delete-recreate' },
      ),
    }),
  ];
}
