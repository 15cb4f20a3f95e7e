/** Which part of a long list is in sight. */
export interface Window {
  readonly first: number;
  readonly last: number;
  readonly height: number;
}

/**
 * `columns` items stand beside each other; a few more rows than can be seen are made, so that scrolling finds them
 * there.
 */
export function windowOf(
  total: number,
  view: {
    readonly top: number;
    readonly height: number;
    readonly rowHeight: number;
    readonly columns: number;
    readonly spare?: number;
  },
): Window {
  const { top, height, rowHeight, columns, spare = 6 } = view;
  const rows = Math.ceil(total / columns);
  const first = Math.max(0, Math.min(rows, Math.floor(top / rowHeight)) - spare);
  const last = Math.min(rows, Math.ceil((top + height) / rowHeight) + spare);
  return { first: first * columns, last: Math.min(total, last * columns), height: rows * rowHeight };
}

/** The pages of a list that hold the items from `first` to before `last`. */
export function pagesOf(first: number, last: number, size: number): number[] {
  if (last <= first) return [];
  const [from, to] = [Math.floor(first / size), Math.floor((last - 1) / size)];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
