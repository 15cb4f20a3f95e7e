import { type Json, isObject, objectAt } from '../../model/json/index.js';
import { textAt, textsAt } from '../json/index.js';
import type { SnapshotBuilder } from '../read/index.js';

/** A document of a case: an object or an event, or a log as `{log: {namespace, pod, container, previous, lines}}`. */
export function addGiven(builder: SnapshotBuilder, value: Json, where: string): void {
  const log = objectAt(value, 'log');
  if (log !== undefined)
    builder.addLog({
      namespace: textAt(log, 'namespace'),
      pod: textAt(log, 'pod'),
      container: textAt(log, 'container'),
      previous: log.previous === true,
      lines: textsAt(log, 'lines'),
    });
  else if (isObject(value)) builder.add(structuredClone(value), where);
}
