import { markdownText, plainText } from './plain-text.js';
import type { GoneCause, Report, ReportedCause } from './report.js';

const day = (time: string): string => time.slice(0, 10);

/** Whether an earlier report was given and did not have this cause. */
export function isFresh({ history }: Report, { id }: ReportedCause): boolean {
  return history?.fresh.includes(id) === true;
}

/** Resolved causes of an earlier report, struck through, under their severity. */
export function resolvedSections({ history }: Report, severity: string): string[] {
  return (history?.resolved ?? [])
    .filter((gone) => gone.severity === severity)
    .flatMap((gone) => [
      `### ~~${gone.name} ${markdownText(gone.title)}~~ ✅ RESOLVED`,
      '',
      '**Status**: ✅ RESOLVED ' +
        `(${day(gone.resolved)})${changes(gone) === '' ? '' : ` - ${markdownText(changes(gone), 600)}`}`,
      '',
    ]);
}

function changes({ changed }: GoneCause): string {
  return changed.join('; ');
}

export function resolvedSteps({ history }: Report): string[] {
  return (history?.resolved ?? []).map(
    (gone, index) =>
      `${index + 1}. ~~**${gone.name}** ${markdownText(gone.title)}~~ ✅ ` +
      markdownText(changes(gone) === '' ? 'resolved' : changes(gone), 300),
  );
}

/** Remaining causes as one table. */
export function remainingIssues(report: Report): string[] {
  if (report.history === undefined) return [];
  const open = report.causes.filter(({ severity }) => severity !== 'P3');
  const rows = open.map(
    (cause) =>
      `| ${cause.name} ${markdownText(cause.title)}${isFresh(report, cause) ? ' (new)' : ''} | ` +
      `${markdownText(cause.reach.environments.join(', '))} | ` +
      `${markdownText(cause.evidence[0]?.value ?? '', 160)} | ${markdownText(cause.fix?.say ?? '', 300)} |`,
  );
  const unknown = report.history.unverified.map(
    (gone) =>
      `| ${gone.name} ${markdownText(gone.title)} | | no longer reported, but its objects could not be read | ` +
      'run again with read access |',
  );
  return [...rows, ...unknown].length === 0
    ? []
    : [
        `### Remaining issues (${day(report.time)})`,
        '',
        '| Issue | Environment | Root cause | Resolution |',
        '|---|---|---|---|',
        ...rows,
        ...unknown,
        '',
      ];
}

/** The same for a terminal: only changes. */
export function changeLines(report: Report): string[] {
  const { history } = report;
  if (history === undefined) return [];
  const gone =
    (word: string) =>
    (each: GoneCause): string =>
      `${word} ${each.name} [${each.rule}] ` +
      `${each.title}${changes(each) === '' ? '' : `: ${plainText(changes(each), 300)}`}`;
  return [
    ...history.resolved.map(gone('RESOLVED')),
    ...history.unverified.map(gone('NOT SEEN')),
    ...report.causes
      .filter((cause) => isFresh(report, cause) && cause.severity !== 'P3')
      .map((cause) => `NEW ${cause.name} [${cause.rule}] ${cause.title}`),
  ];
}
