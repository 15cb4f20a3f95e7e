import { own, type JsonObject } from '../../../model/json/index.js';
import { count, ensure, fill, has, items, maybe, number, sub, text } from '../../resources/index.js';
import { goJson } from '../validation/go-json.js';
import { qualifiedName, subdomain } from '../validation/name-rules.js';
import { podSpecDefaults } from '../pod/defaults.js';
import { checkPodTemplate } from '../pod/spec.js';
import type { FieldErrors } from '../validation/field-errors.js';

const INDEXED_JOB_LIMIT = 100_000;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Defaults of a job's spec that hold for a CronJob's template too. */
export function jobTemplateDefaults(spec: JsonObject): void {
  podSpecDefaults(ensure(ensure(spec, 'template'), 'spec'));
  for (const rule of items(maybe(spec, 'podFailurePolicy'), 'rules')) {
    for (const pattern of items(rule, 'onPodConditions')) fill(pattern, { status: 'True' });
  }
}

export function checkJobSpec(to: FieldErrors, spec: JsonObject, field: string): void {
  to.nonNegative(
    spec,
    field,
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  );
  if (has(spec, 'maxFailedIndexes') && !has(spec, 'backoffLimitPerIndex'))
    to.required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
  checkManagedBy(to, spec, `${field}.managedBy`);
  checkCompletionMode(to, spec, field);
  const policy = maybe(spec, 'podFailurePolicy');
  if (policy !== undefined) checkFailurePolicy(to, spec, policy, `${field}.podFailurePolicy`);
  const success = maybe(spec, 'successPolicy');
  if (success !== undefined) {
    if (text(spec, 'completionMode') !== 'Indexed')
      to.invalid(`${field}.successPolicy`, goJson(success, 'batch.SuccessPolicy'), 'requires indexed completion mode');
    else checkSuccessPolicy(to, success, `${field}.successPolicy`);
  }
  if (has(spec, 'podReplacementPolicy'))
    to.oneOf(
      spec,
      field,
      'podReplacementPolicy',
      policy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'],
    );
  checkPodTemplate(to, sub(spec, 'template'), `${field}.template`);
  checkRestartPolicy(to, spec, `${field}.template.spec.restartPolicy`);
}

function checkRestartPolicy(to: FieldErrors, spec: JsonObject, field: string): void {
  const restart = text(sub(spec, 'template.spec'), 'restartPolicy');
  if (restart === 'Always' || restart === '') to.required(field, 'valid values: "OnFailure", "Never"');
  else if (restart !== 'OnFailure' && restart !== 'Never') to.unsupported(field, restart, ['OnFailure', 'Never']);
  else if (has(spec, 'podFailurePolicy') && restart !== 'Never')
    to.invalid(field, restart, 'only "Never" is supported when podFailurePolicy is specified');
}

function checkManagedBy(to: FieldErrors, spec: JsonObject, field: string): void {
  if (!has(spec, 'managedBy')) return;
  const value = text(spec, 'managedBy');
  const slash = value.indexOf('/');
  if (value === '') to.required(field);
  else if (slash <= 0 || slash === value.length - 1)
    to.invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else to.invalidEach(field, value.slice(0, slash), subdomain(value.slice(0, slash)));
  if (value.length > 63) to.tooLong(field, 63);
}

function checkCompletionMode(to: FieldErrors, spec: JsonObject, field: string): void {
  const mode = text(spec, 'completionMode');
  if (has(spec, 'completionMode') && mode !== 'NonIndexed' && mode !== 'Indexed')
    to.unsupported(`${field}.completionMode`, mode, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') return checkIndexed(to, spec, field);
  if (mode !== 'NonIndexed' && mode !== '') return;
  for (const key of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
    if (has(spec, key)) to.invalid(`${field}.${key}`, own(spec, key), 'requires indexed completion mode');
  }
}

function checkIndexed(to: FieldErrors, spec: JsonObject, field: string): void {
  const completions = number(spec, 'completions');
  const failed = number(spec, 'maxFailedIndexes');
  const parallelism = count(spec, 'parallelism');
  if (completions === undefined) to.required(`${field}.completions`, 'when completion mode is Indexed');
  if (parallelism > INDEXED_JOB_LIMIT)
    to.invalid(
      `${field}.parallelism`,
      parallelism,
      `must be less than or equal to ${INDEXED_JOB_LIMIT} when completion mode is Indexed`,
    );
  if (completions !== undefined && failed !== undefined && failed > completions)
    to.invalid(`${field}.maxFailedIndexes`, failed, 'must be less than or equal to completions');
  if (failed !== undefined && failed > INDEXED_JOB_LIMIT)
    to.invalid(`${field}.maxFailedIndexes`, failed, `must be less than or equal to ${INDEXED_JOB_LIMIT}`);
  if ((completions ?? 0) <= INDEXED_JOB_LIMIT || !has(spec, 'backoffLimitPerIndex')) return;
  const words =
    `must be less than or equal to 10000 when completions are above ${INDEXED_JOB_LIMIT} and used with ` +
    'backoff limit per index';
  if (failed === undefined)
    to.required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${INDEXED_JOB_LIMIT}`);
  if (parallelism > 10_000) to.invalid(`${field}.parallelism`, parallelism, words);
  if (failed !== undefined && failed > 10_000) to.invalid(`${field}.maxFailedIndexes`, failed, words);
}

function quoted(values: readonly string[]): string {
  return `valid values: [${values.map((value) => `"${value}"`).join(' ')}]`;
}

function checkFailurePolicy(to: FieldErrors, spec: JsonObject, policy: JsonObject, field: string): void {
  const rules = items(policy, 'rules');
  if (rules.length > 20) to.tooMany(`${field}.rules`, rules.length, 20);
  const pod = sub(spec, 'template.spec');
  const names = [...items(pod, 'containers'), ...items(pod, 'initContainers')].map((container) =>
    text(container, 'name'),
  );
  rules.forEach((rule, index) => {
    const path = `${field}.rules[${index}]`;
    const action = text(rule, 'action');
    if (action === '') to.required(`${path}.action`, quoted(ACTIONS));
    else if (action === 'FailIndex') {
      if (!has(spec, 'backoffLimitPerIndex'))
        to.invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set');
    } else if (!ACTIONS.includes(action)) to.unsupported(`${path}.action`, action, ACTIONS);
    const codes = maybe(rule, 'onExitCodes');
    const conditions = items(rule, 'onPodConditions');
    if (codes !== undefined) checkExitCodes(to, codes, `${path}.onExitCodes`, names);
    conditions.forEach((pattern, at) => checkPattern(to, pattern, `${path}.onPodConditions[${at}]`));
    if (codes !== undefined && conditions.length > 0)
      to.wrong(path, 'specifying both OnExitCodes and OnPodConditions is not supported');
    if (codes === undefined && conditions.length === 0)
      to.wrong(path, 'specifying one of OnExitCodes and OnPodConditions is required');
  });
}

function checkPattern(to: FieldErrors, pattern: JsonObject, field: string): void {
  to.invalidEach(`${field}.type`, text(pattern, 'type'), qualifiedName(text(pattern, 'type')));
  const status = text(pattern, 'status');
  if (status === '') to.required(`${field}.status`, quoted(STATUSES));
  else if (!STATUSES.includes(status)) to.unsupported(`${field}.status`, status, STATUSES);
}

function checkExitCodes(to: FieldErrors, codes: JsonObject, field: string, containers: readonly string[]): void {
  const operator = text(codes, 'operator');
  if (operator === '') to.required(`${field}.operator`, quoted(OPERATORS));
  else if (!OPERATORS.includes(operator)) to.unsupported(`${field}.operator`, operator, OPERATORS);
  const container = text(codes, 'containerName');
  if (has(codes, 'containerName') && !containers.includes(container)) {
    to.invalid(
      `${field}.containerName`,
      container,
      'must be one of the container or initContainer names in the pod template',
    );
  }
  const values = Array.isArray(codes.values) ? codes.values.map(Number) : [];
  if (values.length === 0) to.invalid(`${field}.values`, [], 'at least one value is required');
  else if (values.length > 255) to.tooMany(`${field}.values`, values.length, 255);
  values.forEach((value, index) => {
    if (operator === 'In' && value === 0)
      to.invalid(`${field}.values[${index}]`, value, 'must not be 0 for the In operator');
    if (values.indexOf(value) < index) to.duplicate(`${field}.values[${index}]`, value);
  });
  if (values.some((value, index) => index > 0 && (values[index - 1] ?? 0) > value))
    to.invalid(`${field}.values`, values, 'must be ordered');
}

function checkSuccessPolicy(to: FieldErrors, policy: JsonObject, field: string): void {
  const rules = items(policy, 'rules');
  if (rules.length === 0)
    to.required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified');
  if (rules.length > 20) to.tooMany(`${field}.rules`, rules.length, 20);
  rules.forEach((rule, index) => {
    if (!has(rule, 'succeededCount') && !has(rule, 'succeededIndexes')) {
      to.required(`${field}.rules[${index}]`, 'at least one of succeededCount or succeededIndexes must be specified');
    }
    to.nonNegative(rule, `${field}.rules[${index}]`, 'succeededCount');
  });
}
