import { formatCount, formatOutcome, nextLine } from './format-count.js';
import { markdownCode, markdownText, plainText } from './plain-text.js';
import type { Consequence, Report, ReportedCause } from './report.js';
import { isFresh, remainingIssues, resolvedSections, resolvedSteps } from './format-history.js';

/**
 * The page that people write by hand after an incident: counts, causes with their chains, what they block, and in which
 * order to repair.
 */
export function toMarkdown(report: Report): string {
  const of = (severity: string): ReportedCause[] => report.causes.filter((cause) => cause.severity === severity);
  const lines = [
    '# Triage report',
    '',
    `**Status**: ${report.status}`,
    `**Snapshot**: ${report.time}${report.isPartial === true ? ' (some objects could not be read)' : ''}`,
    ...(report.history === undefined ? [] : [`**Earlier report**: ${markdownText(report.history.previous)}`]),
    '',
    '---',
    '',
    ...summary(report),
    ...section('P0 – Blocking issues (root cause chain)', [
      ...of('P0').flatMap((cause) => causeSection(cause, report)),
      ...resolvedSections(report, 'P0'),
    ]),
    ...section('P1 – Workloads without capacity', [
      ...of('P1').flatMap((cause) => causeSection(cause, report)),
      ...resolvedSections(report, 'P1'),
      ...blocked(report),
    ]),
    ...section('P2 – Drift and configuration', [
      ...of('P2').flatMap((cause) => causeSection(cause, report)),
      ...resolvedSections(report, 'P2'),
    ]),
    ...section('P3 – In progress and notes', noted(of('P3'))),
    ...section('Node topology', topology(report)),
    ...section('Resolution priority', priority(report)),
    ...section(
      'Validation commands',
      report.validation.length === 0 ? [] : ['```bash', ...report.validation.map(command), '```', ''],
    ),
    ...section(
      'Not read',
      report.problems
        .map((problem) => `- ${markdownText(problem, 500)}`)
        .concat(report.problems.length > 0 ? [''] : []),
    ),
  ];
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function section(title: string, body: readonly string[]): string[] {
  return body.length === 0 ? [] : ['---', '', `## ${title}`, '', ...body, ''];
}

function summary({ summary: counts, causes }: Report): string[] {
  const words = (title: string, map: Readonly<Record<string, number>>): string[] =>
    Object.entries(map).map(([word, count]) => `- **${title} ${markdownText(word)}**: ${count}`);
  const heading =
    counts.applications > 0 ? `Total applications: ${counts.applications}` : `Total objects: ${counts.objects}`;
  const roots = causes.filter(({ severity }) => severity === 'P0' || severity === 'P1').length;
  return [
    '## Summary',
    '',
    heading,
    ...words('health', counts.health),
    ...words('sync', counts.sync),
    `- **Unhealthy or out of sync**: ${formatCount(counts.broken, counts.counted)}, ` +
      `from ${formatCount(roots, 'causes')}`,
    `- **Evaluated**: ${counts.objects} objects, ${counts.events} events`,
    '',
  ];
}

function causeSection(cause: ReportedCause, report: Report): string[] {
  const { reach } = cause;
  const places =
    reach.environments.length > 0 ? ` in ${reach.environments.map((each) => markdownText(each)).join(', ')}` : '';
  return [
    `### ${cause.name} ${markdownText(cause.title)}${isFresh(report, cause) ? ' (new)' : ''}`,
    '',
    `**Rule**: ${cause.rule}${cause.confidence === 'sure' ? '' : ` (${cause.confidence})`}  `,
    `**Objects**: ${cause.objects
      .slice(0, 12)
      .map((key) => markdownCode(`${key.kind} ${key.namespace === '' ? '' : `${key.namespace}/`}${key.name}`))
      .join(', ')}${cause.objects.length > 12 ? ` and ${cause.objects.length - 12} more` : ''}  `,
    ...(cause.field === '' ? [] : [`**Field**: ${markdownCode(cause.field)}  `]),
    `**Impact**: ${formatOutcome(cause, report.summary.counted, places)}`,
    '',
    ...chain(cause),
    ...evidence(cause),
    ...repair(cause),
    ...afterwards(cause),
    ...(cause.around.length === 0
      ? []
      : ['**Around it**:', '', ...cause.around.map((line) => `- ${markdownText(line)}`), '']),
    ...(cause.settle === '' ? [] : [`**To be sure**: ${markdownCode(cause.settle)}`, '']),
    ...(cause.cleared.length === 0
      ? []
      : [`**Ruled out**: ${cause.cleared.map((each) => markdownText(each)).join(', ')}`, '']),
    ...(cause.unverified.length === 0
      ? []
      : [`**Not verified**: ${cause.unverified.map((each) => markdownText(each)).join(', ')}`, '']),
  ];
}

function chain({ chain: steps }: ReportedCause): string[] {
  if (steps.length < 2) return [];
  return [
    '**Chain**:',
    '',
    ...steps.map(
      ({ object, says, via, grade }, index) =>
        `${index + 1}. ${markdownText(object)}: ` +
        `${markdownText(says)}${via === '' ? '' : ` (${markdownCode(via)}, ${grade})`}`,
    ),
    '',
  ];
}

function evidence(cause: ReportedCause): string[] {
  return cause.evidence.length === 0
    ? []
    : [
        '| Object | Field | Value |',
        '|---|---|---|',
        ...cause.evidence.map(
          ({ of, path, value }) => `| ${markdownText(of)} | ${markdownCode(path)} | ${markdownCode(value)} |`,
        ),
        '',
      ];
}

function repair({ fix }: ReportedCause): string[] {
  if (fix === undefined) return [];
  return [
    `**Fix** (${fix.where}, risk: ${fix.risk}${fix.reversible ? '' : ', cannot be undone'}): ` +
      markdownText(fix.say, 500),
    '',
    ...(fix.commands.length === 0 ? [] : ['```bash', ...fix.commands.map(command), '```', '']),
  ];
}

/** A line of a block of commands stays inside of its block. */
function command(text: string): string {
  return plainText(text, 1_000).replaceAll('```', '');
}

function afterwards({ next }: ReportedCause): string[] {
  return next.length === 0 ? [] : ['**Then**:', '', ...next.map((each) => `- ${markdownText(nextLine(each))}`), ''];
}

const MAX_ROWS = 40;

/** What suffers, under what it waits for. */
function blocked({ causes }: Report): string[] {
  return causes
    .filter(({ severity, consequences }) => (severity === 'P0' || severity === 'P1') && consequences.length > 0)
    .flatMap((cause) => {
      const pods = cause.consequences.filter(({ object }) => !/^(Application|ReplicaSet) /.test(object));
      if (pods.length === 0) return [];
      return [
        `### Blocked by ${cause.name}`,
        '',
        '| Object | Symptom |',
        '|---|---|',
        ...pods.slice(0, MAX_ROWS).map(row),
        ...(pods.length > MAX_ROWS ? [`| and ${pods.length - MAX_ROWS} more | |`] : []),
        '',
      ];
    });
}

function row({ object, says }: Consequence): string {
  return `| ${markdownText(object)} | ${markdownText(says)} |`;
}

function noted(causes: readonly ReportedCause[]): string[] {
  return causes.length === 0
    ? []
    : [
        ...causes.slice(0, MAX_ROWS).map((cause) => `- ${cause.name} [${cause.rule}] ${markdownText(cause.title)}`),
        ...(causes.length > MAX_ROWS ? [`- and ${causes.length - MAX_ROWS} more`] : []),
        '',
      ];
}

function topology({ topology: pools }: Report): string[] {
  if (pools.length === 0) return [];
  return [
    '| Nodes | Ready | Taint | Capacity |',
    '|---|---|---|---|',
    ...pools.map(
      (pool) =>
        `| ${pool.count} | ${pool.ready} | ${pool.taints.map((taint) => markdownCode(taint)).join(' ')} | ` +
        `${pool.capacity} each |`,
    ),
    '',
  ];
}

function priority(report: Report): string[] {
  const open = report.causes.filter(({ severity }) => severity !== 'P3');
  const struck = resolvedSteps(report);
  return open.length + struck.length === 0
    ? []
    : [
        ...struck,
        ...open.map(
          (cause, index) =>
            `${struck.length + index + 1}. **${cause.name}** ${markdownText(cause.fix?.say ?? cause.title, 500)}`,
        ),
        '',
        ...remainingIssues(report),
      ];
}
