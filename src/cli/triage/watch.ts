import { compareReports, watchedChanges, type Report, type Snapshot } from '../../triage/index.js';

export interface Look {
  readonly report: Report;
  readonly snapshot: Snapshot;
}

export interface WatchOptions {
  look(): Promise<Look>;
  /** The first look, as a whole. */
  first(report: Report): void;
  /** What changed since the look before. */
  tell(lines: readonly string[], report: Report): void;
  /** Resolves with false when it is time to stop, with true when it is time to look again. */
  next(): Promise<boolean>;
}

/** Looks again and again; after the first report only changes are told. Gives the last report. */
export async function watch({ look, first, tell, next }: WatchOptions): Promise<Report> {
  let { report } = await look();
  first(report);
  while (await next()) {
    const seen = await look();
    const compared = compareReports(report, seen.report, seen.snapshot);
    const lines = watchedChanges(report, compared);
    if (lines.length > 0) tell(lines, compared);
    ({ report } = seen);
  }
  return report;
}
