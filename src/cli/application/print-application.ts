import { Fault } from '../../model/faults/index.js';
import { formatDuration, millisecondsOf, parseTime } from '../../model/formats/index.js';
import {
  type JsonObject,
  isObject,
  objectAt,
  objectsAt,
  own,
  textAt,
  textsAt,
  valueAt,
} from '../../model/json/index.js';
import {
  hasManySources,
  idOf,
  isAutomated,
  projectOf,
  qualifiedName,
  readAcceptance,
  serverOf,
  sourcesOf,
} from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { formatTable } from '../output/index.js';
import { oneLine } from './resource-states.js';

const LABEL_WIDTH = 20;
const SHORT_REVISION_LENGTH = 7;
const MAX_VALUE_LENGTH = 80;

export function labelled(label: string, value: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${value}`.trimEnd().concat('\n');
}

/** Which sync windows the project has for the application. */
export interface WindowSummary {
  /** `Sync Allowed`, `Manual Allowed` or `Sync Denied`. */
  readonly status: string;
  /** As `allow:10 1 * * *:1h`. */
  readonly assigned: readonly string[];
}

export const NO_WINDOWS: WindowSummary = { status: 'Sync Allowed', assigned: [] };

export function formatSummary(application: KubeObject, url: string, windows: WindowSummary): string {
  const prune = objectAt(application, 'spec', 'syncPolicy', 'automated')?.prune === true;
  const { deviations, reason } = readAcceptance(application);
  return [
    labelled('Name:', qualifiedName(idOf(application))),
    labelled('Project:', projectOf(application)),
    labelled('Server:', serverOf(application)),
    labelled('Namespace:', textAt(application, 'spec', 'destination', 'namespace')),
    labelled('URL:', url),
    hasManySources(application) ? 'Sources:\n' : 'Source:\n',
    ...sourcesOf(application).map(formatSource),
    labelled('SyncWindow:', windows.status),
    windows.assigned.length === 0 ? '' : labelled('Assigned Windows:', windows.assigned.join(',')),
    labelled('Sync Policy:', isAutomated(application) ? `Automated${prune ? ' (Prune)' : ''}` : 'Manual'),
    labelled('Sync Status:', syncStatus(application)),
    labelled('Health Status:', textAt(application, 'status', 'health', 'status')),
    deviations.length === 0 ? '' : labelled('Accepted:', `${deviations.join(', ')} (${oneLine(reason)})`),
  ].join('');
}

function formatSource(source: JsonObject): string {
  const [path, ref, chart, values, prefix] = [
    textAt(source, 'path'),
    textAt(source, 'ref'),
    textAt(source, 'chart'),
    textsAt(source, 'helm', 'valueFiles'),
    textAt(source, 'kustomize', 'namePrefix'),
  ];
  return [
    labelled('- Repo:', textAt(source, 'repoURL')),
    labelled('  Target:', textAt(source, 'targetRevision')),
    path === '' ? '' : labelled('  Path:', path),
    chart === '' ? '' : labelled('  Chart:', chart),
    ref === '' ? '' : labelled('  Ref:', ref),
    values.length === 0 ? '' : labelled('  Helm Values:', values.join(',')),
    prefix === '' ? '' : labelled('  Name Prefix:', prefix),
  ].join('');
}

/** `Synced to main (1a2b3c4)`. */
function syncStatus(application: KubeObject): string {
  const status = textAt(application, 'status', 'sync', 'status');
  const [source] = sourcesOf(application);
  const target = source === undefined ? '' : textAt(source, 'targetRevision');
  const joined = { Synced: `Synced to ${target}`, OutOfSync: `OutOfSync from ${target}` }[status] ?? status;
  const revision = textAt(application, 'status', 'sync', 'revision');
  return /^[0-9a-f]{7,}$/i.test(target) || revision.length <= SHORT_REVISION_LENGTH
    ? joined
    : `${joined} (${revision.slice(0, SHORT_REVISION_LENGTH)})`;
}

export function formatConditions(application: KubeObject): string {
  const conditions = objectsAt(application, 'status', 'conditions');
  if (conditions.length === 0) return '';
  const table = formatTable(
    ['CONDITION', 'MESSAGE', 'LAST TRANSITION'],
    conditions.map((each) => [
      textAt(each, 'type'),
      firstLine(textAt(each, 'message')),
      goTime(textAt(each, 'lastTransitionTime')),
    ]),
  );
  const whole = conditions
    .filter((each) => firstLine(textAt(each, 'message')) !== oneLine(textAt(each, 'message')))
    .map((each) => `\n${textAt(each, 'type')}:\n${textAt(each, 'message').trim().replaceAll(/^/gm, '  ')}\n`);
  return table + whole.join('');
}

const MAX_CELL = 120;

/** What has several lines and is long keeps them below the table. */
function firstLine(message: string): string {
  const flat = oneLine(message);
  return flat.length <= MAX_CELL || !message.trim().includes('\n')
    ? flat
    : (message.trim().split('\n')[0]?.trim() ?? '');
}

/** The last operation, or the one under way. */
export function formatOperation(application: KubeObject, now: number): string {
  const state = objectAt(application, 'status', 'operationState');
  if (state === undefined) return '';
  const result = objectAt(state, 'syncResult');
  const revisions = result === undefined ? [] : textsAt(result, 'revisions');
  const [started, finished] = [textAt(state, 'startedAt'), textAt(state, 'finishedAt')];
  const end = finished === '' ? now : timeOf(finished);
  const seconds = Math.max(0, Math.trunc(end / 1000) - Math.trunc(timeOf(started) / 1000));
  return [
    result === undefined ? '' : labelled('Operation:', 'Sync'),
    result === undefined
      ? ''
      : labelled('Sync Revision:', revisions.length > 0 ? revisions.join(', ') : textAt(result, 'revision')),
    labelled('Phase:', textAt(state, 'phase')),
    labelled('Start:', goTime(started)),
    labelled('Finished:', finished === '' ? '<nil>' : goTime(finished)),
    labelled('Duration:', formatDuration(BigInt(seconds) * 1_000_000_000n)),
    textAt(state, 'message') === '' ? '' : labelled('Message:', textAt(state, 'message')),
  ].join('');
}

/** Helm parameters that the application sets. */
export function formatParameters(application: KubeObject, position: number | undefined): string {
  const sources = sourcesOf(application);
  if (hasManySources(application)) {
    if (position === undefined || position <= 0)
      throw new Fault(
        'USAGE',
        'Source position should be specified and must be greater than 0 for applications with multiple sources',
      );
    if (position > sources.length)
      throw new Fault('USAGE', 'Source position should be less than the number of sources in the application');
  }
  const source = hasManySources(application) ? sources[(position ?? 1) - 1] : sources[0];
  if (source === undefined || !isObject(valueAt(source, 'helm'))) return '';
  const rows = objectsAt(source, 'helm', 'parameters').map((each) => [
    textAt(each, 'name'),
    shorten(textAt(each, 'value')),
  ]);
  return `\n\n${formatTable(['NAME', 'VALUE'], rows)}`;
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > MAX_VALUE_LENGTH ? `${characters.slice(0, MAX_VALUE_LENGTH - 3).join('')}...` : text;
}

/** A time as Go prints it, in UTC: `2026-10-06 07:28:18 +0000 UTC`. */
export function goTime(text: string): string {
  if (text === '') return '<nil>';
  return new Date(timeOf(text))
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' +0000 UTC');
}

/** Milliseconds; 0 for what is no time. */
export function timeOf(text: string): number {
  try {
    return text === '' ? 0 : millisecondsOf(parseTime(text));
  } catch (error) {
    if (error instanceof Fault) return 0;
    throw error;
  }
}

/** The position, from 1, of the source with this name. */
export function positionOfSource(application: KubeObject, name: string): number {
  const at = sourcesOf(application).findIndex((source) => own(source, 'name') === name);
  if (at < 0) throw new Fault('USAGE', `Unknown source name '${name}'`);
  return at + 1;
}
