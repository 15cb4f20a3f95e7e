import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AccessAttributes, User } from './user.js';

/** Where RBAC objects come from; newest state, in memory. */
export interface RbacSource {
  roles(namespace: string): readonly KubeObject[];
  clusterRole(name: string): KubeObject | undefined;
  role(namespace: string, name: string): KubeObject | undefined;
  roleBindings(namespace: string): readonly KubeObject[];
  clusterRoleBindings(): readonly KubeObject[];
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** One rule of a role. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Members of this group may do everything; RBAC is not asked. */
export const MASTERS = 'system:masters';

/** Decides by role bindings; the reason names the binding that allows, or the roles that bindings miss. */
export function decide(source: RbacSource, user: User, asked: AccessAttributes): Decision {
  if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const { binding, rules, text } of grants(source, user, asked.namespace, missing)) {
    if (rules.some((rule) => covers(rule, asked)))
      return { allowed: true, reason: `RBAC: allowed by ${text} to ${subjectText(binding, user)}` };
  }
  return {
    allowed: false,
    reason:
      missing.length === 0 ? '' : `RBAC: ${missing.length === 1 ? (missing[0] ?? '') : `[${missing.join(', ')}]`}`,
  };
}

interface Grant {
  readonly binding: KubeObject;
  readonly rules: readonly PolicyRule[];
  readonly text: string;
}

/** Every rule that a user has: cluster-wide, and inside one namespace where that is given. */
export function* grants(source: RbacSource, user: User, namespace: string, missing: string[] = []): Generator<Grant> {
  for (const binding of source.clusterRoleBindings()) {
    if (binds(binding, user, '')) yield grant(source, binding, '', missing);
  }
  if (namespace === '') return;
  for (const binding of source.roleBindings(namespace)) {
    if (binds(binding, user, namespace)) yield grant(source, binding, namespace, missing);
  }
}

function grant(source: RbacSource, binding: KubeObject, namespace: string, missing: string[]): Grant {
  const ref = objectField(binding, 'roleRef');
  const kind = text(ref, 'kind');
  const name = text(ref, 'name');
  const role = kind === 'ClusterRole' ? source.clusterRole(name) : source.role(namespace, name);
  if (!role) missing.push(`${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`);
  const own =
    namespace === ''
      ? `ClusterRoleBinding ${JSON.stringify(binding.metadata.name)}`
      : `RoleBinding ${JSON.stringify(`${binding.metadata.name ?? ''}/${namespace}`)}`;
  const of = kind === 'ClusterRole' ? `ClusterRole ${JSON.stringify(name)}` : `Role ${JSON.stringify(name)}`;
  return { binding, rules: role ? rulesOf(role) : [], text: `${own} of ${of}` };
}

export function rulesOf(role: KubeObject): PolicyRule[] {
  const rules = role['rules'];
  if (!isArray(rules)) return [];
  return rules.filter(isObject).map((rule) => ({
    verbs: texts(rule, 'verbs'),
    apiGroups: texts(rule, 'apiGroups'),
    resources: texts(rule, 'resources'),
    resourceNames: texts(rule, 'resourceNames'),
    nonResourceURLs: texts(rule, 'nonResourceURLs'),
  }));
}

/** Does the rule allow the request? */
export function covers(rule: PolicyRule, asked: AccessAttributes): boolean {
  if (!matches(rule.verbs, asked.verb)) return false;
  if (asked.path !== undefined) return rule.nonResourceURLs.some((url) => pathMatches(url, asked.path ?? ''));
  if (!matches(rule.apiGroups, asked.group) || !coversResource(rule, asked)) return false;
  return rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name);
}

function coversResource(rule: PolicyRule, asked: AccessAttributes): boolean {
  const combined = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  return rule.resources.some(
    (resource) =>
      resource === '*' || resource === combined || (asked.subresource !== '' && resource === `*/${asked.subresource}`),
  );
}

function pathMatches(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}

function matches(list: readonly string[], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted);
}

function binds(binding: KubeObject, user: User, namespace: string): boolean {
  return subjectsOf(binding).some((subject) => isSubject(subject, user, namespace));
}

function subjectsOf(binding: KubeObject): JsonObject[] {
  const subjects = binding['subjects'];
  return isArray(subjects) ? subjects.filter(isObject) : [];
}

function isSubject(subject: JsonObject, user: User, namespace: string): boolean {
  const name = text(subject, 'name');
  switch (text(subject, 'kind')) {
    case 'User':
      return user.name === name;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return user.name === `system:serviceaccount:${text(subject, 'namespace') || namespace}:${name}`;
    default:
      return false;
  }
}

function subjectText(binding: KubeObject, user: User): string {
  const subject = subjectsOf(binding).find((each) => isSubject(each, user, binding.metadata.namespace ?? '')) ?? {};
  const kind = text(subject, 'kind');
  const name =
    kind === 'ServiceAccount' ? `${text(subject, 'name')}/${text(subject, 'namespace')}` : text(subject, 'name');
  return `${kind} ${JSON.stringify(name)}`;
}

function objectField(object: JsonObject, field: string): JsonObject {
  const value = own(object, field);
  return isObject(value) ? value : {};
}

function text(object: JsonObject, field: string): string {
  const value = own(object, field);
  return typeof value === 'string' ? value : '';
}

function texts(object: JsonObject, field: string): string[] {
  const value: Json | undefined = own(object, field);
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
