import { compareReports, watchedChanges, type Report, type Snapshot } from '../../triage/index.js';

export interface TriageRun {
  readonly report: Report;
  readonly snapshot: Snapshot;
}

export interface WatchOptions {
  run(): Promise<TriageRun>;
  /** The first look, as a whole. */
  onFirst(report: Report): void;
  /** What changed since the look before. */
  onChange(lines: readonly string[], report: Report): void;
  /** Resolves with false when it is time to stop, with true when it is time to look again. */
  waitForNext(): Promise<boolean>;
}

/** Looks again and again; after the first report only changes are told. Gives the last report. */
export async function watch({ run, onFirst, onChange, waitForNext }: WatchOptions): Promise<Report> {
  let { report } = await run();
  onFirst(report);
  while (await waitForNext()) {
    const seen = await run();
    const compared = compareReports(report, seen.report, seen.snapshot);
    const lines = watchedChanges(report, compared);
    if (lines.length > 0) onChange(lines, compared);
    ({ report } = seen);
  }
  return report;
}
