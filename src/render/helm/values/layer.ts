import { entryOf, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';
import { readPart, valuesParts } from './read-values.js';
import { has, isTable, overlay } from './table.js';
import { Traced, type ValuePlace } from './traced.js';

/** One place that sets values: a chart's own file, a values file or one `--set`. */
export interface Layer {
  /** Where its values stand in those of the whole: the names of the subcharts on the way. */
  readonly path: readonly string[];
  readonly values: GoObject;
  /** `values` with every leaf traced to its place. */
  readonly traced: GoObject;
  readonly placeOf: (holder: GoObject, key: string) => ValuePlace;
}

/** The layer of a file. Keys that came in through an alias or a merge count as set where the alias stands. */
export function fileLayer(text: string, file: string, path: readonly string[]): Layer {
  const places = new Map<object, Map<string, ValuePlace>>();
  let values: GoObject = {};
  for (const part of valuesParts(text)) {
    const onKey = (object: object, key: string, line: number, column: number): void => {
      const known = places.get(object) ?? new Map<string, ValuePlace>();
      known.set(key, { file, line: line + part.offset, column });
      places.set(object, known);
    };
    // A later document of the file lies over the earlier; merged maps are new objects and are found by their parts.
    values = remember(values, readPart(part, file, { onKey }), places);
  }
  const placeOf = (holder: GoObject, key: string): ValuePlace =>
    places.get(holder)?.get(key) ?? { file, line: 1, column: 1 };
  return { path, values, placeOf, traced: traceTable(values, { file, line: 1, column: 1 }, placesOf(places)) };
}

type PlaceFinder = (holder: GoObject, key: string) => ValuePlace | undefined;

function placesOf(places: ReadonlyMap<object, ReadonlyMap<string, ValuePlace>>): PlaceFinder {
  return (holder, key) => places.get(holder)?.get(key);
}

function remember(below: GoObject, above: GoObject, places: Map<object, Map<string, ValuePlace>>): GoObject {
  const merged = overlay(below, above);
  const note = (result: GoObject, first: GoObject, second: GoObject): void => {
    places.set(result, new Map([...(places.get(first) ?? []), ...(places.get(second) ?? [])]));
    for (const key of Object.keys(result)) {
      const [one, two, both] = [entryOf(first, key), entryOf(second, key), entryOf(result, key)];
      if (isTable(one) && isTable(two) && isTable(both)) note(both, one, two);
    }
  };
  note(merged, below, above);
  return merged;
}

/** The layer of values without lines, such as those of one `--set`. */
export function plainLayer(values: GoObject, place: ValuePlace): Layer {
  return { path: [], values, placeOf: () => place, traced: traceTable(values, place, () => undefined) };
}

function traceTable(table: GoObject, fallback: ValuePlace, find: PlaceFinder): GoObject {
  const traced: GoObject = {};
  for (const key of Object.keys(table)) {
    const value = entryOf(table, key) ?? null;
    const place = find(table, key) ?? fallback;
    setEntry(traced, key, isTable(value) ? traceTable(value, place, find) : new Traced(value, place));
  }
  return traced;
}

/** What a layer says about a path of the whole; undefined if nothing. */
export function lookUp(
  layer: Layer,
  path: readonly string[],
): { readonly value: GoValue; readonly place: ValuePlace } | undefined {
  if (!layer.path.every((name, index) => path[index] === name)) return undefined;
  let holder = layer.values;
  const names = path.slice(layer.path.length);
  for (const name of names.slice(0, -1)) {
    const next = entryOf(holder, name);
    if (!isTable(next)) return undefined;
    holder = next;
  }
  const key = names.at(-1);
  if (key === undefined || !has(holder, key)) return undefined;
  return { value: entryOf(holder, key) ?? null, place: layer.placeOf(holder, key) };
}

/** Every path of a table that leads to something else than a map with entries. */
export function* leafPaths(table: GoObject, above: readonly string[] = []): Generator<readonly string[]> {
  for (const key of Object.keys(table)) {
    const value = entryOf(table, key) ?? null;
    const path = [...above, key];
    if (isTable(value) && Object.keys(value).length > 0) yield* leafPaths(value, path);
    else yield path;
  }
}
