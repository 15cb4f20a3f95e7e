import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/index.js';
import { nextTime, parseCron } from './cron.js';

interface Case {
  readonly schedule: string;
  readonly after?: string;
  readonly next?: readonly string[];
  readonly error?: string;
}

const CASES = JSON.parse(readFileSync(join(import.meta.dirname, 'cases/cron.json'), 'utf8')) as Case[];

/** The next four times, or the message. The table was checked against robfig/cron v3.0.1. */
function answer({ schedule, after = '' }: Case): Pick<Case, 'next' | 'error'> {
  try {
    const parsed = parseCron(schedule);
    const next: string[] = [];
    for (let at = nextTime(parsed, Date.parse(after)); at !== undefined && next.length < 4; at = nextTime(parsed, at)) {
      next.push(new Date(at).toISOString().replace('.000Z', 'Z'));
    }
    return next.length === 0 ? {} : { next };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { error: error.message };
  }
}

describe('cron', () => {
  it.each(CASES)('$schedule', (given) => {
    const { next, error } = given;
    expect(answer(given)).toEqual({
      ...(next === undefined ? {} : { next }),
      ...(error === undefined ? {} : { error }),
    });
  });
});
