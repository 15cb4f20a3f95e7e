import { own, type JsonObject } from '../../../model/json/index.js';
import { count, has, items, maybe, number, pairs, text, texts } from '../../resources/index.js';
import { checkSelector } from '../validation/label-selectors.js';
import { dnsLabel, labelValue, qualifiedName, subdomain } from '../validation/name-rules.js';
import type { FieldErrors } from '../validation/field-errors.js';

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function checkAffinity(to: FieldErrors, spec: JsonObject, field: string): void {
  const node = maybe(spec, 'affinity.nodeAffinity');
  if (node !== undefined) {
    const required = maybe(node, REQUIRED);
    if (required !== undefined) checkNodeSelector(to, required, `${field}.nodeAffinity.${REQUIRED}`);
    items(node, PREFERRED).forEach((term, index) => {
      const path = `${field}.nodeAffinity.${PREFERRED}[${index}]`;
      checkWeight(to, term, path);
      checkNodeTerm(to, maybe(term, 'preference') ?? {}, `${path}.preference`, 'any');
    });
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const affinity = maybe(spec, `affinity.${kind}`);
    items(affinity, REQUIRED).forEach((term, index) =>
      checkPodTerm(to, term, `${field}.${kind}.${REQUIRED}[${index}]`),
    );
    items(affinity, PREFERRED).forEach((weighted, index) => {
      const path = `${field}.${kind}.${PREFERRED}[${index}]`;
      checkWeight(to, weighted, path);
      checkPodTerm(to, maybe(weighted, 'podAffinityTerm') ?? {}, `${path}.podAffinityTerm`);
    });
  }
}

function checkWeight(to: FieldErrors, term: JsonObject, field: string): void {
  const weight = count(term, 'weight');
  if (weight <= 0 || weight > 100) to.invalid(`${field}.weight`, weight, 'must be in the range 1-100');
}

export function checkNodeSelector(to: FieldErrors, selector: JsonObject, field: string): void {
  const terms = items(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return to.required(`${field}.nodeSelectorTerms`, 'must have at least one node selector term');
  terms.forEach((term, index) => checkNodeTerm(to, term, `${field}.nodeSelectorTerms[${index}]`, 'labels'));
}

function checkNodeTerm(to: FieldErrors, term: JsonObject, field: string, values: 'labels' | 'any'): void {
  items(term, 'matchExpressions').forEach((expression, index) =>
    checkNodeExpression(to, expression, `${field}.matchExpressions[${index}]`, values),
  );
  items(term, 'matchFields').forEach((expression, index) =>
    checkNodeField(to, expression, `${field}.matchFields[${index}]`),
  );
}

function checkNodeExpression(to: FieldErrors, expression: JsonObject, field: string, kind: 'labels' | 'any'): void {
  const operator = text(expression, 'operator');
  const values = texts(expression, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) to.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      to.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1)
      to.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else to.invalid(`${field}.operator`, operator, 'not a valid selector operator');
  const key = text(expression, 'key');
  to.invalidEach(`${field}.key`, key, qualifiedName(key));
  if (kind === 'labels')
    values.forEach((value, index) => to.invalidEach(`${field}.values[${index}]`, value, labelValue(value)));
}

function checkNodeField(to: FieldErrors, expression: JsonObject, field: string): void {
  const operator = text(expression, 'operator');
  const values = texts(expression, 'values');
  if (operator !== 'In' && operator !== 'NotIn')
    to.invalid(`${field}.operator`, operator, 'not a valid selector operator');
  else if (values.length !== 1)
    to.required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  const key = text(expression, 'key');
  if (key !== 'metadata.name') to.invalid(`${field}.key`, key, 'not a valid field selector key');
  else values.forEach((value, index) => to.invalidEach(`${field}.values[${index}]`, value, subdomain(value)));
}

function checkPodTerm(to: FieldErrors, term: JsonObject, field: string): void {
  for (const key of ['labelSelector', 'namespaceSelector']) {
    const selector = maybe(term, key);
    if (selector !== undefined) checkSelector(to, selector, `${field}.${key}`);
  }
  for (const name of texts(term, 'namespaces')) to.invalidEach(`${field}.namespace`, name, dnsLabel(name));
  checkLabelKeys(to, term, field);
  const topology = text(term, 'topologyKey');
  if (topology === '') to.required(`${field}.topologyKey`, 'can not be empty');
  to.invalidEach(`${field}.topologyKey`, topology, qualifiedName(topology));
}

function checkLabelKeys(to: FieldErrors, term: JsonObject, field: string): void {
  const selector = maybe(term, 'labelSelector');
  for (const list of ['matchLabelKeys', 'mismatchLabelKeys']) {
    const keys = texts(term, list);
    if (keys.length > 0 && selector === undefined)
      to.forbidden(`${field}.${list}`, 'must not be specified when labelSelector is not set');
    else keys.forEach((key, index) => to.invalidEach(`${field}.${list}[${index}]`, key, qualifiedName(key)));
  }
  const match = texts(term, 'matchLabelKeys');
  const seen = new Set(Object.keys(maybe(selector, 'matchLabels') ?? {}));
  for (const expression of items(selector, 'matchExpressions')) {
    const key = text(expression, 'key');
    const index = match.lastIndexOf(key);
    if (index >= 0 && seen.has(key))
      to.invalid(`${field}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector');
    seen.add(key);
  }
  match.forEach((key, index) => {
    if (texts(term, 'mismatchLabelKeys').includes(key))
      to.invalid(`${field}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  });
}

export function checkTolerations(to: FieldErrors, spec: JsonObject, field: string): void {
  items(spec, 'tolerations').forEach((toleration, index) => {
    const path = `${field}[${index}]`;
    const key = text(toleration, 'key');
    const operator = text(toleration, 'operator');
    const effect = text(toleration, 'effect');
    const value = text(toleration, 'value');
    if (key !== '') to.invalidEach(`${path}.key`, key, qualifiedName(key));
    else if (operator !== 'Exists') {
      to.invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    }
    if (has(toleration, 'tolerationSeconds') && effect !== 'NoExecute') {
      to.invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operator === 'Equal' || operator === '') {
      const complaints = labelValue(value);
      if (complaints.length > 0) to.invalid(`${path}.operator`, value, complaints.join(';'));
    } else if (operator === 'Exists') {
      if (value !== '') to.invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else to.unsupported(`${path}.operator`, operator, ['Equal', 'Exists']);
    if (effect !== '' && !TAINT_EFFECTS.includes(effect)) to.unsupported(`${path}.effect`, effect, TAINT_EFFECTS);
  });
}

export function checkSpread(to: FieldErrors, spec: JsonObject, field: string): void {
  const constraints = items(spec, 'topologySpreadConstraints');
  constraints.forEach((constraint, index) => {
    const path = `${field}[${index}]`;
    const topology = text(constraint, 'topologyKey');
    const action = text(constraint, 'whenUnsatisfiable');
    to.positive(constraint, path, 'maxSkew');
    if (topology === '') to.required(`${path}.topologyKey`, 'can not be empty');
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(action))
      to.unsupported(`${path}.whenUnsatisfiable`, action, ['DoNotSchedule', 'ScheduleAnyway']);
    const repeated = constraints
      .slice(index + 1)
      .some((other) => text(other, 'topologyKey') === topology && text(other, 'whenUnsatisfiable') === action);
    if (repeated) to.duplicate(`${path}.{topologyKey, whenUnsatisfiable}`, `{${topology}, ${action}}`);
    checkMinDomains(to, constraint, path, action);
    to.oneOf(constraint, path, 'nodeAffinityPolicy', ['Honor', 'Ignore']);
    to.oneOf(constraint, path, 'nodeTaintsPolicy', ['Honor', 'Ignore']);
    checkLabelKeys(to, constraint, path);
    const selector = maybe(constraint, 'labelSelector');
    if (selector !== undefined) checkSelector(to, selector, `${path}.labelSelector`);
  });
}

function checkMinDomains(to: FieldErrors, constraint: JsonObject, field: string, action: string): void {
  const domains = number(constraint, 'minDomains');
  if (domains === undefined) return;
  to.positive(constraint, field, 'minDomains');
  if (action !== 'DoNotSchedule')
    to.invalid(
      `${field}.minDomains`,
      domains,
      `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
    );
}

/** A new pod's label values go into the selectors that ask for them with matchLabelKeys. */
export function applyLabelKeys(pod: JsonObject): void {
  const labels = new Map(pairs(maybe(pod, 'metadata'), 'labels'));
  const spec = maybe(pod, 'spec');
  const terms = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = maybe(spec, `affinity.${kind}`);
    return [
      ...items(affinity, PREFERRED).map((weighted) => maybe(weighted, 'podAffinityTerm') ?? {}),
      ...items(affinity, REQUIRED),
    ];
  });
  for (const term of [...terms, ...items(spec, 'topologySpreadConstraints')]) {
    const selector = maybe(term, 'labelSelector');
    if (selector === undefined) continue;
    for (const [list, operator] of [
      ['matchLabelKeys', 'In'],
      ['mismatchLabelKeys', 'NotIn'],
    ] as const) {
      for (const key of texts(term, list)) {
        const value = labels.get(key);
        if (value === undefined) continue;
        const expressions = own(selector, 'matchExpressions');
        selector.matchExpressions = [
          ...(Array.isArray(expressions) ? expressions : []),
          { key, operator, values: [value] },
        ];
      }
    }
  }
}
