/** A run of lines: common to both texts, only in the old one, or only in the new one. */
export interface Edit {
  readonly kind: 'same' | 'old' | 'new';
  readonly lines: readonly string[];
}

/** More differing lines than this are shown as one block: the search for the shortest script would take too long. */
const MAX_DISTANCE = 1_000;

/** A shortest list of edits that turns the old lines into the new ones (Myers' algorithm, from both ends trimmed). */
export function lineEdits(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const [left, right] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return joined([
    { kind: 'same', lines: before.slice(0, start) },
    ...middleEdits(left, right),
    { kind: 'same', lines: before.slice(before.length - end) },
  ]);
}

function middleEdits(before: readonly string[], after: readonly string[]): Edit[] {
  const rounds = before.length === 0 || after.length === 0 ? undefined : searchRounds(before, after);
  return rounds === undefined
    ? [
        { kind: 'old', lines: before },
        { kind: 'new', lines: after },
      ]
    : walkBack(before, after, rounds);
}

/**
 * For each number of edits, how far in the old text each diagonal gets; undefined where the texts are too different.
 */
function searchRounds(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const rounds: Int32Array[] = [];
  let furthest = new Int32Array([0, 0, 0]);
  for (let distance = 0; distance <= Math.min(MAX_DISTANCE, before.length + after.length); distance++) {
    const round = new Int32Array(2 * distance + 3);
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = distance === 0 ? 0 : startOf(furthest, diagonal, distance);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      round[diagonal + distance + 1] = x;
      if (x >= before.length && x - diagonal >= after.length) {
        rounds.push(round);
        return rounds;
      }
    }
    rounds.push(round);
    furthest = round;
  }
  return undefined;
}

/**
 * Where a diagonal starts: one step down from the one above or one step right from the one below, whichever is further.
 */
function startOf(previous: Int32Array, diagonal: number, distance: number): number {
  return isDown(previous, diagonal, distance)
    ? at(previous, diagonal + 1, distance - 1)
    : at(previous, diagonal - 1, distance - 1) + 1;
}

function isDown(previous: Int32Array, diagonal: number, distance: number): boolean {
  return (
    diagonal === -distance ||
    (diagonal !== distance && at(previous, diagonal - 1, distance - 1) < at(previous, diagonal + 1, distance - 1))
  );
}

function at(round: Int32Array, diagonal: number, distance: number): number {
  return round[diagonal + distance + 1] ?? 0;
}

function walkBack(before: readonly string[], after: readonly string[], rounds: readonly Int32Array[]): Edit[] {
  const edits: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (let distance = rounds.length - 1; distance > 0; distance--) {
    const previous = rounds[distance - 1] ?? new Int32Array();
    const diagonal = x - y;
    const down = isDown(previous, diagonal, distance);
    const from = at(previous, down ? diagonal + 1 : diagonal - 1, distance - 1);
    const start = down ? from : from + 1;
    edits.push({ kind: 'same', lines: before.slice(start, x) });
    if (down) edits.push({ kind: 'new', lines: after.slice(start - diagonal - 1, start - diagonal) });
    else edits.push({ kind: 'old', lines: before.slice(from, from + 1) });
    x = from;
    y = down ? from - diagonal - 1 : from - diagonal + 1;
  }
  edits.push({ kind: 'same', lines: before.slice(0, x) });
  return edits.reverse();
}

/** Neighbours of one kind together, and old before new within a change. */
function joined(edits: readonly Edit[]): Edit[] {
  const result: Edit[] = [];
  let old: string[] = [];
  let fresh: string[] = [];
  const flush = (): void => {
    if (old.length > 0) result.push({ kind: 'old', lines: old });
    if (fresh.length > 0) result.push({ kind: 'new', lines: fresh });
    old = [];
    fresh = [];
  };
  for (const { kind, lines } of edits) {
    if (lines.length === 0) continue;
    if (kind === 'old') old.push(...lines);
    else if (kind === 'new') fresh.push(...lines);
    else {
      flush();
      const last = result.at(-1);
      if (last?.kind === 'same') result[result.length - 1] = { kind, lines: [...last.lines, ...lines] };
      else result.push({ kind, lines });
    }
  }
  flush();
  return result;
}
