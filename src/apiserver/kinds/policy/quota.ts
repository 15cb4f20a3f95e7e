import { isObject, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  NAME,
  ensure,
  has,
  items,
  maybe,
  sub,
  text,
  texts,
  clearStatus,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { qualifiedName } from '../validation/name-rules.js';
import { compareQuantities, nanos } from '../validation/quantities.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import {
  checkContainerResourceName,
  checkQuantity,
  checkResourceName,
  isStandardQuotaName,
  quantities,
  quantityText,
} from '../validation/resource-lists.js';

const POD_AMOUNTS = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const EXISTS_ONLY = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const SCOPES = [...EXISTS_ONLY, 'PriorityClass', 'VolumeAttributesClass'];

function amounts(object: KubeObject, limits: boolean): string {
  return quantities(object, 'status.hard')
    .filter(([name]) => name.startsWith('limits.') === limits)
    .map(([name, hard]) => `${name}: ${quantityText(sub(object, 'status.used'), name) ?? '0'}/${hard}`)
    .join(', ');
}

export const RESOURCE_QUOTA = kind({
  columns: [
    NAME,
    column('Request', (object) => amounts(object, false)),
    column('Limit', (object) => amounts(object, true)),
    AGE,
  ],
  strategy: {
    prepareCreate: clearStatus,
    prepareUpdate: keepStatus,
    validate: (object) => collectFieldErrors((to) => checkQuota(to, object)),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkQuota(to, next);
        const [now, before] = [texts(maybe(next, 'spec'), 'scopes'), texts(maybe(previous, 'spec'), 'scopes')];
        if ([...now].sort().join() !== [...before].sort().join())
          to.invalid('spec.scopes', own(sub(next, 'spec'), 'scopes') ?? null, IMMUTABLE);
      }),
    validateStatusUpdate: (next) =>
      collectFieldErrors((to) => {
        checkAmounts(to, next, 'status.hard');
        checkAmounts(to, next, 'status.used');
      }),
  },
});

function checkAmounts(to: FieldErrors, object: KubeObject, path: string): void {
  for (const [name, quantity] of quantities(object, path)) {
    const field = `${path}[${name}]`;
    checkResourceName(to, name, field);
    if (!name.includes('/') && !isStandardQuotaName(name))
      to.invalid(field, name, 'must be a standard resource for quota');
    checkQuantity(to, name, quantity, field);
  }
}

function scopeFits(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods';
  if (scope === 'VolumeAttributesClass') return ['persistentvolumeclaims', 'requests.storage'].includes(resource);
  return resource === 'pods' || POD_AMOUNTS.includes(resource);
}

function checkQuota(to: FieldErrors, object: KubeObject): void {
  checkAmounts(to, object, 'spec.hard');
  const spec = sub(object, 'spec');
  const hard = quantities(spec, 'hard')
    .map(([name]) => name)
    .filter(isStandardQuotaName);
  const scopes = texts(spec, 'scopes');
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) to.invalid('spec.scopes', scopes, 'unsupported scope');
    for (const name of hard)
      if (SCOPES.includes(scope) && !scopeFits(scope, name))
        to.invalid('spec.scopes', scopes, 'unsupported scope applied to resource');
  }
  for (const pair of [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ]) {
    if (pair.every((scope) => scopes.includes(scope))) to.invalid('spec.scopes', scopes, 'conflicting scopes');
  }
  items(maybe(spec, 'scopeSelector'), 'matchExpressions').forEach((expression) =>
    checkScopeExpression(to, spec, expression, hard),
  );
}

function checkScopeExpression(
  to: FieldErrors,
  spec: JsonObject,
  expression: JsonObject,
  hard: readonly string[],
): void {
  const field = 'spec.scopeSelector.matchExpressions';
  const [scope, operator, values] = [
    text(expression, 'scopeName'),
    text(expression, 'operator'),
    texts(expression, 'values'),
  ];
  if (!SCOPES.includes(scope)) to.invalid(`${field}.scopeName`, scope, 'unsupported scope');
  for (const name of hard)
    if (SCOPES.includes(scope) && !scopeFits(scope, name))
      to.invalid(field, own(spec, 'scopeSelector'), 'unsupported scope applied to resource');
  if (EXISTS_ONLY.includes(scope) && operator !== 'Exists') {
    to.invalid(
      `${field}.operator`,
      operator,
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, " +
        'ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ' +
        'ResourceQuotaScopeCrossNamespacePodAffinity',
    );
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      to.required(
        `${field}.values`,
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      );
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      to.invalid(
        `${field}.values`,
        values,
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      );
  } else to.invalid(`${field}.operator`, operator, 'not a valid selector operator');
}

export const LIMIT_RANGE = kind({
  strategy: {
    defaults(object) {
      for (const limit of items(maybe(object, 'spec'), 'limits'))
        if (text(limit, 'type') === 'Container') limitDefaults(limit);
    },
    validate: (object) => collectFieldErrors((to) => checkLimitRange(to, object)),
    validateUpdate: (next) => collectFieldErrors((to) => checkLimitRange(to, next)),
  },
});

/** A default limit comes from the maximum, a default request from the default limit, then from the minimum. */
function limitDefaults(limit: JsonObject): void {
  const copy = (from: string, to: string): void => {
    const source = own(limit, from);
    if (!isObject(source)) return;
    const target = ensure(limit, to);
    for (const name of Object.keys(source)) if (!has(target, name)) put(target, name, own(source, name));
  };
  copy('max', 'default');
  copy('default', 'defaultRequest');
  copy('min', 'defaultRequest');
}

function checkLimitRange(to: FieldErrors, object: KubeObject): void {
  const seen = new Set<string>();
  items(maybe(object, 'spec'), 'limits').forEach((limit, index) => {
    const field = `spec.limits[${index}]`;
    const type = text(limit, 'type');
    const complaints = qualifiedName(type);
    to.invalidEach(`${field}.type`, type, complaints);
    if (
      complaints.length === 0 &&
      !type.includes('/') &&
      !['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)
    ) {
      to.invalid(`${field}.type`, type, 'must be a standard limit type or fully qualified');
    }
    if (seen.has(type)) to.duplicate(`${field}.type`, type);
    seen.add(type);
    checkLimitNames(to, limit, field, type);
    const names = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'].flatMap((list) =>
      quantities(limit, list).map(([name]) => name),
    );
    for (const name of [...new Set(names)].sort()) checkLimitOrder(to, limit, field, name);
  });
}

function checkLimitNames(to: FieldErrors, limit: JsonObject, field: string, type: string): void {
  const checkNames = (list: string): void => {
    for (const [name] of quantities(limit, list)) {
      if (type === 'Pod' || type === 'Container') checkContainerResourceName(to, name, `${field}.${list}[${name}]`);
      else checkResourceName(to, name, `${field}.${list}[${name}]`);
    }
  };
  checkNames('max');
  checkNames('min');
  for (const list of ['default', 'defaultRequest']) {
    if (type !== 'Pod') checkNames(list);
    else if (quantities(limit, list).length > 0)
      to.forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'");
  }
  if (type === 'PersistentVolumeClaim' && !has(sub(limit, 'min'), 'storage') && !has(sub(limit, 'max'), 'storage')) {
    to.required(`${field}.limits`, 'either minimum or maximum storage value is required, but neither was provided');
  }
  checkNames('maxLimitRequestRatio');
}

/** Which list may not exceed which, where the message points, and which value it shows. */
const ORDER: readonly (readonly [
  low: string,
  high: string,
  at: string,
  shown: string,
  words: (low: string, high: string) => string,
])[] = [
  ['min', 'max', 'min', 'min', (low, high) => `min value ${low} is greater than max value ${high}`],
  [
    'min',
    'defaultRequest',
    'defaultRequest',
    'defaultRequest',
    (low, high) => `min value ${low} is greater than default request value ${high}`,
  ],
  [
    'defaultRequest',
    'max',
    'defaultRequest',
    'defaultRequest',
    (low, high) => `default request value ${low} is greater than max value ${high}`,
  ],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    (low, high) => `default request value ${low} is greater than default limit value ${high}`,
  ],
  ['min', 'default', 'default', 'min', (low, high) => `min value ${low} is greater than default value ${high}`],
  ['default', 'max', 'default', 'max', (low, high) => `default value ${low} is greater than max value ${high}`],
];

function checkLimitOrder(to: FieldErrors, limit: JsonObject, field: string, name: string): void {
  const amount = (list: string): string | undefined => quantityText(sub(limit, list), name);
  for (const [low, high, at, reported, words] of ORDER) {
    const [small, large] = [amount(low), amount(high)];
    if (small === undefined || large === undefined || compareQuantities(small, large) <= 0) continue;
    to.invalid(`${field}.${at}[${name}]`, amount(reported), words(small, large));
  }
  const ratio = amount('maxLimitRequestRatio');
  if (ratio === undefined) return;
  const path = `${field}.maxLimitRequestRatio[${name}]`;
  if (compareQuantities(ratio, '1') < 0) to.invalid(path, ratio, `ratio ${ratio} is less than 1`);
  const [min, max] = [amount('min'), amount('max')];
  if (min === undefined || max === undefined || nanos(min) === 0n) return;
  const limitRatio = Number(nanos(max)) / Number(nanos(min));
  if (Number(nanos(ratio)) / 1e9 > limitRatio)
    to.invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${limitRatio.toFixed(6)}`);
}
