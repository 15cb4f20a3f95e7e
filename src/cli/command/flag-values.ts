import { InvalidArgumentError } from 'commander';
import { Fault } from '../../model/faults/index.js';
import { formatDuration, parseDuration } from '../../model/formats/index.js';

/** A flag that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** A flag that may be repeated, or have several values with commas between them. */
export const collectList = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(','),
];

/** As Go prints it: `3m` becomes `3m0s`. */
export function plainDuration(text: string): string {
  return formatDuration(parseDuration(text));
}

/** `name=value`. */
export function splitPair(text: string, flag: string): { name: string; value: string } {
  const at = text.indexOf('=');
  if (at <= 0) throw new Fault('USAGE', `${flag} should have NAME=VALUE, but instead got: ${text}`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** A variable of the environment, read as its flag is: what is wrong with its value names the variable. */
export function variable<T>(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  read: (text: string) => T,
): T | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  try {
    return read(text);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new InvalidArgumentError(`${name}: ${error.message}`);
    throw error;
  }
}

/** A variable of the environment that has one of these values. */
export function oneOf<T extends string>(
  choices: readonly T[],
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): T | undefined {
  const value = environment[name];
  const found = choices.find((choice) => choice === value);
  if (value !== undefined && value !== '' && found === undefined)
    throw new InvalidArgumentError(`${name}: ${JSON.stringify(value)} is not one of ${choices.join(', ')}`);
  return found;
}
