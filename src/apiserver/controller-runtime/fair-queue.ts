/**
 * doing: brings the world closer to what objects say. noting: writes down what others did; the longer it waits, the
 * less there is to write down.
 */
export type WorkClass = 'doing' | 'noting';

/** So many turns of doing there are at most between two of noting. */
const MAX_DOING_IN_A_ROW = 15;

/** The lines in which somebody waits, in the order of their turns. */
const busy: Readonly<Record<WorkClass, FairQueue[]>> = { doing: [], noting: [] };
let inARow = 0;

/**
 * The line of one component. Whoever stands in it is served in order, in a turn of the event loop of its own: requests,
 * for which somebody waits, are answered between two turns, and an object that changes again before its turn is looked
 * at once, not twice. Lines take turns, as programs on machines of their own would: a component with little to do never
 * waits for all of another's work.
 */
export class FairQueue {
  #waiting: (() => void)[] = [];
  #at = 0;

  constructor(readonly workClass: WorkClass = 'doing') {}

  add(work: () => void): void {
    if (!hasQueuedWork()) setImmediate(runNext);
    if (this.isEmpty) busy[this.workClass].push(this);
    this.#waiting.push(work);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === this.#at;
  }

  take(): (() => void) | undefined {
    const work = this.#waiting[this.#at++];
    // Nothing is moved for every turn.
    if (this.#at >= 1024 || this.isEmpty) [this.#waiting, this.#at] = [this.#waiting.slice(this.#at), 0];
    return work;
  }
}

/** Whether something still waits for its turn. */
export function hasQueuedWork(): boolean {
  return busy.doing.length + busy.noting.length > 0;
}

function runNext(): void {
  const isNoting = busy.noting.length > 0 && (busy.doing.length === 0 || inARow >= MAX_DOING_IN_A_ROW);
  inARow = isNoting ? 0 : inARow + 1;
  const lines = isNoting ? busy.noting : busy.doing;
  const line = lines.shift();
  const work = line?.take();
  if (line?.isEmpty === false) lines.push(line);
  if (hasQueuedWork()) setImmediate(runNext);
  work?.();
}
