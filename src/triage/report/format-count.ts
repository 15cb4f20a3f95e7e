import type { ReportedCause } from './report.js';

/** `1 workload`, `2 workloads`. */
export function formatCount(count: number, plural: string): string {
  return `${count} ${count === 1 ? plural.slice(0, -1) : plural}`;
}

/** What comes after a repair, in a line. */
export function nextLine({ cause, says, pods }: ReportedCause['next'][number]): string {
  return `${formatCount(pods, 'pods')} will stop at ${cause === '' ? '' : `${cause}: `}${says}`;
}
