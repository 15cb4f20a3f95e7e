import { type JsonObject, isArray, objectsAt, valueAt } from '../../model/json/index.js';
import type { Graph, Node } from '../graph/index.js';
import { textAt, textsAt } from '../json/index.js';
import type { Finding } from '../findings/index.js';

const RBAC = 'rbac.authorization.k8s.io';

interface Right {
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
  readonly resource: string;
}

/**
 * The object to change if a service account lacks a permission: its role, otherwise a binding of its namespace that
 * grants it to another subject, otherwise the account itself.
 */
export function missingRightOf(graph: Graph, right: Right): Pick<Finding, 'blamed' | 'field' | 'suspect'> {
  const bindings = [
    ...graph.store.inNamespace(RBAC, 'RoleBinding', right.namespace),
    ...graph.store.ofKind(RBAC, 'ClusterRoleBinding'),
  ];
  const own = bindings.find((binding) =>
    objectsAt(binding.object, 'subjects').some((subject) => isAccount(subject, right, binding)),
  );
  const role = own === undefined ? undefined : roleOf(own, graph);
  if (role?.object !== undefined && !allows(role, right)) return { blamed: role, field: 'rules' };
  const other = bindings.find(
    (binding) => binding.key.kind === 'RoleBinding' && binding !== own && allows(roleOf(binding, graph), right),
  );
  if (other !== undefined) return { blamed: other, field: 'subjects' };
  if (role?.object !== undefined) return { blamed: role, field: 'rules' };
  const wasListed = graph.store.listing(RBAC, 'RoleBinding', right.namespace) === 'complete';
  return {
    blamed: graph.store.refer({ group: '', kind: 'ServiceAccount', namespace: right.namespace, name: right.name }),
    field: 'rules',
    ...(wasListed ? {} : { suspect: true }),
  };
}

function isAccount(subject: JsonObject, { namespace, name }: Right, binding: Node): boolean {
  return (
    textAt(subject, 'kind') === 'ServiceAccount' &&
    textAt(subject, 'name') === name &&
    (textAt(subject, 'namespace') || binding.key.namespace) === namespace
  );
}

function roleOf(binding: Node, graph: Graph): Node | undefined {
  const kind = textAt(binding.object, 'roleRef', 'kind');
  return graph.store.get({
    group: RBAC,
    kind,
    namespace: kind === 'Role' ? binding.key.namespace : '',
    name: textAt(binding.object, 'roleRef', 'name'),
  });
}

function allows(role: Node | undefined, { verb, resource }: Right): boolean {
  const has = (rule: JsonObject, field: string, wanted: string): boolean =>
    isArray(valueAt(rule, field)) && textsAt(rule, field).some((each) => each === '*' || each === wanted);
  return objectsAt(role?.object, 'rules').some((rule) => has(rule, 'verbs', verb) && has(rule, 'resources', resource));
}
