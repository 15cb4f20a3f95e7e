import { useEffect, useRef, useState } from 'react';

/** While something is on its way, and where nothing is known to be. */
export const FAST_INTERVAL = 1000;
export const SLOW_INTERVAL = 10_000;

/** Asks again every so often while the page is in sight; 0 stops it. */
export function useInterval(ask: () => void, milliseconds: number): void {
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (milliseconds === 0) return;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, milliseconds);
    return () => {
      clearInterval(timer);
    };
  }, [milliseconds]);
}

/** A number that grows every so often while the page is in sight, for what has to be asked for again. */
export function useTick(milliseconds: number, isOn = true): number {
  const [tick, setTick] = useState(0);
  useInterval(
    () => {
      setTick((before) => before + 1);
    },
    isOn ? milliseconds : 0,
  );
  return tick;
}
