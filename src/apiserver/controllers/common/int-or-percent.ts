import type { Json } from '../../../model/json/index.js';

/** `3` or `25%` of `total`, rounded up or down as given; absent counts as 0. */
export function scaledValue(value: Json | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' && /^\d+%$/.test(value) ? Number.parseInt(value) : 0;
  const exact = (percent * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
