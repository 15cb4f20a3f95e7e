import { TemplateError } from '../../template/template-error.js';
import { GoTime } from '../time/go-time.js';
import { parseLayout } from '../time/parse.js';
import { fixedZone, UTC, type Zone } from '../time/zone.js';

const LOCAL_DATE_TIME = fixedZone('datetime-local', 0);
const LOCAL_DATE = fixedZone('date-local', 0);
const LOCAL_TIME = fixedZone('time-local', 0);

/** The forms that TOML allows, in the order in which they are tried. Those without a zone get one that says so. */
const FORMS: readonly (readonly [string, Zone])[] = [
  ['2006-01-02T15:04:05.999999999Z07:00', UTC],
  ['2006-01-02T15:04:05.999999999', LOCAL_DATE_TIME],
  ['2006-01-02', LOCAL_DATE],
  ['15:04:05.999999999', LOCAL_TIME],
  ['2006-01-02T15:04Z07:00', UTC],
  ['2006-01-02T15:04', LOCAL_DATE_TIME],
  ['15:04', LOCAL_TIME],
];

export function readDateTime(text: string, fail: (message: string) => never): GoTime {
  const value = text.replaceAll('z', 'Z').replaceAll('t', 'T').replaceAll(' ', 'T');
  for (const [layout, zone] of FORMS) {
    const time = parsed(layout, value, zone);
    if (time === undefined) continue;
    return isPadded(value, layout) ? time : fail(`invalid datetime: "${value}"`);
  }
  return fail(`invalid datetime: "${value}"`);
}

function parsed(layout: string, value: string, zone: Zone): GoTime | undefined {
  try {
    const { unix, nanoseconds, zone: place } = parseLayout(layout, value, zone);
    return new GoTime(unix, nanoseconds, place);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** Go takes `1:02` for an hour with two digits; TOML does not. */
function isPadded(value: string, layout: string): boolean {
  const fixed = layout.split(/[.Z]/)[0] ?? '';
  return Array.from(fixed).every((char, at) => /[0-9]/.test(char) || value.charAt(at) === char);
}
