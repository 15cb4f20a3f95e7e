import { Fault } from '../../../model/faults/index.js';
import { isTimeZone, parseCron } from '../../../model/formats/index.js';
import { own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import {
  AGE,
  column,
  containerImages,
  containerNames,
  NAME,
  since,
  wide,
  ensure,
  fill,
  flag,
  has,
  items,
  maybe,
  sub,
  text,
  kind,
  WITH_STATUS,
} from '../../resources/index.js';
import { checkJobSpec, jobTemplateDefaults } from './job-spec.js';
import { selectorText, formatSelector } from '../validation/label-selectors.js';
import { collectFieldErrors, type FieldErrors } from '../validation/field-errors.js';

export const CRON_JOB = kind({
  columns: [
    NAME,
    column('Schedule', (object) => text(maybe(object, 'spec'), 'schedule')),
    column('Timezone', (object) => text(maybe(object, 'spec'), 'timeZone') || '<none>'),
    column('Suspend', (object) => (flag(maybe(object, 'spec'), 'suspend') ? 'True' : 'False'), 'boolean'),
    column('Active', (object) => items(maybe(object, 'status'), 'active').length, 'integer'),
    column('Last Schedule', (object, now) => {
      const last = text(maybe(object, 'status'), 'lastScheduleTime');
      return last === '' ? '<none>' : since(last, now);
    }),
    AGE,
    wide('Containers', (object) => containerNames(sub(object, 'spec.jobTemplate.spec.template.spec'))),
    wide('Images', (object) => containerImages(sub(object, 'spec.jobTemplate.spec.template.spec'))),
    wide('Selector', (object) => selectorText(maybe(object, 'spec.jobTemplate.spec.selector'))),
  ],
  strategy: {
    ...WITH_STATUS,
    defaults(object) {
      const spec = ensure(object, 'spec');
      fill(spec, {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      });
      jobTemplateDefaults(ensure(ensure(spec, 'jobTemplate'), 'spec'));
    },
    validate: (object) =>
      collectFieldErrors((to) => {
        check(to, object, undefined);
        if ((object.metadata.name ?? '').length > 52)
          to.invalid('metadata.name', object.metadata.name, 'must be no more than 52 characters');
      }),
    validateUpdate: (next, previous) => collectFieldErrors((to) => check(to, next, previous)),
  },
});

function check(to: FieldErrors, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = sub(object, 'spec');
  const before = maybe(previous, 'spec');
  checkSchedule(to, text(spec, 'schedule'), text(before, 'schedule').includes('TZ'), has(spec, 'timeZone'));
  to.nonNegative(spec, 'spec', 'startingDeadlineSeconds');
  if (before === undefined || text(before, 'timeZone') !== text(spec, 'timeZone'))
    checkTimeZone(to, own(spec, 'timeZone'));
  to.oneOf(spec, 'spec', 'concurrencyPolicy', ['Allow', 'Forbid', 'Replace'], 'required');
  const job = sub(spec, 'jobTemplate.spec');
  checkJobSpec(to, job, 'spec.jobTemplate.spec');
  if (has(job, 'selector'))
    to.invalid(
      'spec.jobTemplate.spec.selector',
      formatSelector(own(job, 'selector')),
      '`selector` will be auto-generated',
    );
  if (flag(job, 'manualSelector')) to.unsupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']);
  to.nonNegative(spec, 'spec', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit');
}

/** What is wrong with a schedule, in the words of the parser that Kubernetes uses; undefined when nothing is. */
function scheduleError(schedule: string): string | undefined {
  try {
    parseCron(schedule, { descriptors: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.message;
  }
}

function checkSchedule(to: FieldErrors, schedule: string, zoneAllowed: boolean, hasZone: boolean): void {
  if (schedule === '') return to.required('spec.schedule');
  const violation = scheduleError(schedule);
  if (violation !== undefined) to.invalid('spec.schedule', schedule, violation);
  if (!schedule.includes('TZ')) return;
  if (!zoneAllowed)
    to.invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if (hasZone)
    to.invalid('spec.schedule', schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function checkTimeZone(to: FieldErrors, zone: unknown): void {
  if (typeof zone !== 'string') return;
  const field = 'spec.timeZone';
  if (zone === '') return to.invalid(field, zone, 'timeZone must be nil or non-empty string');
  const odd = zone
    .split('/')
    .some((part) => part === '.' || part === '..' || part.startsWith('-') || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (odd) return to.invalid(field, zone, `unknown time zone ${zone}`);
  if (zone.toLowerCase() === 'local')
    to.invalid(field, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  else if (!isTimeZone(zone)) to.invalid(field, zone, `unknown time zone ${zone}`);
}
