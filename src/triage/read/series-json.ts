import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  parseJson,
} from '../../model/json/index.js';
import { textAt, wordOf } from '../json/index.js';
import type { Sample } from '../snapshot/index.js';
import type { DumpReader } from './read-dump.js';
import type { SnapshotBuilder } from './snapshot-builder.js';

/** An answer of a server is a few megabytes; beyond this nobody asked for so much. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Whether JSON is of Prometheus or of Alertmanager: answers of `query`, `query_range`, `alerts` and `rules`, the same
 * without their envelope, or lines of an export.
 */
export function isMonitoringJson(start: string): boolean {
  if (/"apiVersion"\s*:/.test(start.slice(0, 2_000))) return false;
  return (
    /"resultType"\s*:\s*"(?:matrix|vector|scalar|string)"/.test(start) ||
    /^\[?\{"metric":\{/.test(start.slice(0, 500).replace(/\s/g, '')) ||
    (/^\s*\{/.test(start) &&
      /"status"\s*:\s*"(?:success|error)"/.test(start) &&
      /"(?:alerts|groups)"\s*:\s*\[/.test(start)) ||
    (/^\s*\[/.test(start) && /"startsAt"\s*:/.test(start) && /"labels"\s*:\s*\{/.test(start))
  );
}

export function seriesJsonReader(builder: SnapshotBuilder, file: string): DumpReader {
  const parts: Buffer[] = [];
  let size = 0;
  return {
    push: (chunk) => {
      size += chunk.length;
      if (size <= MAX_BYTES) parts.push(chunk);
    },
    end: () => {
      if (size > MAX_BYTES) builder.loss(`${file}: more than ${MAX_BYTES / 2 ** 20} MiB of series; ask for fewer`);
      else readAnswer(Buffer.concat(parts).toString('utf8'), builder, file);
    },
  };
}

/** Takes an answer of Prometheus or Alertmanager; `name` is that of series whose answer has none. */
export function readAnswer(text: string, builder: SnapshotBuilder, file: string, name = ''): void {
  try {
    for (const value of documentsOf(text)) readDocument(value, builder, file, name);
  } catch (error) {
    builder.loss(`${file}: cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One document, or one in each line. */
function documentsOf(text: string): Json[] {
  try {
    return [parseJson(text)];
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    return lines.map((line) => parseJson(line));
  }
}

function readDocument(value: Json, builder: SnapshotBuilder, file: string, name: string): void {
  if (textAt(value, 'status') === 'error')
    builder.loss(`${file}: Prometheus answered ${textAt(value, 'errorType')}: ${textAt(value, 'error')}`);
  const data = objectAt(value, 'data');
  const results = isArray(value)
    ? value.filter(isObject)
    : [...objectsAt(data, 'result'), ...objectsAt(value, 'result')];
  for (const result of results.length === 0 && isObject(value) ? [value] : results) {
    const metric = objectAt(result, 'metric');
    if (metric !== undefined) addSeries(metric, samplesOf(result), builder, name);
  }
  const grouped = objectsAt(data, 'groups').flatMap((group) =>
    objectsAt(group, 'rules').flatMap((rule) => objectsAt(rule, 'alerts')),
  );
  for (const alert of [...objectsAt(data, 'alerts'), ...grouped, ...(isArray(value) ? results : [])])
    addAlert(alert, builder);
}

function addSeries(metric: JsonObject, samples: readonly Sample[], builder: SnapshotBuilder, name: string): void {
  const labels = wordsOf(metric);
  const { __name__: named = name, ...rest } = labels;
  if (named !== '') builder.addSeries(named, rest, samples);
}

function wordsOf(object: JsonObject | undefined): Record<string, string> {
  return Object.fromEntries(Object.keys(object ?? {}).map((key) => [key, wordOf(own(object ?? {}, key))]));
}

/** `values` as pairs, `value` as one pair, or `values` beside `timestamps` as exports have them. */
function samplesOf(result: JsonObject): Sample[] {
  const [values, times] = [own(result, 'values'), own(result, 'timestamps')];
  if (isArray(values) && isArray(times))
    return values.map((value, index) => [Number(times[index] ?? 0), Number(value)] as const);
  const pairs = isArray(values) ? values : [own(result, 'value') ?? null];
  return pairs.flatMap((pair): Sample[] =>
    isArray(pair) && pair.length === 2 ? [[Math.round(Number(pair[0]) * 1000), Number(pair[1])]] : [],
  );
}

/** Alerts that only wait, are silenced or inhibited, or are over are none. */
function addAlert(alert: JsonObject, builder: SnapshotBuilder): void {
  const labels = wordsOf(objectAt(alert, 'labels'));
  const name = labels.alertname ?? '';
  const state = textAt(alert, 'state') || textAt(alert, 'status', 'state');
  const ends = Date.parse(textAt(alert, 'endsAt'));
  const since = Date.parse(textAt(alert, 'activeAt') || textAt(alert, 'startsAt'));
  if (name === '' || ['pending', 'suppressed', 'inactive', 'unprocessed'].includes(state)) return;
  builder.addAlert({
    name,
    labels,
    summary:
      textAt(alert, 'annotations', 'summary') ||
      textAt(alert, 'annotations', 'description') ||
      textAt(alert, 'annotations', 'message'),
    since: Number.isNaN(since) ? undefined : since,
    ends: Number.isNaN(ends) ? undefined : ends,
  });
}
