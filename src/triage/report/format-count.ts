import type { ReportedCause } from './report.js';

/** `1 workload`, `2 workloads`. */
export function formatCount(count: number, plural: string): string {
  return `${count} ${count === 1 ? plural.slice(0, -1) : plural}`;
}

/** What a fix will reveal, on one line. */
export function nextLine({ cause, says, pods }: ReportedCause['next'][number]): string {
  return `${formatCount(pods, 'pods')} will be blocked by ${cause === '' ? '' : `${cause}: `}${says}`;
}
