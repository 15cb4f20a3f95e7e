import { equal, own, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  wide,
  ensure,
  fill,
  has,
  items,
  maybe,
  sub,
  text,
  texts,
  kind,
  type BuiltinKind,
} from '../../resources/index.js';
import { checkSelector } from '../validation/label-selectors.js';
import { pathSegment, subdomain } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const GROUP = 'rbac.authorization.k8s.io';
type Scope = 'namespaced' | 'cluster';

function role(scope: Scope): BuiltinKind {
  const check = (to: FieldErrors, object: KubeObject): void => {
    items(object, 'rules').forEach((rule, index) => checkRule(to, rule, `rules[${index}]`, scope));
    const aggregation = maybe(object, 'aggregationRule');
    if (aggregation === undefined || scope === 'namespaced') return;
    const selectors = items(aggregation, 'clusterRoleSelectors');
    if (selectors.length === 0)
      to.required(
        'aggregationRule.clusterRoleSelectors',
        'at least one clusterRoleSelector required if aggregationRule is non-nil',
      );
    selectors.forEach((selector, index) =>
      checkSelector(to, selector, `aggregationRule.clusterRoleSelectors[${index}]`),
    );
  };
  return kind({
    strategy: {
      nameRule: 'path',
      validate: (object) => collectFieldErrors((to) => check(to, object)),
      validateUpdate: (next) => collectFieldErrors((to) => check(to, next)),
    },
  });
}

export const ROLE = role('namespaced');
export const CLUSTER_ROLE = role('cluster');

function checkRule(to: FieldErrors, rule: JsonObject, field: string, scope: Scope): void {
  if (texts(rule, 'verbs').length === 0) to.required(`${field}.verbs`, 'verbs must contain at least one value');
  const urls = texts(rule, 'nonResourceURLs');
  if (urls.length > 0) {
    if (scope === 'namespaced')
      to.invalid(`${field}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs');
    if (['apiGroups', 'resources', 'resourceNames'].some((key) => texts(rule, key).length > 0)) {
      to.invalid(
        `${field}.nonResourceURLs`,
        urls,
        'rules cannot apply to both regular resources and non-resource URLs',
      );
    }
    return;
  }
  if (texts(rule, 'apiGroups').length === 0)
    to.required(`${field}.apiGroups`, 'resource rules must supply at least one api group');
  if (texts(rule, 'resources').length === 0)
    to.required(`${field}.resources`, 'resource rules must supply at least one resource');
}

const subjects =
  (of: string) =>
  (object: KubeObject): string => {
    const found = items(object, 'subjects').filter((subject) => text(subject, 'kind') === of);
    return found
      .map((subject) =>
        of === 'ServiceAccount' ? `${text(subject, 'namespace')}/${text(subject, 'name')}` : text(subject, 'name'),
      )
      .join(', ');
  };

function binding(scope: Scope): BuiltinKind {
  const check = (to: FieldErrors, object: KubeObject): void => {
    checkRoleRef(to, sub(object, 'roleRef'), scope);
    items(object, 'subjects').forEach((subject, index) => checkSubject(to, subject, `subjects[${index}]`, scope));
  };
  return kind({
    columns: [
      NAME,
      column('Role', (object) => `${text(maybe(object, 'roleRef'), 'kind')}/${text(maybe(object, 'roleRef'), 'name')}`),
      AGE,
      wide('Users', subjects('User')),
      wide('Groups', subjects('Group')),
      wide('ServiceAccounts', subjects('ServiceAccount')),
    ],
    strategy: {
      nameRule: 'path',
      defaults(object) {
        fill(ensure(object, 'roleRef'), { apiGroup: GROUP });
        for (const subject of items(object, 'subjects'))
          if (['User', 'Group'].includes(text(subject, 'kind'))) fill(subject, { apiGroup: GROUP });
      },
      validate: (object) => collectFieldErrors((to) => check(to, object)),
      validateUpdate: (next, previous) =>
        collectFieldErrors((to) => {
          check(to, next);
          const [now, before] = [sub(next, 'roleRef'), sub(previous, 'roleRef')];
          if (!equal(now, before)) {
            to.invalid(
              'roleRef',
              { APIGroup: own(now, 'apiGroup') ?? '', Kind: own(now, 'kind') ?? '', Name: own(now, 'name') ?? '' },
              'cannot change roleRef',
            );
          }
        }),
    },
  });
}

export const ROLE_BINDING = binding('namespaced');
export const CLUSTER_ROLE_BINDING = binding('cluster');

function checkRoleRef(to: FieldErrors, ref: JsonObject, scope: Scope): void {
  if (text(ref, 'apiGroup') !== GROUP) to.unsupported('roleRef.apiGroup', text(ref, 'apiGroup'), [GROUP]);
  const kinds = scope === 'cluster' ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  if (!kinds.includes(text(ref, 'kind'))) to.unsupported('roleRef.kind', text(ref, 'kind'), kinds);
  const name = text(ref, 'name');
  if (name === '') to.required('roleRef.name');
  else to.invalidEach('roleRef.name', name, pathSegment(name));
}

function checkSubject(to: FieldErrors, subject: JsonObject, field: string, scope: Scope): void {
  const [name, group] = [text(subject, 'name'), text(subject, 'apiGroup')];
  if (name === '') to.required(`${field}.name`);
  switch (text(subject, 'kind')) {
    case 'ServiceAccount':
      if (name !== '') to.invalidEach(`${field}.name`, name, subdomain(name));
      if (group !== '') to.unsupported(`${field}.apiGroup`, group, ['']);
      if (scope === 'cluster' && !has(subject, 'namespace')) to.required(`${field}.namespace`);
      break;
    case 'User':
    case 'Group':
      if (group !== GROUP) to.unsupported(`${field}.apiGroup`, group, [GROUP]);
      break;
    default:
      to.unsupported(`${field}.kind`, text(subject, 'kind'), ['ServiceAccount', 'User', 'Group']);
  }
}
