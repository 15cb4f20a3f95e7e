import { Fault } from '../../model/faults/index.js';
import {
  type Json,
  type JsonObject,
  isArray,
  isObject,
  objectAt,
  objectsAt,
  parseJson,
} from '../../model/json/index.js';
import { MAX_TEXT_LENGTH, textAt, textsAt } from '../json/index.js';
import type { GoneCause, History, Report, ReportedCause } from './report.js';

const SEVERITIES = ['P0', 'P1', 'P2', 'P3'] as const;

/** Reads a report written as JSON. The file is untrusted: anything else is rejected, unexpected parts are dropped. */
export function readReport(text: string, where: string): Report {
  const value = readJson(text, where);
  if (!isObject(value) || value.version !== 1 || !isArray(value.causes))
    throw new Fault('VALUE_INVALID', 'this is not a report of argosy triage -o json', { where });
  const history = objectAt(value, 'history');
  return {
    version: 1,
    time: textAt(value, 'time'),
    status: 'Open',
    summary: { applications: 0, health: {}, sync: {}, objects: 0, events: 0, counted: 'applications', broken: 0 },
    causes: objectsAt(value, 'causes').flatMap(causeOf),
    topology: [],
    validation: [],
    problems: [],
    ...(history === undefined ? {} : { history: historyOf(history) }),
  };
}

function readJson(text: string, where: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Fault(
      'VALUE_INVALID',
      `this is not a report of argosy triage -o json: ${error instanceof Error ? error.message : String(error)}`,
      { where, cause: error },
    );
  }
}

function severityOf(value: Json): ReportedCause['severity'] | undefined {
  return SEVERITIES.find((each) => each === textAt(value, 'severity'));
}

/** Only what a comparison needs. */
function causeOf(value: JsonObject): ReportedCause[] {
  const severity = severityOf(value);
  if (severity === undefined || textAt(value, 'id') === '') return [];
  return [
    {
      id: textAt(value, 'id'),
      name: textAt(value, 'name'),
      severity,
      rule: textAt(value, 'rule'),
      kind: 'fault',
      confidence: 'sure',
      impact: 'capacity',
      title: textAt(value, 'title'),
      objects: objectsAt(value, 'objects').map((key) => ({
        group: textAt(key, 'group'),
        kind: textAt(key, 'kind'),
        namespace: textAt(key, 'namespace'),
        name: textAt(key, 'name'),
      })),
      field: textAt(value, 'field'),
      evidence: objectsAt(value, 'evidence').map((each) => ({
        of: textAt(each, 'of'),
        path: textAt(each, 'path'),
        value: textAt(each, 'value').slice(0, MAX_TEXT_LENGTH),
      })),
      reach: {
        count: Number(objectAt(value, 'reach')?.count ?? 0),
        environments: textsAt(value, 'reach', 'environments'),
        names: [],
      },
      heals: 0,
      alone: 0,
      chain: [],
      consequences: [],
      cleared: [],
      around: [],
      settle: '',
      unverified: [],
      since: '',
      fix: undefined,
      next: [],
    },
  ];
}

function historyOf(value: JsonObject): History {
  return {
    previous: textAt(value, 'previous'),
    resolved: objectsAt(value, 'resolved').flatMap(goneOf),
    unverified: objectsAt(value, 'unverified').flatMap(goneOf),
    fresh: textsAt(value, 'fresh'),
  };
}

function goneOf(value: JsonObject): GoneCause[] {
  const severity = severityOf(value);
  return severity === undefined
    ? []
    : [
        {
          id: textAt(value, 'id'),
          name: textAt(value, 'name'),
          severity,
          rule: textAt(value, 'rule'),
          title: textAt(value, 'title'),
          resolved: textAt(value, 'resolved'),
          changed: textsAt(value, 'changed'),
        },
      ];
}
