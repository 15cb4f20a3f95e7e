import { parseDuration } from '../formats/index.js';
import { Fault } from '../faults/index.js';
import { isArray, isObject, type Json, type JsonObject } from '../json/index.js';
import { readOneYaml } from '../yaml/index.js';

/** A setting that cannot be used as written; its default, or what could be read of it, is used instead. */
export interface InvalidSetting {
  readonly key: string;
  readonly message: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The keys of one ConfigMap. A variable of the environment wins over its key; what is wrong is noted and never thrown.
 */
export class SettingKeys {
  readonly data: ReadonlyMap<string, string>;
  readonly problems: InvalidSetting[];
  readonly #environment: Environment;
  readonly #variables: Readonly<Record<string, string>>;

  constructor(
    data: ReadonlyMap<string, string>,
    problems: InvalidSetting[],
    environment: Environment = {},
    variables: Readonly<Record<string, string>> = {},
  ) {
    this.data = data;
    this.problems = problems;
    this.#environment = environment;
    this.#variables = variables;
  }

  /** Empty where it is not set. */
  text(key: string): string {
    const variable = this.#variables[key];
    return (variable === undefined ? undefined : this.#environment[variable]) || this.data.get(key) || '';
  }

  flag(key: string, otherwise: boolean): boolean {
    return this.#read(key, otherwise, (text) => {
      if (['1', 't', 'true'].includes(text.toLowerCase())) return true;
      if (['0', 'f', 'false'].includes(text.toLowerCase())) return false;
      throw invalid(`${JSON.stringify(text)} is neither true nor false`);
    });
  }

  whole(key: string, otherwise: number, least = 0): number {
    return this.#read(key, otherwise, (text) => {
      if (!/^-?\d{1,9}$/.test(text)) throw invalid(`${JSON.stringify(text)} is no whole number`);
      if (Number(text) < least) throw invalid(`${text} is less than ${least}`);
      return Number(text);
    });
  }

  /** A duration such as `2m` or `1d12h`; a bare number counts seconds. */
  milliseconds(key: string, otherwise: number): number {
    return this.#read(key, otherwise, (text) => {
      const value = durationOf(text);
      if (value < 0) throw invalid(`${text} is negative`);
      return value;
    });
  }

  choice<T extends string>(key: string, choices: readonly T[], otherwise: T): T {
    return this.#read(key, otherwise, (text) => {
      const found = choices.find((choice) => choice === text);
      if (found === undefined) throw invalid(`${JSON.stringify(text)} is unknown: choose ${choices.join(', ')}`);
      return found;
    });
  }

  /** Parts between commas, without blanks. */
  list(key: string): string[] {
    return this.text(key)
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  yamlObjects(key: string): JsonObject[] | undefined {
    return this.yaml(key, (value) => {
      if (value === null) return [];
      if (!isArray(value) || !value.every(isObject)) throw invalid('must be a list of objects');
      return value;
    });
  }

  yamlObject(key: string, what: string): JsonObject {
    return (
      this.yaml(key, (value) => {
        if (value !== null && !isObject(value)) throw invalid(`must be ${what}`);
        return value;
      }) ?? {}
    );
  }

  yaml<T>(key: string, read: (value: Json) => T): T | undefined {
    return this.#read<T | undefined>(key, undefined, (text) =>
      read(readOneYaml(text, { dialect: 'kubernetes', file: key })),
    );
  }

  note(key: string, message: string): void {
    this.problems.push({ key, message });
  }

  /** Runs a reader; a Fault becomes a problem of the key. */
  attempt<T>(key: string, otherwise: T, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.note(key, error.message);
      return otherwise;
    }
  }

  #read<T>(key: string, otherwise: T, read: (text: string) => T): T {
    const text = this.text(key).trim();
    return text === '' ? otherwise : this.attempt(key, otherwise, () => read(text));
  }
}

const DAYS = /^(\d{1,6})d(.*)$/;

function durationOf(text: string): number {
  if (/^-?\d{1,12}$/.test(text)) return Number(text) * 1000;
  const [, days = '0', rest = text] = DAYS.exec(text) ?? [];
  try {
    return Number(days) * 86_400_000 + (rest === '' ? 0 : Number(parseDuration(rest) / 1_000_000n));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw invalid(`${JSON.stringify(text)} is no duration such as 90s, 2m or 1h30m`);
  }
}

export function invalid(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}
