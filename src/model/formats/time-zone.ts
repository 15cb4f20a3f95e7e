const WEEK = 7 * 86_400_000;
/** Clocks are changed at whole quarters of an hour only, so an offset holds for one. */
const QUARTER = 15 * 60_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Asking costs, so answers are kept. */
  readonly offsets: Map<number, number>;
}

/** Names come from people, so there may be many; what is kept is bounded. */
const MAX_CACHED_ZONES = 100;
const MAX_CACHED_OFFSETS = 10_000;
const zones = new Map<string, Zone | undefined>();

/** Whether a time zone of this name exists; the empty name is UTC. */
export function isTimeZone(zone: string): boolean {
  return isUtc(zone) || findZone(zone) !== undefined;
}

/** Milliseconds that clocks of the zone are ahead of UTC; an unknown zone is UTC. */
export function zoneOffset(zone: string, at: number): number {
  const found = isUtc(zone) ? undefined : findZone(zone);
  if (found === undefined) return 0;
  const quarter = Math.floor(at / QUARTER);
  let offset = found.offsets.get(quarter);
  if (offset === undefined) {
    if (found.offsets.size >= MAX_CACHED_OFFSETS) found.offsets.clear();
    offset = readOffset(found.format, quarter * QUARTER);
    found.offsets.set(quarter, offset);
  }
  return offset;
}

/** The same to the second and without a cache, for times before clocks had whole quarters; undefined where unknown. */
export function exactZoneOffset(zone: string, at: number): number | undefined {
  if (isUtc(zone)) return 0;
  const found = findZone(zone);
  return found === undefined ? undefined : readOffset(found.format, at);
}

function readOffset(format: Intl.DateTimeFormat, at: number): number {
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** When the clocks of the zone are first changed after `from`, and not after `to`. */
export function firstTransition(zone: string, from: number, to: number): number | undefined {
  if (isUtc(zone)) return undefined;
  const offset = zoneOffset(zone, from);
  // No zone changes its clocks twice within a week.
  for (let end = Math.min(from + WEEK, to), start = from; start < to; start = end, end = Math.min(end + WEEK, to)) {
    if (zoneOffset(zone, end) === offset) continue;
    let [before, after] = [Math.floor(start / QUARTER), Math.floor(end / QUARTER)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (zoneOffset(zone, middle * QUARTER) === offset) before = middle;
      else after = middle;
    }
    return after * QUARTER;
  }
  return undefined;
}

function isUtc(zone: string): boolean {
  return zone === '' || zone === 'UTC';
}

function findZone(name: string): Zone | undefined {
  if (zones.has(name)) return zones.get(name);
  if (zones.size >= MAX_CACHED_ZONES) zones.clear();
  const format = newFormat(name);
  const zone = format === undefined ? undefined : { format, offsets: new Map<number, number>() };
  zones.set(name, zone);
  return zone;
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
