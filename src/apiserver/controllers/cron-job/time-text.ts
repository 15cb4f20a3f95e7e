import { zoneOffset } from '../../../model/formats/index.js';

/** RFC 3339 with the zone's offset: `2026-01-05T11:00:00+01:00`. */
export function zonedText(milliseconds: number, zone: string): string {
  const ahead = zoneOffset(zone, milliseconds);
  const wall = new Date(milliseconds + ahead).toISOString().slice(0, 19);
  if (ahead === 0) return `${wall}Z`;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${wall}${ahead < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** `Mon, 05 Jan 2026 10:00:00 +0000`, as events show missed times. */
export function rfc1123(milliseconds: number): string {
  return new Date(milliseconds).toUTCString().replace('GMT', '+0000');
}
