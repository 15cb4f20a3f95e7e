import { nextTime, type CronSchedule } from '../../../model/formats/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { maybe, number } from '../../resources/index.js';
import { createdAt, millisecondsAt } from '../common/pod-conditions.js';

/** A little late, so that a timer that fires early still finds the time due. */
const DELTA = 100;
const MANY_MISSED = 100;

interface Due {
  readonly earliest: number;
  /** The latest time that is due; undefined where none is. */
  readonly latest: number | undefined;
  readonly missed: 'none' | 'few' | 'many';
}

/** Looks for due times since the last start, or since the CronJob or its schedule began. */
export function dueTime(
  cronJob: KubeObject,
  schedule: CronSchedule,
  since: number,
  now: number,
  withDeadline: boolean,
): Due {
  let earliest = Math.max(millisecondsAt(maybe(cronJob, 'status'), 'lastScheduleTime') ?? createdAt(cronJob), since);
  const deadline = number(maybe(cronJob, 'spec'), 'startingDeadlineSeconds');
  if (withDeadline && deadline !== undefined) earliest = Math.max(earliest, now - deadline * 1000);
  const first = nextTime(schedule, earliest);
  const second = first === undefined ? undefined : nextTime(schedule, first);
  if (first === undefined || now < first) return { earliest, latest: undefined, missed: 'none' };
  if (second === undefined || now < second) return { earliest, latest: first, missed: 'none' };
  const period = Math.max(1000, second - first);
  const missed = Math.floor((now - first) / period) + 1;
  let latest: number | undefined;
  for (
    let at = nextTime(schedule, first + (missed - 2) * period);
    at !== undefined && at <= now;
    at = nextTime(schedule, at)
  )
    latest = at;
  return { earliest, latest, missed: missed > MANY_MISSED ? 'many' : 'few' };
}

/** Milliseconds until the schedule is due next. */
export function untilNext(cronJob: KubeObject, schedule: CronSchedule, since: number, now: number): number | undefined {
  const { earliest, latest, missed } = dueTime(cronJob, schedule, since, now, false);
  const next = nextTime(schedule, latest ?? (missed === 'none' ? earliest : now));
  return next === undefined ? undefined : Math.max(0, next + DELTA - now);
}
