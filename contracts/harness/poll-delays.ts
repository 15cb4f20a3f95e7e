import { setTimeout as delay } from 'node:timers/promises';

const FIRST = 10;
const MAX = 160;
const FACTOR = 1.5;

/** The pauses of one loop that asks until something holds. Each question costs whoever answers it, so they grow. */
export function pollDelays(): () => Promise<void> {
  let next = FIRST;
  return async () => {
    await delay(next);
    next = Math.min(MAX, next * FACTOR);
  };
}
