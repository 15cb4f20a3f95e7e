import type { Json, JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  count,
  ensure,
  fill,
  flag,
  has,
  items,
  maybe,
  number,
  sub,
  text,
  texts,
  keepMetadata,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import { dnsLabel, subdomain } from '../validation/name-rules.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

export const FLOW_SCHEMA = kind({
  columns: [
    NAME,
    column('PriorityLevel', (object) => text(maybe(object, 'spec.priorityLevelConfiguration'), 'name')),
    column('MatchingPrecedence', (object) => count(maybe(object, 'spec'), 'matchingPrecedence')),
    column('DistinguisherMethod', (object) => text(maybe(object, 'spec.distinguisherMethod'), 'type') || '<none>'),
    AGE,
    column(
      'MissingPL',
      (object) =>
        text(
          items(maybe(object, 'status'), 'conditions').find((condition) => text(condition, 'type') === 'Dangling'),
          'status',
        ) || '?',
    ),
  ],
  strategy: {
    ...WITH_STATUS,
    prepareStatusUpdate: keepMetadata,
    defaults(object) {
      const spec = ensure(object, 'spec');
      if (count(spec, 'matchingPrecedence') === 0) spec.matchingPrecedence = 1000;
    },
    validate: (object) => collectFieldErrors((to) => checkSchema(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => checkSchema(to, next)),
  },
});

function checkSchema(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const precedence = count(spec, 'matchingPrecedence');
  if (precedence <= 0) to.invalid('spec.matchingPrecedence', precedence, 'must be a positive value');
  if (precedence > 10000) to.invalid('spec.matchingPrecedence', precedence, 'must not be greater than 10000');
  if (precedence === 1 && object.metadata.name !== 'exempt')
    to.invalid('spec.matchingPrecedence', precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  const method = maybe(spec, 'distinguisherMethod');
  if (method !== undefined && !['ByNamespace', 'ByUser'].includes(text(method, 'type'))) {
    to.unsupported('spec.distinguisherMethod.type', { Type: text(method, 'type') }, ['ByNamespace', 'ByUser']);
  }
  const level = text(maybe(spec, 'priorityLevelConfiguration'), 'name');
  if (level === '') to.required('spec.priorityLevelConfiguration.name', 'must reference a priority level');
  else to.invalidEach('spec.priorityLevelConfiguration.name', level, subdomain(level));
  items(spec, 'rules').forEach((rule, index) => checkRule(to, rule, `spec.rules[${index}]`));
}

function checkRule(to: FieldErrors, rule: JsonObject, field: string): void {
  const subjects = items(rule, 'subjects');
  if (subjects.length === 0) to.required(`${field}.subjects`, 'subjects must contain at least one value');
  subjects.forEach((subject, index) => checkSubject(to, subject, `${field}.subjects[${index}]`));
  const [resources, urls] = [items(rule, 'resourceRules'), items(rule, 'nonResourceRules')];
  if (resources.length === 0 && urls.length === 0)
    to.required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  resources.forEach((entry, index) => {
    const path = `${field}.resourceRules[${index}]`;
    checkVerbs(to, entry, path);
    checkList(to, entry, path, 'apiGroups', 'resource rules must supply at least one api group', 'api groups');
    checkList(to, entry, path, 'resources', 'resource rules must supply at least one resource', 'resources');
    checkNamespaces(to, entry, path);
  });
  urls.forEach((entry, index) => {
    const path = `${field}.nonResourceRules[${index}]`;
    checkVerbs(to, entry, path);
    checkList(
      to,
      entry,
      path,
      'nonResourceURLs',
      'nonResourceURLs must contain at least one value',
      'non-resource URLs',
    );
  });
}

function checkList(
  to: FieldErrors,
  entry: JsonObject,
  field: string,
  key: string,
  missing: string,
  words: string,
): void {
  const values = texts(entry, key);
  if (values.length === 0) to.required(`${field}.${key}`, missing);
  else if (values.length > 1 && values.includes('*'))
    to.invalid(`${field}.${key}`, values, `if '*' is present, must not specify other ${words}`);
}

function checkVerbs(to: FieldErrors, entry: JsonObject, field: string): void {
  checkList(to, entry, field, 'verbs', 'verbs must contain at least one value', 'verbs');
  const verbs = texts(entry, 'verbs');
  if (!verbs.includes('*') && verbs.some((verb) => !VERBS.includes(verb)))
    to.unsupported(`${field}.verbs`, verbs, VERBS);
}

function checkNamespaces(to: FieldErrors, entry: JsonObject, field: string): void {
  const namespaces = texts(entry, 'namespaces');
  if (namespaces.length === 0 && !flag(entry, 'clusterScope')) {
    to.required(`${field}.namespaces`, 'resource rules that are not cluster scoped must supply at least one namespace');
  } else if (namespaces.includes('*')) {
    if (namespaces.length > 1)
      to.invalid(`${field}.namespaces`, namespaces, "if '*' is present, must not specify other namespaces");
  } else {
    namespaces.forEach((name, index) => {
      to.invalidEach(
        `${field}.namespaces[${index}]`,
        name,
        dnsLabel(name).map((complaint) => `each member of this list must be '*' or a DNS-1123 label; ${complaint}`),
      );
    });
  }
}

const SUBJECTS: Readonly<Record<string, string>> = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' };

function checkSubject(to: FieldErrors, subject: JsonObject, field: string): void {
  const of = text(subject, 'kind');
  const key = Object.hasOwn(SUBJECTS, of) ? SUBJECTS[of] : undefined;
  if (key === undefined) return to.unsupported(`${field}.kind`, of, ['Group', 'ServiceAccount', 'User']);
  const named = maybe(subject, key);
  if (named === undefined) to.required(`${field}.${key}`, `${key} is required when subject kind is '${of}'`);
  else {
    to.needs(named, `${field}.${key}`, 'name');
    if (key === 'serviceAccount' && text(named, 'namespace') === '')
      to.required(`${field}.${key}.namespace`, 'must specify namespace for service account');
  }
  for (const [other, otherKey] of Object.entries(SUBJECTS)) {
    if (other !== of && has(subject, otherKey))
      to.forbidden(`${field}.${otherKey}`, `${otherKey} is forbidden when subject kind is not '${other}'`);
  }
}

const limited = (object: KubeObject, read: (limits: JsonObject) => Json | undefined): Json => {
  const limits = maybe(object, 'spec.limited');
  return (limits === undefined ? undefined : read(limits)) ?? '<none>';
};
const queuing =
  (key: string) =>
  (object: KubeObject): Json =>
    limited(object, (limits) => number(maybe(limits, 'limitResponse.queuing'), key));

export const PRIORITY_LEVEL_CONFIGURATION = kind({
  columns: [
    NAME,
    column('Type', (object) => text(maybe(object, 'spec'), 'type')),
    column('NominalConcurrencyShares', (object) =>
      limited(object, (limits) => count(limits, 'nominalConcurrencyShares')),
    ),
    column('Queues', queuing('queues')),
    column('HandSize', queuing('handSize')),
    column('QueueLengthLimit', queuing('queueLengthLimit')),
    AGE,
  ],
  strategy: {
    ...WITH_STATUS,
    prepareStatusUpdate: keepMetadata,
    defaults(object) {
      const exempt = maybe(object, 'spec.exempt');
      if (exempt !== undefined) fill(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
      const limits = maybe(object, 'spec.limited');
      if (limits !== undefined) fill(limits, { nominalConcurrencyShares: 30, lendablePercent: 0 });
      const queue = maybe(limits, 'limitResponse.queuing');
      if (queue !== undefined) {
        if (count(queue, 'handSize') === 0) queue.handSize = 8;
        if (count(queue, 'queues') === 0) queue.queues = 64;
        if (count(queue, 'queueLengthLimit') === 0) queue.queueLengthLimit = 50;
      }
    },
    validate: (object) => collectFieldErrors((to) => checkLevel(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => checkLevel(to, next)),
  },
});

function checkLevel(to: FieldErrors, object: KubeObject): void {
  const spec = sub(object, 'spec');
  const type = text(spec, 'type');
  if ((object.metadata.name === 'exempt') !== (type === 'Exempt'))
    to.invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'");
  const limits = maybe(spec, 'limited');
  if (type === 'Exempt') {
    if (limits !== undefined) to.forbidden('spec.limited', 'must be nil if the type is not Limited');
  } else if (type !== 'Limited') to.unsupported('spec.type', type, ['Exempt', 'Limited']);
  else if (limits === undefined) to.required('spec.limited', 'must not be empty when type is Limited');
  else checkLimits(to, limits);
}

function checkLimits(to: FieldErrors, limits: JsonObject): void {
  const shares = count(limits, 'nominalConcurrencyShares');
  if (shares < 0) to.invalid('spec.limited.nominalConcurrencyShares', shares, 'must be a non-negative integer');
  const response = sub(limits, 'limitResponse');
  const type = text(response, 'type');
  const field = 'spec.limited.limitResponse';
  if (type === 'Reject') {
    if (has(response, 'queuing'))
      to.forbidden(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited');
  } else if (type !== 'Queue') to.unsupported(`${field}.type`, type, ['Queue', 'Reject']);
  else if (!has(response, 'queuing'))
    to.required(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited');
  const lendable = number(limits, 'lendablePercent');
  if (lendable !== undefined && (lendable < 0 || lendable > 100))
    to.invalid('spec.limited.lendablePercent', lendable, 'must be between 0 and 100, inclusive');
}
