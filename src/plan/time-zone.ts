const WEEK = 7 * 86_400_000;
/** Names come from people, so there may be many; what is kept is bounded. */
const CACHE_SIZE = 100;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** Whether a time zone of this name exists; the empty name is UTC. */
export function isTimeZone(zone: string): boolean {
  return isUtc(zone) || formatOf(zone) !== undefined;
}

/** Milliseconds that clocks of the zone are ahead of UTC; an unknown zone is UTC. */
export function zoneOffset(zone: string, at: number): number {
  if (isUtc(zone)) return 0;
  const name = formatOf(zone)?.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** When the clocks of the zone are first changed after `from`, and not after `to`. */
export function firstShift(zone: string, from: number, to: number): number | undefined {
  if (isUtc(zone)) return undefined;
  const offset = zoneOffset(zone, from);
  // No zone changes its clocks twice within a week.
  for (let end = Math.min(from + WEEK, to), start = from; start < to; start = end, end = Math.min(end + WEEK, to)) {
    if (zoneOffset(zone, end) === offset) continue;
    let [before, after] = [start, end];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (zoneOffset(zone, middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }
  return undefined;
}

function isUtc(zone: string): boolean {
  return zone === '' || zone === 'UTC';
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= CACHE_SIZE) formats.clear();
  const format = newFormat(zone);
  formats.set(zone, format);
  return format;
}

function newFormat(zone: string): Intl.DateTimeFormat | undefined {
  // Offsets such as +02:00 are no names.
  if (!/^[A-Za-z]/.test(zone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}
