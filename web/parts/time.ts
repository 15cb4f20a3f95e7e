const STEPS: readonly (readonly [number, string])[] = [
  [60, 's'],
  [3600, 'm'],
  [86_400, 'h'],
  [86_400 * 365, 'd'],
];

/** How long ago, in the shortest form: 12s, 5m, 3h, 8d, 2y. Empty where the time is unknown. */
export function ago(time: string | undefined, now: number = Date.now()): string {
  const then = Date.parse(time ?? '');
  return Number.isNaN(then) ? '' : span((now - then) / 1000);
}

export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  let unit = 1;
  for (const [limit, letter] of STEPS) {
    if (whole < limit) return `${Math.floor(whole / unit)}${letter}`;
    unit = limit;
  }
  return `${Math.floor(whole / (86_400 * 365))}y`;
}

/** The moment as people write it, in the reader's own time zone. */
export function moment(time: string | undefined): string {
  const then = Date.parse(time ?? '');
  return Number.isNaN(then)
    ? ''
    : new Date(then).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
