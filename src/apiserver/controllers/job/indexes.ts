import { own } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';

export const INDEX = 'batch.kubernetes.io/job-completion-index';

/** The completion index of a pod; undefined where it has none. */
export function indexOf(pod: KubeObject): number | undefined {
  const value = own(pod.metadata.annotations ?? {}, INDEX);
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** Reads `0-2,5` up to `completions`. */
export function parseIndexes(text: string, completions: number): Set<number> {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (!match) continue;
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = Number(match[1]); index <= last; index++) found.add(index);
  }
  return found;
}

/** Writes `0-2,5`; two neighbours are written as two numbers, as the real controller does. */
export function indexesText(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length; ) {
    let end = at;
    while (sorted[end + 1] === Number(sorted[end]) + 1) end++;
    const [first, last] = [Number(sorted[at]), Number(sorted[end])];
    parts.push(last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`);
    at = end + 1;
  }
  return parts.join(',');
}
