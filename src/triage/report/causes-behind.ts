import { keyText, type Key } from '../../model/kubernetes/index.js';
import { nodeText } from '../graph/index.js';
import type { Report, ReportedCause } from './report.js';

/** The causes that any of these objects suffers from, or is itself, the most urgent first. */
export function causesBehind({ causes }: Report, keys: readonly Key[]): ReportedCause[] {
  const texts = new Set(keys.map((key) => nodeText({ key })));
  const ids = new Set(keys.map(keyText));
  return causes.filter(
    ({ chain, consequences, objects }) =>
      objects.some((object) => ids.has(keyText(object))) ||
      [...chain, ...consequences].some(({ object }) => texts.has(object)),
  );
}
