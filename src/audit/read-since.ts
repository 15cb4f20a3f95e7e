import { Fault } from '../model/faults/index.js';
import { parseDuration } from '../model/formats/index.js';

const NANOSECONDS = 1_000_000n;

/** A time, or a duration back from now. */
export function readSince(text: string, now: Date): Date {
  const time = Date.parse(text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(time)) return new Date(time);
  try {
    return new Date(now.getTime() - Number(parseDuration(text) / NANOSECONDS));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('VALUE_INVALID', `${JSON.stringify(text.slice(0, 100))} is no time`, {
      where: 'since',
      hint: 'write a duration such as 1h, or a time such as 2026-01-05T10:00:00Z',
    });
  }
}
