import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isArray, isObject, own, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { Expectation } from '../case.js';

/** One thing that is wrong, and what must be said about it. */
export interface Row {
  readonly it: string;
  /** Files of the folder that the application comes from; one ConfigMap where nothing is said. */
  readonly files?: Readonly<Record<string, string>>;
  /** The same on other branches. */
  readonly branches?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Spec of a project of its own. */
  readonly project?: JsonObject;
  /** Mixed into a sound spec; null takes a part away. A spec that is no object stands for itself. */
  readonly spec?: Json;
  readonly annotations?: Record<string, string>;
  readonly status?: Json;
  readonly operation?: Json;
  /** Stored as if no schema had ever looked at it. */
  readonly unchecked?: boolean;
  /** The Application begins sound, and this is mixed into its spec once it is Synced. */
  readonly then?: JsonObject;
  /** Other Applications by name. */
  readonly others?: Readonly<
    Record<string, { readonly annotations?: Record<string, string>; readonly spec?: JsonObject }>
  >;
  /** Of the control plane, while the row plays; rows with settings play alone. */
  readonly settings?: Readonly<Record<string, Record<string, string>>>;
  readonly expect: Expectation;
  /** More Applications that must be seen so. */
  readonly expectOthers?: Readonly<Record<string, Expectation>>;
}

interface Topic {
  readonly name: string;
  readonly rows: readonly Row[];
}

export function readTopics(): Topic[] {
  const folder = join(import.meta.dirname);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({
      name: file.replace(/\.yaml$/, '').replaceAll('-', ' '),
      rows: parse(readFileSync(join(folder, file), 'utf8')) as Row[],
    }));
}

/** `${NAME}` by its value, and `${x*1000}` by a thousand of them. */
export function fill<Value>(value: Value, names: Readonly<Record<string, string>>): Value {
  if (typeof value === 'string') {
    return value
      .replace(/\$\{(.)\*(\d+)\}/g, (_, letter: string, times: string) => letter.repeat(Number(times)))
      .replace(/\$\{([A-Z]+)\}/g, (whole, name: string) => names[name] ?? whole) as Value;
  }
  if (Array.isArray(value)) return value.map((each: unknown) => fill(each, names)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [fill(key, names), fill(each as unknown, names)]),
  ) as Value;
}

/** What is not said stays; null takes away. */
export function mixed(sound: Json, part: Json | undefined): Json {
  if (part === undefined) return sound;
  if (!isObject(part) || !isObject(sound) || isArray(part)) return part;
  const names = new Set([...Object.keys(sound), ...Object.keys(part)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const [old, now] = [own(sound, name), own(part, name)];
      if (now === null) return [];
      if (now === undefined || old === undefined) return [[name, now ?? old ?? null] as const];
      return [[name, mixed(old, now)] as const];
    }),
  );
}
