import { equal, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { type AccessControl, MASTERS, grants, rulesOf, type PolicyRule } from '../access/index.js';
import { notFound } from '../errors/index.js';
import { resourceOf, type AdmissionRequest, type AdmissionPlugin } from '../rest/index.js';
import { items, sub, text } from '../resources/index.js';
import type { HeadLister } from './head-lister.js';
import { admissionForbidden } from './admission-forbidden.js';
import { missingRules, ruleText } from './rule-cover.js';

const GROUP = 'rbac.authorization.k8s.io';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

/** Nobody gives away rights by a role or a binding that they do not have, unless `escalate` or `bind` lets them. */
export function rbacEscalation(gate: AccessControl, newest: HeadLister): AdmissionPlugin {
  return {
    name: 'RBAC',
    prepare(request) {
      if (request.type.group !== GROUP || !request.object || request.user.groups.includes(MASTERS)) return;
      if (request.old && onlyFreesDependents(request.object, request.old)) return;
      if (request.type.plural.endsWith('bindings')) checkBinding(request, request.object, gate, newest);
      else checkRole(request, request.object, gate);
    },
  };
}

/** Owners and finalizers must stay changeable for garbage collection, whoever collects. */
function onlyFreesDependents(object: KubeObject, old: KubeObject): boolean {
  const bare = (each: KubeObject): JsonObject => {
    const kept = Object.entries(each.metadata).filter(
      ([key]) => !['ownerReferences', 'finalizers', 'managedFields'].includes(key),
    );
    return { ...each, metadata: Object.fromEntries(kept) };
  };
  return equal(bare(object), bare(old));
}

function checkRole(request: AdmissionRequest, role: KubeObject, gate: AccessControl): void {
  const { type, namespace, user, old } = request;
  // Only the path of an update has the name, and that is where the real server reads it.
  const name = request.operation === 'CREATE' ? '' : request.name;
  if (
    gate.authorize(user, {
      verb: 'escalate',
      group: GROUP,
      version: '*',
      resource: type.plural,
      subresource: '',
      namespace,
      name,
    }).allowed
  )
    return;
  checkHeld(request, rulesOf(role), gate);
  const aggregates = [role, old].some((each) => items(sub(each, 'aggregationRule'), 'clusterRoleSelectors').length > 0);
  if (type.plural === 'clusterroles' && aggregates && lacks(request, EVERYTHING, gate).rules.length > 0) {
    throw admissionForbidden(request, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function checkBinding(request: AdmissionRequest, binding: KubeObject, gate: AccessControl, newest: HeadLister): void {
  const { namespace, user, type } = request;
  const ref = sub(binding, 'roleRef');
  const [kind, name] = [text(ref, 'kind'), text(ref, 'name')];
  if (kind !== 'Role' && kind !== 'ClusterRole') return;
  const resource = kind === 'Role' ? 'roles' : 'clusterroles';
  if (
    gate.authorize(user, {
      verb: 'bind',
      group: text(ref, 'apiGroup'),
      version: '*',
      resource,
      subresource: '',
      namespace,
      name,
    }).allowed
  )
    return;
  const role = newest.get([GROUP, resource], kind === 'Role' ? namespace : '', name);
  // The role is what is missing; the real server names the resource of the request.
  if (!role) throw notFound(resourceOf(type), name);
  checkHeld(request, rulesOf(role), gate);
}

/** Rules of `wanted` that the user does not have, and the roles that the user's bindings name in vain. */
function lacks(
  { user, namespace }: AdmissionRequest,
  wanted: readonly PolicyRule[],
  gate: AccessControl,
): { rules: PolicyRule[]; unresolved: string[] } {
  const unresolved: string[] = [];
  const held = [...grants(gate.rbac, user, namespace, unresolved)].flatMap((grant) => grant.rules);
  return { rules: missingRules(held, wanted), unresolved };
}

function checkHeld(request: AdmissionRequest, wanted: readonly PolicyRule[], gate: AccessControl): void {
  const { rules, unresolved } = lacks(request, wanted, gate);
  if (rules.length === 0) return;
  const { user } = request;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const lines = [...new Set(rules.map(ruleText))].sort();
  const errors =
    unresolved.length === 0
      ? ''
      : `; resolution errors: [${unresolved.length === 1 ? (unresolved[0] ?? '') : `[${unresolved.join(', ')}]`}]`;
  throw admissionForbidden(
    request,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not ` +
      `currently held:\n${lines.join('\n')}${errors}`,
  );
}
