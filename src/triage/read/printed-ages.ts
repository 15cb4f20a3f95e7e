const UNITS: Readonly<Record<string, number>> = { y: 31_536_000, d: 86_400, h: 3_600, m: 60, s: 1 };

/** Milliseconds of an age as kubectl prints it, such as `2d3h` or `3m (x5 over 10m)`; undefined if it has none. */
export function ageIn(text: string): number | undefined {
  const [whole = ''] = /^\d[\dydhms]{0,20}(?=\s|$)/.exec(text.trim()) ?? [];
  const parts = [...whole.matchAll(/(\d{1,9})([ydhms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== whole) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS[unit ?? ''] ?? 0), 0) * 1000;
}

/** How often something was seen: `x5` of `3m (x5 over 10m)`. */
export function timesIn(text: string): number {
  return Number(/\(x(\d{1,9})/.exec(text)?.[1] ?? 1);
}
