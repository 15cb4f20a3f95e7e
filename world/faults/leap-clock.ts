import type { Clock } from '../../src/cluster/index.js';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** So many looks in a row must find nothing to do before time goes on. */
const CALM_POLLS = 2;
/** Microseconds of work between two looks that are no more than the looking itself. */
const AT_REST = 400;
/** What is due within so many milliseconds of each other happens in one leap, in its order. */
const TOGETHER = 100;

/**
 * Time that stands still while anything works, and leaps to the next timer when nothing does: hours of a cluster cost
 * the work that they bring.
 * Programs of this machine count as work while somebody has patience with them.
 */
export class LeapClock implements Clock {
  #now: number;
  #made = 0;
  #outside = 0;
  #timers: Timer[] = [];

  constructor(begin: Date) {
    this.#now = begin.getTime();
  }

  now(): Date {
    return new Date(this.#now);
  }

  steady(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + Math.max(0, milliseconds), order: this.#made++, callback };
    const behind = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(behind < 0 ? this.#timers.length : behind, 0, timer);
    return () => {
      const place = this.#timers.indexOf(timer);
      if (place >= 0) this.#timers.splice(place, 1);
    };
  }

  deadline(milliseconds: number, callback: () => void): () => void {
    this.#outside++;
    let isOpen = true;
    const close = (): void => {
      if (isOpen) this.#outside--;
      isOpen = false;
    };
    const handle = setTimeout(() => {
      close();
      callback();
    }, milliseconds);
    return () => {
      clearTimeout(handle);
      close();
    };
  }

  /** Time stands still until this has come to its end. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    this.#outside++;
    try {
      return await work;
    } finally {
      this.#outside--;
    }
  }

  /** Lets so much time pass. */
  async play(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (await this.#rest(); this.#leap(end); ) await this.#rest();
  }

  /** Lets time pass until something has happened. */
  async playUntil<Result>(happening: Promise<Result>): Promise<Result> {
    let isOver = false;
    const watched = happening.finally(() => {
      isOver = true;
    });
    // Whoever waits for it below hears of a failure.
    watched.catch(() => undefined);
    for (await this.#rest(); !isOver; await this.#rest())
      if (!this.#leap(Infinity))
        await new Promise((resolve) => {
          setTimeout(resolve, 1);
        });
    return watched;
  }

  /** Whether there was something left to do before the end. */
  #leap(end: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.due > end) {
      if (end < Infinity) this.#now = end;
      return false;
    }
    const until = Math.min(end, next.due + TOGETHER);
    const due = this.#timers.filter((timer) => timer.due <= until);
    for (const timer of due) {
      const place = this.#timers.indexOf(timer);
      if (place < 0) continue;
      this.#timers.splice(place, 1);
      this.#now = Math.max(this.#now, timer.due);
      timer.callback();
    }
    return true;
  }

  /** Waits until this process has nothing to do, nor what it asked programs to do. */
  async #rest(): Promise<void> {
    for (let calm = 0; calm < CALM_POLLS; ) {
      // Processor time, not time: on a machine that others use too, a process that is kept waiting would look busy.
      const before = process.cpuUsage();
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
      const { user, system } = process.cpuUsage(before);
      calm = this.#outside === 0 && user + system < AT_REST ? calm + 1 : 0;
    }
  }
}
