import { plainText } from './plain-text.js';
import type { Report, ReportedCause } from './report.js';
import { changeLines } from './format-history.js';

/** Changes since the previous report, a line each. `compared` is the current report compared with the previous one. */
export function watchedChanges(before: Report, compared: Report): string[] {
  const earlier = new Map(before.causes.map((cause) => [cause.id, cause]));
  const moved = compared.causes.flatMap((cause) => {
    const old = earlier.get(cause.id);
    return old === undefined || cause.severity === 'P3' || isSame(old, cause)
      ? []
      : [`CHANGED ${cause.name} [${cause.rule}] ${cause.title}: ${difference(old, cause)}`];
  });
  const lines = [...changeLines(compared), ...moved];
  const end =
    before.status !== compared.status && compared.status === 'Resolved' ? ['everything is healthy again'] : [];
  return [...lines, ...end].map((line) => `${compared.time} ${plainText(line, 700)}`);
}

function isSame(old: ReportedCause, now: ReportedCause): boolean {
  return old.severity === now.severity && old.reach.count === now.reach.count;
}

function difference(old: ReportedCause, now: ReportedCause): string {
  const level = old.severity === now.severity ? '' : `${old.severity} is now ${now.severity}, `;
  return `${level}reach ${old.reach.count} is now ${now.reach.count}`;
}
