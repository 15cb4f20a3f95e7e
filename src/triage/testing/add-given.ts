import { type Json, type JsonObject, isObject, listAt, objectAt, valueAt, writeJson } from '../../model/json/index.js';
import { textAt, textsAt } from '../json/index.js';
import { readAnswer, type SnapshotBuilder } from '../read/index.js';

/**
 * A document of a case: an object or an event, a log as `{log: {namespace, pod, container, previous, lines}}`, a series
 * as `{series: {name, labels, until, values}}` with a value for each minute, or what a monitoring server answered as
 * `{answer: ...}`.
 */
export function addGiven(builder: SnapshotBuilder, value: Json, where: string): void {
  const log = objectAt(value, 'log');
  const series = objectAt(value, 'series');
  const answer = valueAt(value, 'answer');
  if (answer !== undefined) readAnswer(writeJson(answer), builder, where);
  else if (series !== undefined) addSeries(builder, series);
  else if (log !== undefined)
    builder.addLog({
      namespace: textAt(log, 'namespace'),
      pod: textAt(log, 'pod'),
      container: textAt(log, 'container'),
      previous: log.previous === true,
      lines: textsAt(log, 'lines'),
    });
  else if (isObject(value)) builder.add(structuredClone(value), where);
}

function addSeries(builder: SnapshotBuilder, series: JsonObject): void {
  const until = Date.parse(textAt(series, 'until'));
  const values = listAt(series, 'values');
  const labels = objectAt(series, 'labels') ?? {};
  builder.addSeries(
    textAt(series, 'name'),
    Object.fromEntries(Object.keys(labels).map((key) => [key, textAt(labels, key)])),
    values.map((value, index) => [until - (values.length - 1 - index) * 60_000, Number(value)] as const),
  );
}
