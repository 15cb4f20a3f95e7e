import { useEffect, useState } from 'react';

/** A number that grows every so often while the page is in sight, for what has to be asked for again. */
export function useTick(milliseconds: number, isOn = true): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => { if (!document.hidden) setTick((before) => before + 1); }, milliseconds);
    return () => { clearInterval(timer); };
  }, [milliseconds, isOn]);
  return tick;
}
