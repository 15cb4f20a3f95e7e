/** What a clock on the wall shows. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** Milliseconds that the zone is ahead of UTC at a moment. */
function offset(milliseconds: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const parts = new Map(
    formatFor(zone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(milliseconds / 1000) * 1000;
}

export function localTime(milliseconds: number, zone: string): LocalTime {
  const wall = new Date(milliseconds + offset(milliseconds, zone));
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
    weekday: wall.getUTCDay(),
  };
}

/** Midnight of a day, which may lie beyond the end of its month. */
export function startOfDay(year: number, month: number, day: number, zone: string): number {
  const wall = Date.UTC(year, month - 1, day);
  const guess = wall - offset(wall, zone);
  return wall - offset(guess, zone);
}

/** RFC 3339 with the zone's offset: `2026-01-05T11:00:00+01:00`. */
export function zonedText(milliseconds: number, zone: string): string {
  const ahead = offset(milliseconds, zone);
  const wall = new Date(milliseconds + ahead).toISOString().slice(0, 19);
  if (ahead === 0) return `${wall}Z`;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${wall}${ahead < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Mon, 05 Jan 2026 10:00:00 +0000`, as events show missed times. */
export function rfc1123(milliseconds: number): string {
  const { year, month, day, weekday } = localTime(milliseconds, 'UTC');
  return (
    `${WEEKDAYS[weekday] ?? ''}, ${String(day).padStart(2, '0')} ${MONTHS[month - 1] ?? ''} ${year} ` +
    `${new Date(milliseconds).toISOString().slice(11, 19)} +0000`
  );
}
