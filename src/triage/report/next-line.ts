import type { ReportedCause } from './report.js';

/** What comes after a repair, in a line. */
export function nextLine({ cause, says, pods }: ReportedCause['next'][number]): string {
  return `${pods} pod${pods === 1 ? '' : 's'} will stop at ${cause === '' ? '' : `${cause}: `}${says}`;
}
