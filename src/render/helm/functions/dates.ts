import { Fault } from '../../../model/faults/index.js';
import { formatDuration, parseDuration } from '../../../model/formats/index.js';
import type { CallContext, GoFunctions } from '../template/value/go-function.js';
import { ANY, STRING } from '../template/value/go-type.js';
import { functionError, TemplateError } from '../template/template-error.js';
import { GoScalar, type GoValue } from '../template/value/go-value.js';
import { define } from './define.js';
import { GoTime, TIME } from './time/go-time.js';
import { hostOf } from './host.js';
import { parseInt64 } from './numbers/parse-number.js';
import { parseLayout } from './time/parse.js';
import { loadZone, UTC, type Zone } from './time/zone.js';

const SECOND = 1_000_000_000n;

function localZone(context: CallContext): Zone {
  return loadZone(hostOf(context).zone) ?? UTC;
}

function now(context: CallContext): GoTime {
  return GoTime.of(hostOf(context).now(), localZone(context), true);
}

/** An int of the kinds that sprig takes for seconds since 1970; floats are none of them. */
function secondsOf(value: GoValue, types: readonly string[]): bigint | undefined {
  if (typeof value === 'bigint') return types.includes('int') ? value : undefined;
  return value instanceof GoScalar && typeof value.value === 'bigint' && types.includes(value.type.name)
    ? value.value
    : undefined;
}

/** The moment that a value stands for; what stands for none is now. */
function momentOf(value: GoValue, types: readonly string[], context: CallContext): GoTime {
  if (value instanceof GoTime) return value;
  const seconds = secondsOf(value, types);
  return seconds === undefined ? now(context) : new GoTime(Number(seconds), 0, localZone(context));
}

const DATE_INTS = ['int', 'int32', 'int64'];

function dateIn(layout: string, value: GoValue, zone: string, context: CallContext): string {
  const place = zone === 'Local' ? localZone(context) : (loadZone(zone) ?? UTC);
  return momentOf(value, DATE_INTS, context).in(place).format(layout);
}

/** Nanoseconds, or Go's complaint. */
function durationOf(text: string): bigint | string {
  try {
    return parseDuration(text);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function timeOf(value: GoValue): GoTime {
  return value instanceof GoTime ? value : GoTime.zero;
}

function modified(text: string, value: GoValue): GoTime | string {
  const duration = durationOf(text);
  return typeof duration === 'string' ? duration : timeOf(value).add(duration);
}

function toDate(layout: string, text: string, context: CallContext): GoTime {
  const { unix, nanoseconds, zone } = parseLayout(layout, text, localZone(context));
  return new GoTime(unix, nanoseconds, zone);
}

/** Rounded to whole seconds, halves away from zero. */
function ago(time: GoTime, context: CallContext): string {
  const distance = GoTime.of(hostOf(context).now(), UTC).since(time);
  const size = distance < 0n ? -distance : distance;
  const rounded = ((size + SECOND / 2n) / SECOND) * SECOND;
  return formatDuration(distance < 0n ? -rounded : rounded);
}

function duration(value: GoValue): string {
  const seconds = typeof value === 'string' ? parseInt64(value, 10).value : (secondsOf(value, ['int64']) ?? 0n);
  return formatDuration(BigInt.asIntN(64, seconds * SECOND));
}

const HOUR = 3600n * SECOND;
const UNITS: readonly (readonly [bigint, string])[] = [
  [365n * 24n * HOUR, 'y'],
  [30n * 24n * HOUR, 'mo'],
  [24n * HOUR, 'd'],
  [HOUR, 'h'],
  [60n * SECOND, 'm'],
  [SECOND, 's'],
];

/** The largest unit that the length exceeds. */
function durationRound(value: GoValue, context: CallContext): string {
  let length = secondsOf(value, ['int64']) ?? 0n;
  if (typeof value === 'string') {
    const parsed = durationOf(value);
    length = typeof parsed === 'string' ? 0n : parsed;
  } else if (value instanceof GoTime) length = GoTime.of(hostOf(context).now(), UTC).since(value);
  const size = length < 0n ? -length : length;
  const [unit, name] = UNITS.find(([least]) => size > least) ?? [0n, ''];
  return unit === 0n ? '0s' : `${size / unit}${name}`;
}

const DATE_IN_ZONE = define([STRING, ANY, STRING], STRING, (args, context) =>
  dateIn(args.text(0), args.any(1), args.text(2), context),
);

const MODIFY = define([STRING, TIME], TIME, (args) => {
  const result = modified(args.text(0), args.any(1));
  return typeof result === 'string' ? args.any(1) : result;
});

const MUST_MODIFY = define([STRING, TIME], TIME, (args) => {
  const result = modified(args.text(0), args.any(1));
  if (typeof result === 'string') throw functionError(result);
  return result;
});

export const DATES: GoFunctions = {
  now: define([], TIME, (_, context) => now(context)),
  date: define([STRING, ANY], STRING, (args, context) => dateIn(args.text(0), args.any(1), 'Local', context)),
  dateInZone: DATE_IN_ZONE,
  date_in_zone: DATE_IN_ZONE,
  htmlDate: define([ANY], STRING, (args, context) => dateIn('2006-01-02', args.any(0), 'Local', context)),
  htmlDateInZone: define([ANY, STRING], STRING, (args, context) =>
    dateIn('2006-01-02', args.any(0), args.text(1), context),
  ),
  dateModify: MODIFY,
  date_modify: MODIFY,
  mustDateModify: MUST_MODIFY,
  must_date_modify: MUST_MODIFY,
  ago: define([ANY], STRING, (args, context) => ago(momentOf(args.any(0), ['int', 'int64'], context), context)),
  duration: define([ANY], STRING, (args) => duration(args.any(0))),
  durationRound: define([ANY], STRING, (args, context) => durationRound(args.any(0), context)),
  unixEpoch: define([TIME], STRING, (args) => String(timeOf(args.any(0)).unix)),
  toDate: define([STRING, STRING], TIME, (args, context) => {
    try {
      return toDate(args.text(0), args.text(1), context);
    } catch (error) {
      if (error instanceof TemplateError) return GoTime.zero;
      throw error;
    }
  }),
  mustToDate: define([STRING, STRING], TIME, (args, context) => toDate(args.text(0), args.text(1), context)),
};
