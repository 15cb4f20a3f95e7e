/**
 * doing: brings the world closer to what objects say. noting: writes down what others did; the longer it waits, the less there
 * is to write down.
 */
export type Work = 'doing' | 'noting';

/** So many turns of doing there are at most between two of noting. */
const DOING_IN_A_ROW = 15;

/** First come, first served. */
class Line {
  #waiting: (() => void)[] = [];
  #at = 0;

  get size(): number {
    return this.#waiting.length - this.#at;
  }

  add(work: () => void): void {
    this.#waiting.push(work);
  }

  take(): (() => void) | undefined {
    const work = this.#waiting[this.#at++];
    // Nothing is moved for every turn.
    if (this.#at >= 1024 || this.#at >= this.#waiting.length) [this.#waiting, this.#at] = [this.#waiting.slice(this.#at), 0];
    return work;
  }
}

const lines = { doing: new Line(), noting: new Line() };
let inARow = 0;

/**
 * Does a piece of work in a turn of the event loop of its own. Requests, for which somebody waits, are answered between two
 * turns; and an object that changes again before its turn is looked at once, not twice.
 */
export function inTurn(work: () => void, sort: Work = 'doing'): void {
  const isFirst = !hasTurnsLeft();
  lines[sort].add(work);
  if (isFirst) setImmediate(nextTurn);
}

/** Whether something still waits for its turn. */
export function hasTurnsLeft(): boolean {
  return lines.doing.size + lines.noting.size > 0;
}

function nextTurn(): void {
  const isNoting = lines.noting.size > 0 && (lines.doing.size === 0 || inARow >= DOING_IN_A_ROW);
  inARow = isNoting ? 0 : inARow + 1;
  const work = (isNoting ? lines.noting : lines.doing).take();
  if (hasTurnsLeft()) setImmediate(nextTurn);
  work?.();
}
