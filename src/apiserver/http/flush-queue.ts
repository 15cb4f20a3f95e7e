/** Something with output that waits. */
interface Flushable {
  flush(): void;
}

/**
 * After a round we rest for twice as long as it took, so that many watchers never take more than a third of the time.
 */
const PAUSE_FACTOR = 2;
const MAX_PAUSE = 50;

/**
 * Flushes watch streams together. A few of them are flushed as soon as the current turn of the event loop ends; where
 * a round takes long because there are many, events gather meanwhile and share a write.
 */
export class FlushQueue {
  #waiting: Flushable[] = [];
  #scheduled = false;
  #pausedUntil = 0;

  /** `now` in milliseconds, from any start. */
  constructor(readonly now: () => number = () => performance.now()) {}

  /** Flushes once, soon; add again for more. */
  add(stream: Flushable): void {
    this.#waiting.push(stream);
    if (this.#scheduled) return;
    this.#scheduled = true;
    const rest = this.#pausedUntil - this.now();
    if (rest < 1) setImmediate(() => this.#run());
    else setTimeout(() => this.#run(), rest);
  }

  #run(): void {
    this.#scheduled = false;
    const due = this.#waiting;
    this.#waiting = [];
    const started = this.now();
    for (const stream of due) stream.flush();
    // Responses hand their bytes to the socket in the next tick, and that is most of the work.
    process.nextTick(() => {
      const ended = this.now();
      this.#pausedUntil = ended + Math.min(MAX_PAUSE, PAUSE_FACTOR * (ended - started));
    });
  }
}
