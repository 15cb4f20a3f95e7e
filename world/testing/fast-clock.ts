/** Time in a cluster that runs so many times faster than here: back-offs and intervals then cost nothing. */
const FASTER = 20;

export interface FastClock {
  now(): Date;
  after(milliseconds: number, callback: () => void): () => void;
  /** Waits for so long in the time of the cluster. */
  pause(milliseconds: number): Promise<void>;
  /** Time stands still while something looks: what lasts for a moment is still there at the end. */
  whileStill<Result>(look: () => Promise<Result>): Promise<Result>;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  handle: NodeJS.Timeout | undefined;
}

export function fastClock(): FastClock {
  const timers = new Set<Timer>();
  let passed = 0;
  let since = Date.now();
  let looking = 0;
  const begin = since;
  const elapsed = (): number => passed + (looking > 0 ? 0 : (Date.now() - since) * FASTER);
  const arm = (timer: Timer): void => {
    timer.handle = setTimeout(
      () => {
        timers.delete(timer);
        timer.callback();
      },
      Math.max(0, timer.due - elapsed()) / FASTER,
    );
  };
  const stop = (): void => {
    if (looking++ > 0) return;
    passed += (Date.now() - since) * FASTER;
    for (const timer of timers) clearTimeout(timer.handle);
  };
  const goOn = (): void => {
    if (--looking > 0) return;
    since = Date.now();
    for (const timer of timers) arm(timer);
  };
  const after = (milliseconds: number, callback: () => void): (() => void) => {
    const timer: Timer = { due: elapsed() + milliseconds, callback, handle: undefined };
    timers.add(timer);
    if (looking === 0) arm(timer);
    return () => {
      timers.delete(timer);
      clearTimeout(timer.handle);
    };
  };
  return {
    after,
    now: () => new Date(begin + elapsed()),
    pause: (milliseconds) =>
      new Promise((resolve) => {
        after(milliseconds, resolve);
      }),
    whileStill: async (look) => {
      stop();
      try {
        return await look();
      } finally {
        goOn();
      }
    },
  };
}
