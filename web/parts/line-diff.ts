/** One line of a comparison: in both, only before, or only after. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** What stands between two lines that are shown: lines that are the same and far from any change. */
export interface DiffGap {
  readonly kind: 'gap';
  readonly count: number;
}

/** Beyond this the comparison would take longer than anybody waits; then all goes and all comes. */
const MAX_CELLS = 4_000_000;

/** The shortest change from one text to the other, by their longest common lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middle = changes(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

function changes(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text });
  const added = (text: string): DiffLine => ({ kind: 'added', text });
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(removed(a[i++] ?? ''));
    else lines.push(added(b[j++] ?? ''));
  }
  return lines;
}

/** Changes with a few lines around them. */
export function withGaps(lines: readonly DiffLine[], around = 3): (DiffLine | DiffGap)[] {
  const near = new Set<number>();
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') for (let other = index - around; other <= index + around; other++) near.add(other);
  });
  const shown: (DiffLine | DiffGap)[] = [];
  let gap = 0;
  lines.forEach((line, index) => {
    if (!near.has(index)) {
      gap++;
      return;
    }
    if (gap > 0) shown.push({ kind: 'gap', count: gap });
    gap = 0;
    shown.push(line);
  });
  return gap > 0 && shown.length > 0 ? [...shown, { kind: 'gap', count: gap }] : shown;
}
