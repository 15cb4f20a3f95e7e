import { keyText, type Key } from '../../model/kubernetes/index.js';
import { nodeText } from '../graph/index.js';
import type { Report, ReportedCause } from './report.js';

/** The causes that an object suffers from, or is itself, the most urgent first. */
export function causesBehind({ causes }: Report, key: Key): ReportedCause[] {
  const text = nodeText({ key });
  return causes.filter(
    ({ chain, consequences, objects }) =>
      objects.some((object) => keyText(object) === keyText(key)) ||
      [...chain, ...consequences].some(({ object }) => object === text),
  );
}
