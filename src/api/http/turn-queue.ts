/**
 * One request after the other does its work, each in a turn of the event loop of its own: however many come at once,
 * streams and new connections are served between them.
 */
export class TurnQueue {
  readonly #waiting: (() => void)[] = [];
  #isGoing = false;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#isGoing) return;
      this.#isGoing = true;
      setImmediate(this.#step);
    });
  }

  readonly #step = (): void => {
    this.#waiting.shift()?.();
    this.#isGoing = this.#waiting.length > 0;
    if (this.#isGoing) setImmediate(this.#step);
  };
}
