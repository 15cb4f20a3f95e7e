import { importGraph } from '../../checks/house/import-graph.js';
import { reduceImports, roomImports, roomRows } from '../../checks/house/rooms.js';
import { readSourceFiles } from '../../checks/house/source-files.js';

const WIDTH = 1180;
const BOX = { width: 96, height: 40, gap: 10 };
const ROW_HEIGHT = 116;
const TOP = 28;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Rooms that do neither I/O nor read the clock; checks/rooms.test.ts keeps the others away from them. */
const PURE = new Set(['model', 'render', 'diff', 'health', 'plan', 'notebook', 'triage']);

const TEXT_STYLE = 'fill: #1f2933; text-anchor: middle; dominant-baseline: middle';
const STYLE = `
  text { font: 14px ui-sans-serif, system-ui, sans-serif; ${TEXT_STYLE} }
  .note { font-size: 12px; fill: #52606d } .start { text-anchor: start }
  rect { fill: #fff; stroke: #7b8794; stroke-width: 1.2; rx: 6 } .pure { fill: #e3f2ec; stroke: #3f8f6b }
  .outside { fill: none; stroke-dasharray: 4 3 } path { fill: none; stroke: #9aa5b1; stroke-width: 1.2 }
  .http { stroke: #c0713a; stroke-dasharray: 5 4 } .ground { fill: #f8fafb; stroke: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb } .note { fill: #9aa5b1 } rect { fill: #1f2933; stroke: #7b8794 }
    .pure { fill: #17372b; stroke: #3f8f6b } .outside { fill: none } path { stroke: #616e7c } .ground { fill: #12161c }
  }`;

/** The rooms in rows, a line for each import that does not follow from another, HTTP as dashes. */
export function drawArchitecture(): string {
  const rooms = roomImports(importGraph(readSourceFiles('.ts', '.tsx')));
  const rows = roomRows(rooms);
  const places = placeRooms(rows);
  const height = TOP + rows.length * ROW_HEIGHT;
  const lines = [...reduceImports(rooms)].flatMap(([from, targets]) =>
    targets.map((to) => line(bottom(places.get(from)), top(places.get(to)))),
  );
  const boxes = [...places].map(([room, place]) => box(room, place, PURE.has(room) ? 'pure' : ''));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}` +
      '" role="img" aria-label="The rooms of Argosy and their imports">',
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    ...lines,
    ...outside(places),
    ...boxes,
    ...legend(height),
    '</svg>',
    '',
  ].join('\n');
}

function placeRooms(rows: readonly (readonly string[])[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [level, row] of rows.entries()) {
    const gap = row.length > 4 ? BOX.gap : 4 * BOX.gap;
    const width = row.length * BOX.width + (row.length - 1) * gap;
    const start = (WIDTH - width) / 2;
    const y = TOP + (rows.length - 1 - level) * ROW_HEIGHT;
    for (const [index, room] of row.entries()) places.set(room, { x: start + index * (BOX.width + gap), y });
  }
  return places;
}

const middle = (place: Place): number => place.x + BOX.width / 2;

function bottom(place: Place | undefined): Place {
  return place === undefined ? { x: 0, y: 0 } : { x: middle(place), y: place.y + BOX.height };
}

function top(place: Place | undefined): Place {
  return place === undefined ? { x: 0, y: 0 } : { x: middle(place), y: place.y };
}

function line(from: Place, to: Place, kind = ''): string {
  const bend = (to.y - from.y) / 2;
  const way = `M${from.x} ${from.y} C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
  return `<path${kind === '' ? '' : ` class="${kind}"`} d="${way}"/>`;
}

function box(label: string, { x, y }: Place, kind: string): string {
  const shape = `x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}"`;
  const text = `<text x="${x + BOX.width / 2}" y="${y + BOX.height / 2}">${label}</text>`;
  return `<rect${kind === '' ? '' : ` class="${kind}"`} ${shape}/>${text}`;
}

/** The page and the clusters, which are reached over HTTP and imported by nobody. */
function outside(places: ReadonlyMap<string, Place>): string[] {
  const [api, cluster] = [places.get('api'), places.get('cluster')];
  if (api === undefined || cluster === undefined) return [];
  const web = { x: 16, y: api.y };
  const kubernetes = { x: 16, y: cluster.y + ROW_HEIGHT / 2 + BOX.height };
  return [
    `<path class="http" d="M${web.x + BOX.width} ${web.y + 20} L${api.x} ${api.y + 20}"/>`,
    line(bottom(cluster), { x: kubernetes.x + BOX.width, y: kubernetes.y + 20 }, 'http'),
    box('web', web, 'outside'),
    box('Kubernetes', kubernetes, 'outside'),
  ];
}

function legend(height: number): string[] {
  return [
    `<text class="note start" x="16" y="${TOP + 4}">Imports point down.</text>`,
    `<text class="note start" x="16" y="${TOP + 22}">Green rooms are pure: no I/O, no clock.</text>`,
    `<text class="note start" x="16" y="${TOP + 40}` +
      '">Dashed: HTTP only. The embedded server (apiserver) is reached over HTTP too.</text>',
    `<text class="note start" x="16" y="${height - 14}">Drawn from the imports by npm run architecture.</text>`,
  ];
}
