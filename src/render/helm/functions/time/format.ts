import { civilTime, DAY_NAMES, MONTH_NAMES, unixTime, type CivilTime } from '../../../../model/formats/index.js';
import { piecesOf } from './layout.js';
import type { ZoneMoment } from './zone.js';

/** A moment where it is to be shown: the civil time there, and the zone. */
export interface LocalTime {
  readonly civil: CivilTime;
  readonly nanoseconds: number;
  readonly moment: ZoneMoment;
}

export function localTime(unix: number, nanoseconds: number, moment: ZoneMoment): LocalTime {
  return { civil: civilTime(unix + moment.offset), nanoseconds, moment };
}

/** The time as Go's Format writes it. */
export function formatLayout(time: LocalTime, layout: string): string {
  return piecesOf(layout)
    .map(({ prefix, element }) => prefix + elementText(time, element))
    .join('');
}

function pad(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
}

function twelve(hour: number): number {
  return hour % 12 === 0 ? 12 : hour % 12;
}

type ElementFormatter = (civil: CivilTime) => string;

const ELEMENT_FORMATTERS: Readonly<Record<string, ElementFormatter>> = {
  January: ({ month }) => MONTH_NAMES[month - 1] ?? '',
  Jan: ({ month }) => (MONTH_NAMES[month - 1] ?? '').slice(0, 3),
  Monday: ({ weekday }) => DAY_NAMES[weekday] ?? '',
  Mon: ({ weekday }) => (DAY_NAMES[weekday] ?? '').slice(0, 3),
  '01': ({ month }) => pad(month, 2),
  '02': ({ day }) => pad(day, 2),
  '03': ({ hour }) => pad(twelve(hour), 2),
  '04': ({ minute }) => pad(minute, 2),
  '05': ({ second }) => pad(second, 2),
  '06': ({ year }) => pad(Math.abs(year) % 100, 2),
  '002': (civil) => pad(dayOfYear(civil), 3),
  '1': ({ month }) => String(month),
  '2': ({ day }) => String(day),
  '3': ({ hour }) => String(twelve(hour)),
  '4': ({ minute }) => String(minute),
  '5': ({ second }) => String(second),
  '15': ({ hour }) => pad(hour, 2),
  '2006': ({ year }) => pad(year, 4),
  _2: ({ day }) => String(day).padStart(2),
  __2: (civil) => String(dayOfYear(civil)).padStart(3),
  PM: ({ hour }) => (hour >= 12 ? 'PM' : 'AM'),
  pm: ({ hour }) => (hour >= 12 ? 'pm' : 'am'),
};

function elementText({ civil, nanoseconds, moment }: LocalTime, element: string): string {
  if (element === '') return '';
  const show = Object.hasOwn(ELEMENT_FORMATTERS, element) ? ELEMENT_FORMATTERS[element] : undefined;
  if (show !== undefined) return show(civil);
  if (element === 'MST') return moment.abbreviation === '' ? offsetText(moment.offset, '-0700') : moment.abbreviation;
  return /^[.,]/.test(element) ? fractionText(nanoseconds, element) : offsetText(moment.offset, element);
}

export function dayOfYear({ year, month, day }: CivilTime): number {
  const start = unixTime({ year, month: 1, day: 1, hour: 0, minute: 0, second: 0 });
  return (unixTime({ year, month, day, hour: 0, minute: 0, second: 0 }) - start) / 86_400 + 1;
}

/** `-07:00` and its kin; the sign is that of whole minutes. */
function offsetText(offset: number, element: string): string {
  if (offset === 0 && element.startsWith('Z')) return 'Z';
  const minutes = Math.trunc(offset / 60);
  const size = Math.abs(minutes);
  const seconds = (minutes < 0 ? -offset : offset) % 60;
  return element
    .slice(1)
    .replace('07', `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(size / 60), 2)}`)
    .replace(/^([-+]\d\d:?)00/, (_, hours: string) => hours + pad(size % 60, 2))
    .replace(/^([-+]\d\d(?::?)\d\d:?)00$/, (_, before: string) => before + pad(seconds, 2));
}

/** Zeros in the layout keep their places; nines drop zeros at the end, and the point with them. */
function fractionText(nanoseconds: number, element: string): string {
  const digits = String(nanoseconds)
    .padStart(9, '0')
    .slice(0, element.length - 1);
  if (!element.endsWith('9')) return element.charAt(0) + digits;
  const kept = digits.replace(/(?<!0)0+$/, '');
  return kept === '' ? '' : element.charAt(0) + kept;
}
