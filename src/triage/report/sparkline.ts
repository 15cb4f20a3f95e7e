import { formatTime, instantOf } from '../../model/formats/index.js';
import type { Evidence } from '../findings/index.js';

const [WIDTH, HEIGHT] = [240, 40];

/** A small graph of what was measured, from zero to its highest value; nothing for a single sample. */
export function sparkline(samples: NonNullable<Evidence['samples']>): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last[0] <= first[0]) return '';
  const highest = Math.max(...samples.map(([, value]) => value), Number.MIN_VALUE);
  const points = samples.map(([time, value]) => {
    const x = ((time - first[0]) / (last[0] - first[0])) * WIDTH;
    const y = HEIGHT - (Math.max(0, value) / highest) * (HEIGHT - 2) - 1;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const [from, to] = [first, last].map(([time]) => formatTime(instantOf(time)).slice(11, 19));
  return (
    `<svg class="line" role="img" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">` +
    `<title>${from} to ${to} UTC</title><polyline points="${points.join(' ')}"/></svg>`
  );
}
