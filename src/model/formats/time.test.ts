import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import {
  formatMicroTime,
  formatTime,
  instantOf,
  isZeroTime,
  millisecondsOf,
  parseMicroTime,
  parseTime,
  type Instant,
} from './time.js';

interface Case {
  given: string;
  time?: string | null;
  timeError?: string;
  micro?: string | null;
  microError?: string;
}

// Recorded from metav1.Time and metav1.MicroTime, apimachinery v0.34.4.
const CASES = JSON.parse(readFileSync(join(import.meta.dirname, 'cases/times.json'), 'utf8')) as Case[];

function stored(parse: (text: string) => Instant, format: (instant: Instant) => string, text: string): string | null {
  const instant = parse(text);
  return isZeroTime(instant) ? null : format(instant);
}

describe('a time', () => {
  it.each(CASES)('$given', (given) => {
    const whole = (): string | null => stored(parseTime, formatTime, given.given);
    const micro = (): string | null => stored(parseMicroTime, formatMicroTime, given.given);
    if (given.timeError === undefined) expect(whole()).toBe(given.time);
    else expect(whole).toThrow(new Fault('VALUE_INVALID', given.timeError));
    if (given.microError === undefined) expect(micro()).toBe(given.micro);
    else expect(micro).toThrow(new Fault('VALUE_INVALID', given.microError));
  });

  it('is made from and turned into milliseconds', () => {
    expect(formatTime(instantOf(1_700_000_000_999))).toBe('2023-11-14T22:13:20Z');
    expect(formatMicroTime(instantOf(1_700_000_000_999))).toBe('2023-11-14T22:13:20.999000Z');
    expect(millisecondsOf(parseTime('2023-11-14T22:13:20.5Z'))).toBe(1_700_000_000_500);
    expect(millisecondsOf(instantOf(-1))).toBe(-1);
  });
});
