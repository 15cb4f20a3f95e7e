export type Row = Readonly<Record<string, string>>;

/**
 * The rows of a table as kubectl prints it, by heading. Columns start at the same position in every line; if spaces
 * were lost, two spaces separate cells.
 */
export function rowsOf(lines: readonly string[]): Row[] {
  const [heading = '', ...rest] = lines;
  const columns = [...heading.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, start: index }));
  return rest
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const isAligned = columns.every(({ start }) => start === 0 || start >= line.length || line[start - 1] === ' ');
      const cells = isAligned
        ? columns.map(({ start }, index) => line.slice(start, columns[index + 1]?.start).trim())
        : line.trim().split(/\s{2,}|\t/);
      return Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? '']));
    });
}

export const cell = (row: Row, name: string): string => {
  const text = Object.hasOwn(row, name) ? (row[name] ?? '') : '';
  return text === '<none>' || text === '<unset>' || text === '<unknown>' ? '' : text;
};

/** `3`, or `3 (5m ago)` */
export const numberIn = (row: Row, name: string): number => Number.parseInt(cell(row, name), 10) || 0;
