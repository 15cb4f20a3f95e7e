import { exactZoneOffset } from '../../../model/formats/index.js';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.js';
import { CelError, Duration, Timestamp } from '../values.js';
import { method, type Overload } from '../overload.js';

/** The date as its clock shows in a time zone (an IANA name or +hh:mm), in the UTC fields of a Date. */
function inZone({ nanos }: Timestamp, zone: string): Date {
  const millis = Number(nanos / 1_000_000n) - (nanos % 1_000_000n < 0n ? 1 : 0);
  const offset = /^([+-])?(\d\d):(\d\d)$/.exec(zone);
  if (offset !== null)
    return new Date(millis + (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3])) * 60_000);
  const ahead = exactZoneOffset(zone, millis);
  if (ahead === undefined) throw new CelError(`unknown time zone ${zone}`);
  return new Date(millis + ahead);
}

const READERS: readonly (readonly [string, (date: Date) => number])[] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getDayOfYear', (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000)],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
  ['getMilliseconds', (date) => date.getUTCMilliseconds()],
];

export const TIMES: readonly Overload[] = [
  ...READERS.flatMap(([name, read]) => [
    method(name, [TIMESTAMP], INT, ([time]: [Timestamp]) => BigInt(read(inZone(time, 'UTC')))),
    method(name, [TIMESTAMP, STRING], INT, ([time, zone]: [Timestamp, string]) => BigInt(read(inZone(time, zone)))),
  ]),
  method('getHours', [DURATION], INT, ([duration]: [Duration]) => duration.nanos / 3_600_000_000_000n),
  method('getMinutes', [DURATION], INT, ([duration]: [Duration]) => duration.nanos / 60_000_000_000n),
  method('getSeconds', [DURATION], INT, ([duration]: [Duration]) => duration.nanos / 1_000_000_000n),
  method('getMilliseconds', [DURATION], INT, ([duration]: [Duration]) => duration.nanos / 1_000_000n),
];
