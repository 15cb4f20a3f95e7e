import { DURATION, INT, STRING, TIMESTAMP } from '../types.js';
import { CelError, Duration, Timestamp } from '../values.js';
import { method, type Overload } from '../overload.js';

/** The date as its clock shows in a time zone (an IANA name or +hh:mm), in the UTC fields of a Date. */
function inZone({ nanos }: Timestamp, zone: string): Date {
  const millis = Number(nanos / 1_000_000n) - (nanos % 1_000_000n < 0n ? 1 : 0);
  const offset = /^([+-])?(\d\d):(\d\d)$/.exec(zone);
  if (offset !== null)
    return new Date(millis + (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3])) * 60_000);
  if (zone === '' || zone === 'UTC') return new Date(millis);
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(new Date(millis));
    const part = (type: string): number => Number(parts.find((item) => item.type === type)?.value);
    return new Date(
      Date.UTC(
        part('year'),
        part('month') - 1,
        part('day'),
        part('hour'),
        part('minute'),
        part('second'),
        ((millis % 1000) + 1000) % 1000,
      ),
    );
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
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
