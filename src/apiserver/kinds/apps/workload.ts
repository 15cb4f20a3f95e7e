import { equal, own, type Json, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  type Column,
  containerImages,
  containerNames,
  wide,
  count,
  has,
  inOrder,
  maybe,
  number,
  sub,
  text,
} from '../../resources/index.js';
import {
  checkSelector,
  isEmptySelector,
  isUsableSelector,
  selects,
  selectorText,
  formatSelector,
} from '../validation/label-selectors.js';
import { percent } from '../validation/name-rules.js';
import { checkPodTemplate } from '../pod/spec.js';
import { IMMUTABLE, type FieldErrors } from '../validation/field-errors.js';

/** Selector and template of a workload that keeps its pods running for ever. */
export function checkSelectorAndTemplate(
  to: FieldErrors,
  spec: JsonObject,
  words: { readonly kind: string; readonly owner: string; readonly badSelector: string },
): void {
  const selector = maybe(spec, 'selector');
  if (selector === undefined) to.required('spec.selector');
  else {
    checkSelector(to, selector, 'spec.selector');
    if (isEmptySelector(selector))
      to.invalid('spec.selector', formatSelector(selector), `empty selector is invalid for ${words.kind}`);
    if (!isUsableSelector(selector)) return to.invalid('spec.selector', formatSelector(selector), words.badSelector);
  }
  checkSelectorMatches(to, spec, selector);
  checkPodTemplate(to, sub(spec, 'template'), 'spec.template');
  checkRestartAlways(to, spec, words.owner);
}

export function checkSelectorMatches(to: FieldErrors, spec: JsonObject, selector: JsonObject | undefined): void {
  const labels = sub(spec, 'template.metadata.labels');
  const matches = selector === undefined ? false : isEmptySelector(selector) || selects(selector, labels);
  if (!matches)
    to.invalid('spec.template.metadata.labels', formatLabels(spec), '`selector` does not match template `labels`');
}

function formatLabels(spec: JsonObject): Json {
  const labels = maybe(spec, 'template.metadata.labels');
  return labels === undefined ? null : inOrder(labels);
}

export function checkRestartAlways(to: FieldErrors, spec: JsonObject, owner: string): void {
  const pod = sub(spec, 'template.spec');
  const restart = text(pod, 'restartPolicy');
  if (restart !== 'Always') to.unsupported('spec.template.spec.restartPolicy', restart, ['Always']);
  if (has(pod, 'activeDeadlineSeconds'))
    to.forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${owner} is not Supported`);
}

export function checkSelectorUnchanged(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const selector = own(sub(next, 'spec'), 'selector');
  if (!equal(selector, own(sub(previous, 'spec'), 'selector')))
    to.invalid('spec.selector', formatSelector(selector), IMMUTABLE);
}

/** A count or a share: 1 or `25%`. */
export function checkIntOrPercent(to: FieldErrors, value: Json | undefined, field: string): void {
  if (typeof value === 'string') to.invalidEach(field, value, percent(value));
  else if (typeof value === 'number' && value < 0) to.invalid(field, value, 'must be greater than or equal to 0');
}

export function checkAtMostAll(to: FieldErrors, value: Json | undefined, field: string): void {
  if (typeof value === 'string' && percent(value).length === 0 && Number.parseInt(value) > 100)
    to.invalid(field, value, 'must not be greater than 100%');
}

/** The number in front; texts that are neither count as 0. */
export function intOrPercent(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+%?$/.test(value) ? Number.parseInt(value) : 0;
}

/** Counts in a status: none below zero, none above the total. */
export function checkStatusCounts(
  to: FieldErrors,
  status: JsonObject,
  keys: readonly string[],
  below: Readonly<Record<string, string>>,
  readyWords = 'readyReplicas',
): void {
  to.nonNegative(status, 'status', ...keys);
  for (const [key, total] of Object.entries(below)) {
    const words = total === 'readyReplicas' ? readyWords : `status.${total}`;
    if (count(status, key) > count(status, total))
      to.invalid(`status.${key}`, count(status, key), `cannot be greater than ${words}`);
  }
}

export function checkNotDecremented(to: FieldErrors, next: KubeObject, previous: KubeObject, key: string): void {
  const before = number(maybe(previous, 'status'), key);
  const now = number(maybe(next, 'status'), key) ?? 0;
  if (before !== undefined && now < before) to.invalid(`status.${key}`, now, 'cannot be decremented');
}

/** The wide columns that all workloads share. */
export const CONTAINERS = wide('Containers', (object) => containerNames(sub(object, 'spec.template.spec')));
export const IMAGES = wide('Images', (object) => containerImages(sub(object, 'spec.template.spec')));
export const SELECTOR: Column = wide('Selector', (object) => selectorText(maybe(object, 'spec.selector')));
