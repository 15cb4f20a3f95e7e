import { compareText } from '../../model/go/index.js';
import { equal, isArray, type Json } from '../../model/json/index.js';
import { labelSelectorOf, matchesLabels, type KubeObject } from '../../model/kubernetes/index.js';
import { items, maybe } from '../resources/index.js';
import { ownKey, reconciler, type ControllerHost, type ObjectName } from '../controller-runtime/index.js';
import { CLUSTER_ROLES } from '../../model/resources/index.js';

/** Fills the rules of ClusterRoles that are made of others. */
export const clusterRoleAggregation = reconciler({
  name: 'clusterrole-aggregation-controller',
  watches: [
    {
      of: CLUSTER_ROLES,
      keys: (event, host) => (event.type === 'DELETED' ? aggregates(host) : [...ownKey(event), ...aggregates(host)]),
    },
  ],
  async reconcile({ name }, { client }) {
    const role = client.get(CLUSTER_ROLES, '', name);
    if (!role || maybe(role, 'aggregationRule') === undefined) return;
    const rules = rulesOf(role, client.list(CLUSTER_ROLES));
    if (equal(rules, rulesAt(role))) return;
    await client.edit(CLUSTER_ROLES, '', name, (copy) => {
      copy['rules'] = rules;
    });
  },
});

function aggregates({ client }: ControllerHost): ObjectName[] {
  return client
    .list(CLUSTER_ROLES)
    .filter((role) => maybe(role, 'aggregationRule') !== undefined)
    .map(({ metadata }) => ({ namespace: '', name: metadata.name ?? '' }));
}

function rulesAt(role: KubeObject): Json[] {
  const { rules } = role;
  return isArray(rules) ? rules : [];
}

/** The rules of all selected roles, selector by selector, each list of roles by name; the same rule counts once. */
function rulesOf(role: KubeObject, roles: readonly KubeObject[]): Json[] {
  const rules: Json[] = [];
  for (const selector of items(maybe(role, 'aggregationRule'), 'clusterRoleSelectors')) {
    const labels = labelSelectorOf(selector);
    const found = roles
      .filter((each) => each.metadata.name !== role.metadata.name && matchesLabels(labels, each.metadata.labels))
      .sort((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''));
    for (const rule of found.flatMap(rulesAt)) if (!rules.some((known) => equal(known, rule))) rules.push(rule);
  }
  return rules;
}
