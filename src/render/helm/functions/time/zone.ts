import { exactZoneOffset } from '../../../../model/formats/index.js';
import { ZONE_NAMES } from './zone-names.js';

/** A place's clock: how far it is from UTC at a moment, and what that is called. */
export interface Zone {
  /** As Go's Location prints itself. */
  readonly name: string;
  at(unix: number): ZoneMoment;
}

export interface ZoneMoment {
  /** Seconds east of UTC. */
  readonly offset: number;
  /** Empty where the time of day has no name of its own. */
  readonly abbreviation: string;
}

export const UTC: Zone = fixedZone('UTC', 0);

export function fixedZone(name: string, offset: number): Zone {
  const moment = { offset, abbreviation: name };
  return { name, at: () => moment };
}

const loaded = new Map<string, Zone>();

/** A zone by its name in the database; undefined where there is none. */
export function loadZone(name: string): Zone | undefined {
  if (name === '' || name === 'UTC') return UTC;
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const names = namesOf(name);
  if (names === undefined) return undefined;
  const zone = { name, at: (unix: number) => momentAt(name, names, unix) };
  loaded.set(name, zone);
  return zone;
}

type Abbreviations = ReadonlyMap<number, string>;

let table: ReadonlyMap<string, Abbreviations> | undefined;

function namesOf(name: string): Abbreviations | undefined {
  table ??= new Map(
    Object.entries(ZONE_NAMES).flatMap(([clocks, names]) => {
      const abbreviations = new Map(
        clocks.split(' ').map((clock) => {
          const [minutes = '0', text = ''] = clock.split('=');
          return [Number(minutes) * 60, text] as const;
        }),
      );
      return names.split(' ').map((zone) => [zone, abbreviations] as const);
    }),
  );
  return table.get(name);
}

/** JavaScript counts time from 1970 in at most so many seconds. */
const MAX_UNIX_SECONDS = 8.64e12;
/** About 1880: before that, clocks showed the sun's time of their place. */
const RAILWAY = -2_840_000_000;

/** The offset comes from JavaScript's own database, which has no abbreviations; those are today's. */
function momentAt(name: string, abbreviations: Abbreviations, unix: number): ZoneMoment {
  const seconds = Math.max(Math.min(unix, MAX_UNIX_SECONDS), -MAX_UNIX_SECONDS);
  const offset = (exactZoneOffset(name, seconds * 1000) ?? 0) / 1000;
  return {
    offset,
    abbreviation: abbreviations.get(offset) ?? (unix < RAILWAY ? 'LMT' : formerName(offset, abbreviations)),
  };
}

/** Where clocks have no names but numbers, they had none before. */
function formerName(offset: number, abbreviations: Abbreviations): string {
  if (![...abbreviations.values()].every((name) => /^[-+]/.test(name))) return '';
  const minutes = Math.round(Math.abs(offset) / 60);
  const digits = (value: number): string => String(value).padStart(2, '0');
  return (offset < 0 ? '-' : '+') + digits(Math.floor(minutes / 60)) + (minutes % 60 === 0 ? '' : digits(minutes % 60));
}
