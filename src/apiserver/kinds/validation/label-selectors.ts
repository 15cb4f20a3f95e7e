import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { inOrder, items, pairs, sub, text, texts } from '../../resources/index.js';
import { labelValue, qualifiedName } from './name-rules.js';
import type { FieldErrors } from './field-errors.js';

const OPERATORS: Readonly<Record<string, 'values' | 'none'>> = {
  In: 'values',
  NotIn: 'values',
  Exists: 'none',
  DoesNotExist: 'none',
};

/** Labels as such: the messages name the whole map, not the key. */
export function checkLabels(to: FieldErrors, holder: JsonObject, key: string, field: string): void {
  for (const [name, value] of pairs(holder, key)) {
    to.invalidEach(field, name, qualifiedName(name));
    to.invalidEach(field, value, labelValue(value));
  }
}

/** metadata of a pod or claim template: labels and annotations only; the rest is ignored by the server. */
export function checkTemplateMetadata(to: FieldErrors, metadata: JsonObject, field: string): void {
  checkAnnotations(to, metadata, `${field}.annotations`);
  checkLabels(to, metadata, 'labels', `${field}.labels`);
}

export function checkAnnotations(to: FieldErrors, metadata: JsonObject, field: string): void {
  for (const [name] of pairs(metadata, 'annotations')) to.invalidEach(field, name, qualifiedName(name.toLowerCase()));
}

export function checkSelector(to: FieldErrors, selector: JsonObject, field: string): void {
  checkLabels(to, selector, 'matchLabels', `${field}.matchLabels`);
  items(selector, 'matchExpressions').forEach((expression, index) =>
    checkExpression(to, expression, `${field}.matchExpressions[${index}]`),
  );
}

function checkExpression(to: FieldErrors, expression: JsonObject, field: string): void {
  const operator = text(expression, 'operator');
  const values = texts(expression, 'values');
  const wants = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (wants === undefined) to.invalid(`${field}.operator`, operator, 'not a valid selector operator');
  else if (wants === 'values' && values.length === 0)
    to.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  else if (wants === 'none' && values.length > 0)
    to.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  to.invalidEach(`${field}.key`, text(expression, 'key'), qualifiedName(text(expression, 'key')));
  values.forEach((value, index) => to.invalidEach(`${field}.values[${index}]`, value, labelValue(value)));
}

export function isEmptySelector(selector: JsonObject): boolean {
  return Object.keys(sub(selector, 'matchLabels')).length + items(selector, 'matchExpressions').length === 0;
}

/** Can the selector be evaluated at all? A bad operator or key makes it neither match nor not match. */
export function isUsableSelector(selector: JsonObject): boolean {
  const labelsGood = pairs(selector, 'matchLabels').every(
    ([name, value]) => qualifiedName(name).length + labelValue(value).length === 0,
  );
  return (
    labelsGood &&
    items(selector, 'matchExpressions').every((expression) => {
      const operator = text(expression, 'operator');
      const values = texts(expression, 'values');
      if (!Object.hasOwn(OPERATORS, operator) || qualifiedName(text(expression, 'key')).length > 0) return false;
      if ((OPERATORS[operator] === 'values') !== values.length > 0) return false;
      return values.every((value) => labelValue(value).length === 0);
    })
  );
}

export function selects(selector: JsonObject, labels: JsonObject): boolean {
  const exact = pairs(selector, 'matchLabels').every(([name, value]) => own(labels, name) === value);
  return (
    exact &&
    items(selector, 'matchExpressions').every((expression) => {
      const value = own(labels, text(expression, 'key'));
      const listed = typeof value === 'string' && texts(expression, 'values').includes(value);
      const operator = text(expression, 'operator');
      if (operator === 'In') return listed;
      if (operator === 'NotIn') return !listed;
      return (operator === 'Exists') === (value !== undefined);
    })
  );
}

/** A selector as field errors show it: known fields in order, maps sorted. */
export function formatSelector(selector: Json | undefined): Json {
  if (!isObject(selector)) return null;
  const expressions = items(selector, 'matchExpressions').map((expression) => ({
    key: text(expression, 'key'),
    operator: text(expression, 'operator'),
    ...(texts(expression, 'values').length === 0 ? {} : { values: texts(expression, 'values') }),
  }));
  return {
    ...(isObject(selector.matchLabels) ? { matchLabels: inOrder(selector.matchLabels) } : {}),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

/** `app=web,tier in (a,b)`; requirements ordered by key, as `kubectl get -o wide` shows them. */
export function selectorText(selector: JsonObject | undefined): string {
  if (selector === undefined) return '<none>';
  const requirements = pairs(selector, 'matchLabels').map(([key, value]) => ({ key, shown: `${key}=${value}` }));
  for (const expression of items(selector, 'matchExpressions')) {
    const key = text(expression, 'key');
    const values = texts(expression, 'values').sort().join(',');
    const operator = text(expression, 'operator');
    const printed: Record<string, string> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    requirements.push({ key, shown: printed[operator] ?? '' });
  }
  requirements.sort((a, b) => Number(a.key > b.key) - Number(a.key < b.key));
  return requirements.length === 0 ? '<none>' : requirements.map((requirement) => requirement.shown).join(',');
}

/** `a=1,b=2`, or `<none>`. */
export function labelsText(holder: JsonObject | undefined, key: string): string {
  const list = pairs(holder, key).map(([name, value]) => `${name}=${value}`);
  return list.length === 0 ? '<none>' : list.join(',');
}
