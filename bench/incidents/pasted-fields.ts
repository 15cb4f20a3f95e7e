import { type Json, type JsonObject, isArray, isObject, own } from '../../src/model/json/index.js';

/** What a field says, as kubectl prints it; empty where it is not there. */
export function word(value: Json | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}

export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((here, key) => (isObject(here) ? own(here, key) : undefined), value);
}

export function items(value: Json | undefined, ...path: readonly string[]): JsonObject[] {
  const found = at(value, ...path);
  return isArray(found) ? found.filter(isObject) : [];
}

export function words(value: Json | undefined, ...path: readonly string[]): string[] {
  const found = at(value, ...path);
  return isArray(found) ? found.map((each) => word(each)) : [];
}

export function pairs(value: Json | undefined, ...path: readonly string[]): (readonly [string, string])[] {
  const found = at(value, ...path);
  return isObject(found) ? Object.keys(found).map((key) => [key, word(own(found, key))] as const) : [];
}

export const orNone = (text: string): string => (text === '' ? '<none>' : text);

export const joined = (list: readonly (readonly [string, string])[]): string =>
  orNone(list.map(([key, value]) => `${key}=${value}`).join(','));

/** An age as kubectl prints it: two units while they matter. */
export function ageOf(from: number | undefined, now: number): string {
  if (from === undefined || Number.isNaN(from)) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now - from) / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  return days < 8 && hours % 24 > 0 ? `${days}d${hours % 24}h` : `${days}d`;
}

/** Columns as kubectl aligns them: three spaces between. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heading.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  return [heading, ...rows].map((row) =>
    row
      .map((cell, column) => (column === heading.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3)))
      .join('')
      .trimEnd(),
  );
}

/** Names and values with the values in one column. */
export function rows(list: readonly (readonly [string, string | readonly string[]])[], indent = ''): string[] {
  const width = Math.max(...list.map(([name]) => name.length)) + 3;
  return list.flatMap(([name, value]) => {
    const [first = '<none>', ...rest] = typeof value === 'string' ? [value] : value;
    return [
      `${indent}${`${name}:`.padEnd(width)}${first}`.trimEnd(),
      ...rest.map((line) => `${indent}${' '.repeat(width)}${line}`),
    ];
  });
}

export const labels = (object: Json | undefined, ...path: readonly string[]): string[] =>
  pairs(object, ...path).map(([key, value]) => `${key}=${value}`);
