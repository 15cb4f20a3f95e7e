import type { DriftAdvice } from '../../control/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { printCauses, type CausesByName } from '../causes/index.js';
import { formatTable } from '../output/index.js';

export interface DriftRow {
  readonly before: DriftAdvice;
  /** The sync status that the same look gives with the advice taken. */
  readonly after: string;
}

const applicationName = ({ application }: DriftAdvice): string => application.metadata.name ?? '';

/** Names and messages of strangers on one line, harmless on a terminal and in a table. */
function line(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069]+/g, ' ').trim();
}

const cell = (text: string): string => line(text).replace(/[\\`*_[\]<>|~#]/g, (mark) => `\\${mark}`);

export function printDrift(rows: readonly DriftRow[], causes: CausesByName, format: 'text' | 'md'): string {
  const told = rows
    .filter(({ before }) => before.advice.length + before.warnings.length + before.errors.length > 0)
    .flatMap(({ before }) => block(before, format));
  const behind = printCauses(causes);
  const reasons = format === 'md' ? ['## Causes', '', '```', behind.replaceAll('```', ''), '```'] : [behind];
  return [...told, ...(behind === '' ? [] : [...reasons, '']), ...summary(rows, format)]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .concat('\n');
}

function block(advice: DriftAdvice, format: 'text' | 'md'): string[] {
  const head = ['OBJECT', 'FIELD', 'OWNER', 'CLASS', 'RESOLUTION'];
  const rows = advice.advice.map((each) => [
    `${each.key.kind} ${each.key.namespace === '' ? '' : `${each.key.namespace}/`}${each.key.name}`,
    each.pointer,
    each.owner === '' ? '-' : each.owner,
    each.class,
    each.say,
  ]);
  const rules =
    advice.rules.length === 0 && !advice.needsRespect
      ? []
      : writeYaml({
          spec: {
            ...(advice.rules.length === 0 ? {} : { ignoreDifferences: [...advice.rules] }),
            ...(advice.needsRespect ? { syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] } } : {}),
          },
        })
          .trimEnd()
          .split('\n');
  if (format === 'md') {
    return [
      `## ${cell(applicationName(advice))} (${advice.sync}/${advice.health})`,
      '',
      ...advice.errors.map((error) => `- ${cell(error)}`),
      ...(rows.length === 0 ? [] : ['', ...markdown(head, rows)]),
      '',
      ...(rules.length === 0 ? [] : ['```yaml', ...rules.map((each) => each.replaceAll('```', '')), '```', '']),
      ...advice.warnings.map((warning) => `- **Warning**: ${cell(warning)}`),
      '',
    ];
  }
  return [
    `${line(applicationName(advice))} ${advice.sync}/${advice.health}`,
    ...advice.errors.map((error) => `  ${line(error)}`),
    ...(rows.length === 0
      ? []
      : formatTable(
          head,
          rows.map((row) => row.map(line)),
        )
          .trimEnd()
          .split('\n')
          .map((each) => `  ${each}`)),
    ...rules.map((each) => `  ${line(each) === '' ? '' : each.replace(/[\u0000-\u001f\u007f]/g, ' ')}`),
    ...advice.warnings.map((warning) => `  warning: ${line(warning)}`),
    '',
  ];
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ];
}

/** Before and after, and the three counts. */
function summary(rows: readonly DriftRow[], format: 'text' | 'md'): string[] {
  const head = ['APPLICATION', 'BEFORE', 'AFTER', 'CLASSES'];
  const table = rows.map(({ before, after }) => [
    applicationName(before),
    `${before.sync}/${before.health}`,
    `${after}/${before.health}`,
    [...new Set(before.advice.map((each) => each.class))].join(', ') || '-',
  ]);
  const share = (count: number): string => `${count}/${rows.length}`;
  const [synced, settled] = [
    rows.filter(({ before }) => before.sync === 'Synced').length,
    rows.filter(({ after }) => after === 'Synced').length,
  ];
  const counts =
    `Synced ${share(synced)} before, ${share(settled)} with the advice; Healthy ` +
    `${share(rows.filter(({ before }) => before.health === 'Healthy').length)}; errors ` +
    `${rows.reduce((sum, { before }) => sum + before.errors.length, 0)}`;
  return format === 'md'
    ? ['## Before and after', '', ...markdown(head, table), '', counts]
    : [
        formatTable(
          head,
          table.map((row) => row.map(line)),
        ).trimEnd(),
        counts,
      ];
}
