/** Work that may wait, first come first served. */
let waiting: (() => void)[] = [];
let at = 0;

/**
 * Does a piece of work in a turn of the event loop of its own. Requests, for which somebody waits, are answered between two
 * turns; and an object that changes again before its turn is looked at once, not twice.
 */
export function inTurn(work: () => void): void {
  waiting.push(work);
  if (waiting.length - at === 1) setImmediate(nextTurn);
}

/** Whether something still waits for its turn. */
export function hasTurnsLeft(): boolean {
  return waiting.length > at;
}

function nextTurn(): void {
  const work = waiting[at++];
  if (at === waiting.length) [waiting, at] = [[], 0];
  else {
    // Nothing is moved for every turn.
    if (at >= 1024) [waiting, at] = [waiting.slice(at), 0];
    setImmediate(nextTurn);
  }
  work?.();
}
