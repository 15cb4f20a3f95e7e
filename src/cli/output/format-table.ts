import { printableCell } from './printable.js';

/** Columns aligned with two spaces between, as kubectl prints them; the last column is not padded. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map(printableCell));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 2)))
        .join('')
        .trimEnd(),
    )
    .join('\n')
    .concat('\n');
}
