import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDuration, humanDuration, parseDuration, shortHumanDuration } from './duration.js';
import { Fault } from '../faults/fault.js';

const load = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, 'cases', name), 'utf8'));

interface Case {
  given: string;
  error?: string;
  nanoseconds: string;
  text: string;
}

// Both tables are recorded from Go's time package and apimachinery v0.34.4.
describe('a duration', () => {
  it.each(load('durations.json') as Case[])('$given', (given) => {
    if (given.error !== undefined) {
      expect(() => parseDuration(given.given)).toThrow(new Fault('VALUE_INVALID', given.error));
      return;
    }
    expect(String(parseDuration(given.given))).toBe(given.nanoseconds);
    expect(formatDuration(parseDuration(given.given))).toBe(given.text);
  });

  it('of a hundred thousand digits is refused at once', () => {
    expect(() => parseDuration(`${'9'.repeat(100_000)}s`)).toThrow(Fault);
    expect(parseDuration(`0.${'3'.repeat(100_000)}s`)).toBe(333_333_333n);
  });
});

it.each(load('ages.json') as { milliseconds: number; human: string; short: string }[])(
  '$milliseconds ms is shown as $human or $short',
  (given) => {
    expect(humanDuration(given.milliseconds)).toBe(given.human);
    expect(shortHumanDuration(given.milliseconds)).toBe(given.short);
  },
);
