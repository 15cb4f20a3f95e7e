import { ERASE_LINE, printable } from './printable.js';
import type { CliHost } from '../host/index.js';

/** A line that says how far long work is. */
export interface Progress {
  update(text: string): void;
  /** Takes the line away. */
  end(): void;
}

/** On a terminal one line that changes, on standard error; elsewhere nothing, so that logs stay short. */
export function openProgress({ stderr }: Pick<CliHost, 'stderr'>): Progress {
  if (stderr.isTTY !== true) return { update: () => undefined, end: () => undefined };
  let shown = '';
  const show = (text: string): void => {
    const line = text.slice(0, Math.max(10, (stderr.columns ?? 80) - 1));
    if (line !== shown) stderr.write(`${ERASE_LINE}${printable(line)}`);
    shown = line;
  };
  return {
    update: show,
    end: () => {
      if (shown !== '') stderr.write(ERASE_LINE);
      shown = '';
    },
  };
}
