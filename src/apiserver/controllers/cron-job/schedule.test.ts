import { expect, it } from 'vitest';
import { nextTime, parseCron } from '../../../model/formats/index.js';

const next = (schedule: string, from: string, zone = ''): string => {
  const at = nextTime(parseCron(schedule, { descriptors: true, timeZone: zone }), Date.parse(from));
  return at === undefined ? 'never' : new Date(at).toISOString().replace('.000', '');
};

it.each([
  ['*/15 * * * *', '2026-01-05T10:07:30Z', '', '2026-01-05T10:15:00Z'],
  ['0 * * * *', '2026-01-05T10:00:00Z', '', '2026-01-05T11:00:00Z'],
  ['30 4 1,15 * *', '2026-01-05T10:00:00Z', '', '2026-01-15T04:30:00Z'],
  // Both day fields given: either may match.
  ['0 0 13 * fri', '2026-01-05T10:00:00Z', '', '2026-01-09T00:00:00Z'],
  ['0 0 */2 * mon', '2026-01-05T10:00:00Z', '', '2026-01-07T00:00:00Z'],
  ['0 0 29 2 *', '2026-01-05T10:00:00Z', '', '2028-02-29T00:00:00Z'],
  ['0 0 30 2 *', '2026-01-05T10:00:00Z', '', 'never'],
  ['@daily', '2026-01-05T10:00:00Z', '', '2026-01-06T00:00:00Z'],
  ['@every 90s', '2026-01-05T10:00:00.500Z', '', '2026-01-05T10:01:30Z'],
  ['0 9 * * *', '2026-01-05T10:00:00Z', 'America/New_York', '2026-01-05T14:00:00Z'],
  ['0 9 * * *', '2026-07-05T10:00:00Z', 'America/New_York', '2026-07-05T13:00:00Z'],
  ['TZ=Asia/Kolkata 0 9 * * *', '2026-01-05T10:00:00Z', '', '2026-01-06T03:30:00Z'],
  // 02:30 does not exist on the day when clocks go forward.
  ['30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin', '2026-03-30T00:30:00Z'],
  ['5/20 8-9 * jan-mar *', '2026-01-05T08:25:00Z', '', '2026-01-05T08:45:00Z'],
])('%s after %s %s is due at %s', (schedule, from, zone, expected) => {
  expect(next(schedule, from, zone)).toBe(expected);
});
