import { isArray, isObject, own, type Json } from '../../model/json/index.js';

/** A step into a value: a key, a position, or every element. */
export type Segment = string | number | typeof EVERY;
export const EVERY = Symbol('every');

const SEGMENT = /\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[(\*)\]|\["([^"\]]*)"\]/y;

/**
 * `status.conditions[0].type`, `metadata.annotations["example.com/name"]`, `status.nodes[*].name`; undefined where it
 * is no path.
 */
export function parsePath(text: string): readonly Segment[] | undefined {
  const segments: Segment[] = [];
  let at = 0;
  while (at < text.length) {
    SEGMENT.lastIndex = at;
    const match = SEGMENT.exec(text);
    if (match === null || ((at === 0) === text.startsWith('.', at) && match[1] !== undefined)) return undefined;
    segments.push(match[1] ?? match[4] ?? (match[2] === undefined ? EVERY : Number(match[2])));
    at = SEGMENT.lastIndex;
  }
  return segments.length === 0 ? undefined : segments;
}

/** What stands at the path; null counts as absent, `[*]` gives the list of what each element has. */
export function readPath(value: Json | undefined, segments: readonly Segment[], from = 0): Json | undefined {
  let current = value;
  for (let index = from; index < segments.length; index++) {
    const segment = segments[index];
    if (segment === EVERY) return readEvery(current, segments, index + 1);
    if (typeof segment === 'number') current = isArray(current) ? current[segment] : undefined;
    else current = isObject(current) ? own(current, segment as string) : undefined;
    if (current === undefined || current === null) return undefined;
  }
  return current ?? undefined;
}

function readEvery(value: Json | undefined, segments: readonly Segment[], from: number): Json | undefined {
  if (value === undefined) return undefined;
  return elementsOf(value).flatMap(([, element]) => {
    const found = readPath(element, segments, from);
    if (found === undefined) return [];
    return isArray(found) ? found : [found];
  });
}

/** The elements of a list with their positions, or the values of an object with their keys. */
export function elementsOf(value: Json | undefined): (readonly [key: string | number, element: Json])[] {
  if (isArray(value)) return value.map((element, index) => [index, element] as const);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const element = own(value, key);
    return element === undefined ? [] : [[key, element] as const];
  });
}
