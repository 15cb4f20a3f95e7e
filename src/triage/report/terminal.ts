import { formatCount, formatOutcome, nextLine } from './format-count.js';
import { plainText } from './plain-text.js';
import type { Report, ReportedCause } from './report.js';
import { changeLines } from './format-history.js';

const MAX_PLACES = 5;

/** The report for a terminal: one block per cause, with path and fix; `places` are lines of git, by the causes' ids. */
export function toTerminal(report: Report, places: ReadonlyMap<string, readonly string[]> = new Map()): string {
  const { summary, causes } = report;
  const roots = causes.filter(({ severity }) => severity === 'P0' || severity === 'P1').length;
  const states = Object.entries(summary.health)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ');
  const head =
    summary.applications > 0
      ? `${formatCount(summary.applications, 'applications')}: ${states}`
      : formatCount(summary.objects, 'objects');
  const lines = [
    `${plainText(head)}; ${formatCount(summary.broken, summary.counted)} unhealthy or out of sync, ` +
      `from ${formatCount(roots, 'causes')}${report.isPartial === true ? '; some objects could not be read' : ''}`,
  ];
  if (report.history !== undefined)
    lines.push(
      `${report.status} since ${plainText(report.history.previous)}`,
      ...changeLines(report).map((line) => `  ${line}`),
    );
  for (const cause of causes.filter(({ severity }) => severity !== 'P3'))
    lines.push('', ...block(cause, summary.counted, places.get(cause.id) ?? []));
  const notes = causes.filter(({ severity }) => severity === 'P3');
  if (notes.length > 0)
    lines.push(
      '',
      'P3',
      ...notes.slice(0, 20).map((cause) => `  [${cause.rule}] ${cause.title}`),
      ...(notes.length > 20 ? [`  and ${notes.length - 20} more`] : []),
    );
  if (report.problems.length > 0)
    lines.push('', 'not read', ...report.problems.slice(0, 10).map((problem) => `  ${plainText(problem)}`));
  return `${lines.join('\n')}\n`;
}

function block(cause: ReportedCause, counted: string, places: readonly string[]): string[] {
  const { reach, chain, fix } = cause;
  const doubt = cause.confidence === 'sure' ? '' : ` (${cause.confidence})`;
  const environments = reach.environments.map((each) => plainText(each)).join(', ');
  return [
    `${cause.name} [${cause.rule}] ${cause.title}${doubt}`,
    `  ${formatOutcome(cause, counted, environments === '' ? '' : ` (${environments})`)}`,
    ...(cause.field === '' ? [] : [`  field ${plainText(cause.field)}`]),
    ...chain.slice(0, -1).map((step) => `  > ${plainText(step.object)}: ${step.says}`),
    ...cause.evidence
      .slice(0, 4)
      .map(({ of, path, value }) => `  . ${plainText(of)} ${plainText(path)} = ${plainText(value, 160)}`),
    ...cause.around.slice(0, 2).map((line) => `  - ${plainText(line, 160)}`),
    ...(cause.settle === '' ? [] : [`  to be sure: ${plainText(cause.settle, 400)}`]),
    ...(cause.unverified.length === 0
      ? []
      : [`  not verified: ${cause.unverified.map((each) => plainText(each)).join(', ')}`]),
    ...(fix === undefined
      ? []
      : [`  fix: ${plainText(fix.say, 400)}`, ...fix.commands.map((command) => `    ${plainText(command, 400)}`)]),
    ...places.slice(0, MAX_PLACES).map((place) => `  at: ${plainText(place)}`),
    ...cause.next.map((each) => `  then: ${nextLine(each)}`),
  ];
}
