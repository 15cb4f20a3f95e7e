import { isArray, isObject, own, type JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** One question to RBAC. */
export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for all, or for one that is not known. */
  readonly name: string;
  /** Empty for all namespaces, and for kinds without. */
  readonly namespace: string;
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Whether these roles and bindings let an account do something. */
export function isAuthorized(
  objects: readonly KubeObject[],
  account: ServiceAccountName,
  asked: AccessRequest,
): boolean {
  return objects.some((binding) => {
    const isWide = binding.kind === 'ClusterRoleBinding';
    if (
      !isWide &&
      (binding.kind !== 'RoleBinding' || asked.namespace === '' || binding.metadata.namespace !== asked.namespace)
    )
      return false;
    if (!items(binding, 'subjects').some((subject) => isAccount(subject, account, binding.metadata.namespace ?? '')))
      return false;
    return rulesOf(objects, binding).some((rule) => covers(rule, asked));
  });
}

function rulesOf(objects: readonly KubeObject[], { metadata, roleRef }: KubeObject): JsonObject[] {
  if (!isObject(roleRef)) return [];
  const role = objects.find(
    (each) =>
      each.kind === roleRef.kind &&
      each.metadata.name === roleRef.name &&
      (each.kind === 'ClusterRole' || each.metadata.namespace === metadata.namespace),
  );
  return role === undefined ? [] : items(role, 'rules');
}

function isAccount(subject: JsonObject, { namespace, name }: ServiceAccountName, bindingNamespace: string): boolean {
  const full = `system:serviceaccount:${namespace}:${name}`;
  switch (subject.kind) {
    case 'ServiceAccount':
      return (
        subject.name === name &&
        (typeof subject.namespace === 'string' && subject.namespace !== '' ? subject.namespace : bindingNamespace) ===
          namespace
      );
    case 'User':
      return subject.name === full;
    case 'Group':
      return ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`].includes(
        String(subject.name),
      );
    default:
      return false;
  }
}

function covers(rule: JsonObject, { verb, group, resource, subresource, name }: AccessRequest): boolean {
  const names = texts(rule, 'resourceNames');
  const wanted = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    has(texts(rule, 'verbs'), verb) &&
    has(texts(rule, 'apiGroups'), group) &&
    texts(rule, 'resources').some(
      (each) => each === '*' || each === wanted || (subresource !== '' && each === `*/${subresource}`),
    ) &&
    (names.length === 0 || (name !== '' && names.includes(name)))
  );
}

function has(list: readonly string[], wanted: string): boolean {
  return list.includes('*') || list.includes(wanted);
}

function items(object: JsonObject, name: 'subjects' | 'rules'): JsonObject[] {
  const value = own(object, name);
  return isArray(value) ? value.filter(isObject) : [];
}

function texts(rule: JsonObject, name: 'verbs' | 'apiGroups' | 'resources' | 'resourceNames'): string[] {
  const value = own(rule, name);
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
