import type { ImportGraph } from './import-graph.js';
import { isTest } from './source-files.js';

/** Which rooms each room imports; the files directly in `src` are the room `main.ts`, on top with the library. */
export function roomImports(graph: ImportGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const from = roomOf(file);
    if (from === undefined || isTest(file)) continue;
    const imports = rooms.get(from) ?? new Set<string>();
    rooms.set(from, imports);
    for (const target of targets) {
      const to = roomOf(target);
      if (to !== undefined && to !== from && to !== 'main.ts') imports.add(to);
    }
  }
  return rooms;
}

function roomOf(path: string): string | undefined {
  const [top, room, inner] = path.split('/');
  if (top !== 'src' || room === undefined) return undefined;
  return inner === undefined ? 'main.ts' : room;
}

/** Only the imports that do not follow from others: what is drawn, without the lines that would hide it. */
export function reduceImports(rooms: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string[]> {
  const reaches = (from: string, to: string): boolean =>
    [...(rooms.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return new Map(
    [...rooms].map(([room, imports]) => [
      room,
      [...imports].filter((to) => ![...imports].some((other) => other !== to && reaches(other, to))).sort(),
    ]),
  );
}

/** Rows from the bottom: a room stands above everything that it imports. */
export function roomRows(rooms: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const levelOf = (room: string): number =>
    Math.max(0, ...[...(rooms.get(room) ?? [])].map((below) => levelOf(below) + 1));
  const rows: string[][] = [];
  for (const room of [...rooms.keys()].sort()) (rows[levelOf(room)] ??= []).push(room);
  return rows;
}
