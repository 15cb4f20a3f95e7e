import type { Audit, AuditCounts } from '../../audit/index.js';
import type { Metrics } from './metrics.js';

const READS: readonly (readonly [name: string, help: string, read: (counts: AuditCounts) => number])[] = [
  ['argosy_audit_lines_total', 'Lines of the audit log that were written since the start.', ({ written }) => written],
  ['argosy_audit_lost_total', 'Entries of the audit log that could not be written.', ({ lost }) => lost],
  [
    'argosy_audit_combined_total',
    'Refusals that the audit log counts in lines of several.',
    ({ combined }) => combined,
  ],
];

/** How the audit log fares; nothing without one. */
export function registerAuditMetrics(metrics: Metrics, audit: Audit): void {
  if (!audit.isOn) return;
  for (const [name, help, read] of READS)
    metrics.read(name, 'counter', help, () => [[{}, read(audit.counts)] as const]);
  metrics.read('argosy_audit_failing', 'gauge', 'Whether the audit log cannot be written now.', () => [
    [{}, audit.counts.isFailing ? 1 : 0] as const,
  ]);
}
