/**
 * The line of a template at which a document starts. Where the template has as many documents as its output, the same one
 * counts; else the line that names the kind, or the first.
 */
export function documentLine(template: string, index: number, count: number, kind: string): number {
  const lines = template.split('\n');
  const starts = documentStarts(lines);
  const start = starts.length === count ? starts[index] : undefined;
  if (start !== undefined) return start;
  const named = kind === '' ? -1 : lines.findIndex((line) => new RegExp(`^kind:\\s*["']?${kind.replace(/\W/g, '\\$&')}["']?\\s*$`).test(line));
  return named < 0 ? 1 : named + 1;
}

/** Lines, from 1, of the first content after each `---`. */
function documentStarts(lines: readonly string[]): number[] {
  const starts: number[] = [];
  let isOpen = true;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('---')) isOpen = true;
    else if (isOpen && /^[A-Za-z"']/.test(line)) {
      starts.push(index + 1);
      isOpen = false;
    }
  }
  return starts;
}
