import { htmlText } from './html-text.js';
import type { Report } from './report.js';

interface Box {
  readonly text: string;
  readonly kind: 'cause' | 'step';
  /** How far it is from its cause; a cause is at 0. */
  column: number;
  row: number;
}

const MAX_BOXES = 80;
const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [230, 44, 60, 14];

/** Causes to the right, what leads to them from the left; an object that leads to several causes is drawn once. */
export function causeGraph(report: Report): string {
  const boxes = new Map<string, Box>();
  const arrows = new Map<string, { readonly from: string; readonly to: string; readonly label: string }>();
  for (const cause of report.causes.filter(({ severity }) => severity === 'P0' || severity === 'P1')) {
    if (boxes.size > MAX_BOXES) break;
    const end = `${cause.name} ${cause.title}`;
    boxes.set(end, { text: end, kind: 'cause', column: 0, row: 0 });
    let next = end;
    // The last step of a chain is the cause itself.
    cause.chain
      .slice(0, -1)
      .toReversed()
      .forEach(({ object }, index) => {
        const column = index + 1;
        const known = boxes.get(object);
        if (known === undefined) boxes.set(object, { text: object, kind: 'step', column, row: 0 });
        else known.column = Math.max(known.column, column);
        arrows.set(`${object}|${next}`, {
          from: object,
          to: next,
          label: cause.chain[cause.chain.length - 1 - index]?.via ?? '',
        });
        next = object;
      });
  }
  return boxes.size === 0 ? '' : draw([...boxes.values()], boxes, [...arrows.values()]);
}

function draw(
  boxes: readonly Box[],
  byName: ReadonlyMap<string, Box>,
  arrows: readonly { readonly from: string; readonly to: string; readonly label: string }[],
): string {
  const columns = Math.max(...boxes.map(({ column }) => column)) + 1;
  const rows = Array.from({ length: columns }, () => 0);
  for (const box of boxes) {
    box.row = rows[box.column] ?? 0;
    rows[box.column] = box.row + 1;
  }
  const x = ({ column }: Box): number => 10 + (columns - 1 - column) * (WIDTH + GAP_X);
  const y = ({ row }: Box): number => 10 + row * (HEIGHT + GAP_Y);
  const lines = arrows.flatMap(({ from, to, label }) => {
    const [a, b] = [byName.get(from), byName.get(to)];
    return a === undefined || b === undefined
      ? []
      : [
          `<path class="arrow" marker-end="url(#head)" d="M${x(a) + WIDTH} ${y(a) + HEIGHT / 2} ` +
            `C${x(a) + WIDTH + GAP_X / 2} ${y(a) + HEIGHT / 2} ${x(b) - GAP_X / 2} ${y(b) + HEIGHT / 2} ` +
            `${x(b) - 2} ${y(b) + HEIGHT / 2}"><title>${htmlText(label)}</title></path>`,
        ];
  });
  const shapes = boxes.map(
    (box) =>
      `<g><title>${htmlText(box.text, 400)}</title><rect class="${box.kind}" x="${x(box)}" y="${y(box)}" ` +
      `width="${WIDTH}" height="${HEIGHT}" rx="6"/><text x="${x(box) + 8}" ` +
      `y="${y(box) + 18}">${htmlText(box.text, 34)}</text><text x="${x(box) + 8}" ` +
      `y="${y(box) + 34}">${htmlText(box.text.slice(31), 34)}</text></g>`,
  );
  return (
    `<svg role="img" aria-label="Cause graph" width="${columns * (WIDTH + GAP_X)}" ` +
    `height="${Math.max(...rows) * (HEIGHT + GAP_Y) + 20}"><defs><marker id="head" markerWidth="8" ` +
    'markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0 0L8 4L0 ' +
    `8z"/></marker></defs>${lines.join('')}${shapes.join('')}</svg>`
  );
}
