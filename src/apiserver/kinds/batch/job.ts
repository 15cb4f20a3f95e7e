import { clone, equal, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { humanDuration } from '../../../model/formats/index.js';
import {
  AGE,
  column,
  NAME,
  since,
  count,
  ensure,
  fill,
  flag,
  has,
  inOrder,
  items,
  maybe,
  number,
  sub,
  text,
  keepStatus,
  kind,
} from '../../resources/index.js';
import { goJson } from '../validation/go-json.js';
import { checkJobSpec, jobTemplateDefaults } from './job-spec.js';
import { checkSelector, isUsableSelector, selects, formatSelector } from '../validation/label-selectors.js';
import { dnsLabel } from '../validation/name-rules.js';
import { IMMUTABLE, collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';
import { checkSelectorMatches, CONTAINERS, IMAGES, SELECTOR } from '../apps/workload.js';

const UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];

export const JOB = kind({
  columns: [
    NAME,
    column('Status', jobStatus),
    column('Completions', completionsText),
    column('Duration', (job, now) => {
      const [start, end] = [text(maybe(job, 'status'), 'startTime'), text(maybe(job, 'status'), 'completionTime')];
      if (start === '') return '';
      return end === '' ? since(start, now) : humanDuration(Date.parse(end) - Date.parse(start));
    }),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  readers: { 'status.successful': (job) => String(count(maybe(job, 'status'), 'succeeded')) },
  strategy: {
    generation: true,
    defaults,
    prepareCreate(job) {
      if (!flag(sub(job, 'spec'), 'manualSelector')) generateSelector(job);
      labelsFromTemplate(job);
      job.status = {};
    },
    prepareUpdate: keepStatus,
    validate: (job) =>
      collectFieldErrors((to) => {
        checkGeneratedSelector(to, job);
        checkSpec(to, sub(job, 'spec'));
        checkHostnames(to, job);
      }),
    validateUpdate: (next, previous) =>
      collectFieldErrors((to) => {
        checkSpec(to, sub(next, 'spec'));
        checkUnchanged(to, next, previous);
      }),
    validateStatusUpdate: (next, previous) => collectFieldErrors((to) => checkStatus(to, next, previous)),
  },
});

function condition(job: KubeObject, type: string): boolean {
  return items(maybe(job, 'status'), 'conditions').find((entry) => text(entry, 'type') === type)?.status === 'True';
}

function jobStatus(job: KubeObject): string {
  if (condition(job, 'Complete')) return 'Complete';
  if (condition(job, 'Failed')) return 'Failed';
  if (has(job.metadata, 'deletionTimestamp')) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => condition(job, type)) ?? 'Running';
}

function completionsText(job: KubeObject): string {
  const succeeded = count(maybe(job, 'status'), 'succeeded');
  const completions = number(maybe(job, 'spec'), 'completions');
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = count(maybe(job, 'spec'), 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function defaults(job: KubeObject): void {
  const spec = ensure(job, 'spec');
  if (!has(spec, 'completions') && !has(spec, 'parallelism')) spec.completions = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: has(spec, 'backoffLimitPerIndex') ? 2147483647 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: has(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed',
  });
  jobTemplateDefaults(spec);
  // Before the selector is made the template lacks the labels that the job is to have too.
  if (has(spec, 'selector')) labelsFromTemplate(job);
}

function labelsFromTemplate(job: KubeObject): void {
  const labels = maybe(job, 'spec.template.metadata.labels');
  if (labels !== undefined && Object.keys(sub(job.metadata, 'labels')).length === 0)
    put(job.metadata, 'labels', clone(labels));
}

/** The pods of a job are selected by its uid. */
function generateSelector(job: KubeObject): void {
  const spec = sub(job, 'spec');
  const labels = ensure(ensure(ensure(spec, 'template'), 'metadata'), 'labels');
  for (const key of NAME_LABELS) if (!has(labels, key)) put(labels, key, job.metadata.name);
  for (const key of UID_LABELS) if (!has(labels, key)) put(labels, key, job.metadata.uid);
  const match = ensure(ensure(spec, 'selector'), 'matchLabels');
  if (!has(match, 'batch.kubernetes.io/controller-uid'))
    put(match, 'batch.kubernetes.io/controller-uid', job.metadata.uid);
}

function checkGeneratedSelector(to: FieldErrors, job: KubeObject): void {
  const spec = sub(job, 'spec');
  const selector = maybe(spec, 'selector');
  if (flag(spec, 'manualSelector') || selector === undefined) return;
  const labels = sub(spec, 'template.metadata.labels');
  const expected: JsonObject = {};
  for (const [key, value] of [
    [UID_LABELS[0], job.metadata.uid],
    [NAME_LABELS[0], job.metadata.name],
    [UID_LABELS[1], job.metadata.uid],
    [NAME_LABELS[1], job.metadata.name],
  ] as [string, string][]) {
    put(expected, key, value);
    const field = `spec.template.metadata.labels[${key}]`;
    if (!has(labels, key)) to.required(field, `must be '${value}'`);
    else if (own(labels, key) !== value) to.invalid(field, inOrder(labels), `must be '${value}'`);
  }
  if (isUsableSelector(selector) && !selects(selector, expected))
    to.invalid('spec.selector', formatSelector(selector), '`selector` not auto-generated');
}

function checkSpec(to: FieldErrors, spec: JsonObject): void {
  checkJobSpec(to, spec, 'spec');
  const selector = maybe(spec, 'selector');
  if (selector === undefined) to.required('spec.selector');
  else checkSelector(to, selector, 'spec.selector');
  if (selector === undefined || isUsableSelector(selector)) checkSelectorMatches(to, spec, selector);
}

function checkHostnames(to: FieldErrors, job: KubeObject): void {
  const completions = count(maybe(job, 'spec'), 'completions');
  if (text(maybe(job, 'spec'), 'completionMode') !== 'Indexed' || completions <= 0) return;
  const last = `${job.metadata.name ?? ''}-${completions - 1}`;
  if (dnsLabel(last).length > 0)
    to.invalid('metadata.name', job.metadata.name, `will not able to create pod with invalid DNS label: ${last}`);
}

/** What a job may not change; while it is suspended and has not started, where its pods may run is still open. */
function checkUnchanged(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const [now, before] = [sub(next, 'spec'), sub(previous, 'spec')];
  checkCompletions(to, now, before);
  const same = (key: string, value = own(now, key) ?? null): void => {
    if (!equal(own(now, key), own(before, key))) to.invalid(`spec.${key}`, value, IMMUTABLE);
  };
  same('selector', formatSelector(own(now, 'selector')));
  const open = flag(before, 'suspend') && !has(sub(previous, 'status'), 'startTime');
  const oldTemplate = open ? withSchedulingOf(sub(before, 'template'), sub(now, 'template')) : own(before, 'template');
  if (!equal(own(now, 'template'), oldTemplate))
    to.invalid('spec.template', goJson(own(now, 'template'), 'core.PodTemplateSpec'), IMMUTABLE);
  same('completionMode');
  same('podFailurePolicy', goJson(own(now, 'podFailurePolicy'), '*batch.PodFailurePolicy'));
  same('backoffLimitPerIndex');
  same('managedBy');
  same('successPolicy', goJson(own(now, 'successPolicy'), '*batch.SuccessPolicy'));
}

function checkCompletions(to: FieldErrors, now: JsonObject, before: JsonObject): void {
  const completions = own(now, 'completions');
  if (equal(completions, own(before, 'completions'))) return;
  if (text(now, 'completionMode') !== 'Indexed') to.invalid('spec.completions', completions ?? null, IMMUTABLE);
  else if (completions !== undefined && completions !== own(now, 'parallelism')) {
    to.invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism');
  }
}

function withSchedulingOf(old: JsonObject, next: JsonObject): JsonObject {
  const template = clone(old);
  for (const key of ['labels', 'annotations']) put(ensure(template, 'metadata'), key, own(sub(next, 'metadata'), key));
  const spec = ensure(template, 'spec');
  for (const key of ['nodeSelector', 'tolerations', 'schedulingGates']) put(spec, key, own(sub(next, 'spec'), key));
  const affinity = { ...sub(spec, 'affinity'), nodeAffinity: own(sub(next, 'spec.affinity'), 'nodeAffinity') };
  spec.affinity = Object.values(affinity).some((value) => value !== undefined) ? affinity : undefined;
  return template;
}

function checkStatus(to: FieldErrors, next: KubeObject, previous: KubeObject): void {
  const [now, before] = [sub(next, 'status'), sub(previous, 'status')];
  to.nonNegative(now, 'status', 'active', 'succeeded', 'failed', 'ready', 'terminating');
  if (count(now, 'ready') > count(now, 'active'))
    to.invalid('status.ready', count(now, 'ready'), 'cannot set more ready pods than active');
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (condition(previous, type) && !condition(next, type))
      to.wrong('status.conditions', `cannot disable the terminal ${type}=True condition`);
  }
  for (const key of ['failed', 'succeeded']) {
    if (count(now, key) < count(before, key))
      to.invalid(`status.${key}`, count(now, key), `cannot decrease the ${key} counter`);
  }
}
