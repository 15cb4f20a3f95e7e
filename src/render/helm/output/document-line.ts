import type { ChartFile } from '../chart/chart-file.js';

const NAMED_KIND = /^kind:\s*["']?([\w-]+)["']?\s*$/;
const known = new WeakMap<Uint8Array, readonly number[]>();

/**
 * The line of a template at which a document of its output starts. Where the template has as many documents as its
 * output, the same one counts; else the line that names the kind, or the first.
 */
export function documentLine(
  file: ChartFile,
  template: string,
  document: { readonly index: number; readonly count: number; readonly kind: string },
): number {
  let starts = known.get(file.bytes);
  if (starts === undefined) {
    starts = documentStarts(template);
    known.set(file.bytes, starts);
  }
  const start = starts.length === document.count ? starts[document.index] : undefined;
  if (start !== undefined) return start;
  const named = template
    .split('\n')
    .findIndex((line) => line.startsWith('kind:') && NAMED_KIND.exec(line)?.[1] === document.kind);
  return named < 0 ? 1 : named + 1;
}

/** Lines, from 1, of the first content after each `---`. */
function documentStarts(template: string): number[] {
  const starts: number[] = [];
  let isOpen = true;
  for (const [index, line] of template.split('\n').entries()) {
    if (line.startsWith('---')) isOpen = true;
    else if (isOpen && /^[A-Za-z"']/.test(line)) {
      starts.push(index + 1);
      isOpen = false;
    }
  }
  return starts;
}
