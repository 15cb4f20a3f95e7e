import { humanDuration } from '../../model/formats/index.js';
import { type JsonObject, objectsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { formatTable } from '../output/index.js';
import { fieldText, jobName, phaseOf, progressOf, runTime, statusOf } from './job.js';

const MAX_CHARACTERS = 160;
const MAX_LINES = 20;

/** Everything about a job that people ask for. */
export function formatJob(job: KubeObject, now: number): string {
  const status = statusOf(job);
  const cells = objectsAt(status, 'results');
  const failed = cells.find((cell) => fieldText(cell, 'status') === 'Failure');
  return [
    formatSummary(job, now),
    ...(cells.length === 0 ? [] : [`\n${formatCells(cells)}`]),
    ...cells.filter((cell) => cell !== failed).map((cell) => cellText(cell, fieldText(cell, 'output'))),
    failed === undefined ? '' : cellText(failed, fieldText(failed, 'traceback') || fieldText(failed, 'output')),
    formatTriggers(objectsAt(status, 'triggers')),
  ].join('');
}

export function formatSummary(job: KubeObject, now: number): string {
  const status = statusOf(job);
  const time = runTime(job, now);
  const path = fieldText(job.spec, 'notebook', 'path');
  const lines: [string, string][] = [
    ['Name', jobName(job)],
    [
      'Notebook',
      `${path} of ${fieldText(job.spec, 'notebook', 'git', 'url')} at ${fieldText(job.spec, 'notebook', 'git', 'ref')}`,
    ],
    ['Phase', phaseOf(job)],
    ['Message', fieldText(status, 'message')],
    ['Started', fieldText(status, 'startTime')],
    ['Finished', fieldText(status, 'completionTime')],
    ['Duration', time === undefined ? '' : humanDuration(time)],
    ['Retries', fieldText(status, 'retryCount')],
    ['Kernel', fieldText(status, 'kernel')],
    ['Pod', fieldText(status, 'validationPodName')],
    ['Cells', progressOf(job)],
    ['Compared', comparison(status)],
    ...gates(job),
  ];
  return lines
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${`${name}:`.padEnd(12)}${value}\n`)
    .join('');
}

function comparison(status: JsonObject): string {
  const result = fieldText(status.comparisonResult, 'result');
  return result === ''
    ? ''
    : `${result} (${fieldText(status.comparisonResult, 'matchedCells') || '0'} of ` +
        `${fieldText(status.comparisonResult, 'totalCells') || '0'} cells)`;
}

/** Which waves it holds, and what it says to those who wait for it. */
function gates({ metadata: { annotations = {} } }: KubeObject): [string, string][] {
  return [
    ['Wave', annotations['argocd.argoproj.io/sync-wave'] ?? ''],
    [
      'Holds',
      annotations['mlops.dev/block-wave'] === undefined ? '' : `wave ${annotations['mlops.dev/block-wave']} and later`,
    ],
    ['Marked', markOf(annotations)],
  ];
}

function markOf({
  'mlops.dev/wave-complete': complete,
  'mlops.dev/wave-failed': failed,
}: Readonly<Record<string, string>>): string {
  if (complete !== undefined) return `wave ${complete} complete`;
  return failed === undefined ? '' : `wave ${failed} failed`;
}

export function formatCells(cells: readonly JsonObject[]): string {
  return formatTable(
    ['CELL', 'TYPE', 'STATUS', 'DURATION', 'ERROR'],
    cells.map((cell) => [
      fieldText(cell, 'cellIndex'),
      fieldText(cell, 'cellType'),
      fieldText(cell, 'status'),
      fieldText(cell, 'executionTime'),
      errorOf(cell),
    ]),
  );
}

/** `NameError: name 'df' is not defined`, on one line. */
export function errorOf(cell: JsonObject): string {
  const [type, message] = [fieldText(cell, 'errorType'), fieldText(cell, 'errorMessage')];
  const words = (type !== '' && message !== '' && !message.startsWith(type) ? `${type}: ${message}` : message || type)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words.length > MAX_CHARACTERS ? `${words.slice(0, MAX_CHARACTERS)}...` : words;
}

/** What a cell printed, or how it failed. Colours of a terminal say nothing here. */
function cellText(cell: JsonObject, output: string): string {
  const text = output.replaceAll(/\u001b\[[0-9;]*m/g, '').trimEnd();
  if (text === '') return '';
  const lines = text.split('\n');
  const shown =
    lines.length > MAX_LINES ? [`... ${lines.length - MAX_LINES} lines before`, ...lines.slice(-MAX_LINES)] : lines;
  return `\nCell ${fieldText(cell, 'cellIndex')}:\n${shown.map((line) => `  ${line}\n`).join('')}`;
}

function formatTriggers(triggers: readonly JsonObject[]): string {
  if (triggers.length === 0) return '';
  return `\n${formatTable(
    ['TRIGGER', 'ACTION', 'STATE', 'ATTEMPTS', 'MESSAGE'],
    triggers.map((each) => [
      `${fieldText(each, 'kind')}/${fieldText(each, 'namespace')}/${fieldText(each, 'name')}`,
      fieldText(each, 'action'),
      fieldText(each, 'state'),
      fieldText(each, 'attempts'),
      fieldText(each, 'message'),
    ]),
  )}`;
}
