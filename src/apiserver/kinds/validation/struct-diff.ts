import type { Json } from '../../../model/json/index.js';
import { goJson } from './go-json.js';

const CONTEXT = 3;

/** One stretch of lines: kept, or replaced (either side may be empty). */
interface Stretch {
  readonly same: boolean;
  readonly a: readonly [number, number];
  readonly b: readonly [number, number];
}

/** The difference of two values of an internal type, as the real server shows it: a unified diff of indented JSON. */
export function structDiff(before: Json | undefined, after: Json | undefined, type: string): string {
  return unifiedDiff(prettyLines(goJson(before, type)), prettyLines(goJson(after, type)));
}

function prettyLines(value: Json): string[] {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? Number(item) : item), 1)
    .split('\n')
    .map((line) => `${line}\n`);
}

function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  let out = '';
  for (const group of groups(stretches(a, b))) {
    const first = group[0];
    const last = group.at(-1);
    if (first === undefined || last === undefined) continue;
    out += `@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@\n`;
    for (const {
      same,
      a: [fromA, toA],
      b: [fromB, toB],
    } of group) {
      if (same)
        out += a
          .slice(fromA, toA)
          .map((line) => ` ${line}`)
          .join('');
      else
        out +=
          a
            .slice(fromA, toA)
            .map((line) => `-${line}`)
            .join('') +
          b
            .slice(fromB, toB)
            .map((line) => `+${line}`)
            .join('');
    }
  }
  return out;
}

function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}

/** Matching and differing stretches in order, by the longest-common-block method of Python's difflib. */
function stretches(a: readonly string[], b: readonly string[]): Stretch[] {
  const blocks: [number, number, number][] = [];
  const places = placesOf(b);
  const queue: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [fromA, toA, fromB, toB] = next;
    const [i, j, size] = width(a, b, places, next);
    if (size === 0) continue;
    blocks.push([i, j, size]);
    queue.push([fromA, i, fromB, j], [i + size, toA, j + size, toB]);
  }
  blocks.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  const out: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const [atA, atB, size] of [...blocks, [a.length, b.length, 0] as const]) {
    if (atA > i || atB > j) out.push({ same: false, a: [i, atA], b: [j, atB] });
    if (size > 0) out.push({ same: true, a: [atA, atA + size], b: [atB, atB + size] });
    [i, j] = [atA + size, atB + size];
  }
  return joinNeighbours(out);
}

function joinNeighbours(list: readonly Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  for (const next of list) {
    const last = out.at(-1);
    if (last?.same === true && next.same)
      out[out.length - 1] = { same: true, a: [last.a[0], next.a[1]], b: [last.b[0], next.b[1]] };
    else out.push(next);
  }
  return out;
}

/** Where each line of `b` stands; lines that are very common in a long text say nothing and are left out. */
function placesOf(b: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  b.forEach((line, index) => places.set(line, [...(places.get(line) ?? []), index]));
  if (b.length < 200) return places;
  const limit = Math.floor(b.length / 100) + 1;
  for (const [line, at] of places) if (at.length > limit) places.delete(line);
  return places;
}

function width(
  a: readonly string[],
  b: readonly string[],
  places: Map<string, number[]>,
  within: readonly [number, number, number, number],
): [number, number, number] {
  const [fromA, toA, fromB, toB] = within;
  let [bestA, bestB, size] = [fromA, fromB, 0];
  let lengths = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i] ?? '') ?? []) {
      if (j < fromB || j >= toB) continue;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [bestA, bestB, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  while (bestA > fromA && bestB > fromB && a[bestA - 1] === b[bestB - 1])
    [bestA, bestB, size] = [bestA - 1, bestB - 1, size + 1];
  while (bestA + size < toA && bestB + size < toB && a[bestA + size] === b[bestB + size]) size++;
  return [bestA, bestB, size];
}

/** Stretches with up to three unchanged lines around each difference; far-apart differences become separate groups. */
function groups(list: readonly Stretch[]): Stretch[][] {
  const out: Stretch[][] = [];
  let group: Stretch[] = [];
  list.forEach((stretch, index) => {
    const {
      same,
      a: [fromA, toA],
      b: [fromB, toB],
    } = stretch;
    if (!same) return group.push(stretch);
    const isFirst = index === 0;
    const isLast = index === list.length - 1;
    const length = toA - fromA;
    const head = Math.min(length, CONTEXT);
    if (!isFirst && (isLast || length > 2 * CONTEXT)) {
      group.push({ same, a: [fromA, fromA + head], b: [fromB, fromB + head] });
      out.push(group);
      group = [];
    }
    if (isFirst || (!isLast && length > 2 * CONTEXT)) group.push({ same, a: [toA - head, toA], b: [toB - head, toB] });
    else if (!isLast) group.push(stretch);
    return undefined;
  });
  if (group.some((stretch) => !stretch.same)) out.push(group);
  return out;
}
