import type { ReportedCause } from './report.js';

/** `1 workload`, `2 workloads`. */
export function formatCount(count: number, plural: string): string {
  return `${count} ${count === 1 ? plural.slice(0, -1) : plural}`;
}

/** How many of the affected applications the fix restores. `places` says where they are. */
export function formatOutcome({ reach, alone, heals, around }: ReportedCause, counted: string, places: string): string {
  if (reach.count === 0) return around.length > 0 ? 'affects those who use it' : `affects no ${counted}`;
  const affected = `${formatCount(reach.count, counted)}${places}`;
  return alone === heals
    ? `fixes ${heals} of ${affected}`
    : `fixes ${alone} of ${affected} alone, ${heals} in this order`;
}

/** What a fix will reveal, on one line. */
export function nextLine({ cause, says, pods }: ReportedCause['next'][number]): string {
  return `${formatCount(pods, 'pods')} will be blocked by ${cause === '' ? '' : `${cause}: `}${says}`;
}
