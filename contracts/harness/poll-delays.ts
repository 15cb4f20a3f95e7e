import { setTimeout as delay } from 'node:timers/promises';

const FACTOR = 1.5;

/** The pauses of one loop that asks until something holds. Each question costs whoever answers it, so they grow. */
export function pollDelays({ first, max } = { first: 10, max: 160 }): () => Promise<void> {
  let next = first;
  return async () => {
    await delay(next);
    next = Math.min(max, next * FACTOR);
  };
}
