import { isArray, isObject, own, put, type Json } from '../../../model/json/index.js';

/** What nobody expects where a field is: other types, nothing, too much, names of what every object has. */
const ODD: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e300,
  12345678901234567890n,
  '',
  'x',
  '__proto__',
  'constructor',
  '\u001b[31m',
  'a'.repeat(5_000),
  [],
  {},
  [null],
  [[]],
  ['x'],
  [{}],
  [{ name: 5 }],
  { a: null },
  { toString: 1 },
];
const KEPT = new Set(['apiVersion', 'kind', 'log']);

type Path = readonly (string | number)[];

function pathsOf(value: Json | undefined, path: Path = []): Path[] {
  const here = path.length === 0 ? [] : [path];
  if (isArray(value)) return [...here, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))];
  return isObject(value)
    ? [
        ...here,
        ...Object.keys(value)
          .filter((key) => path.length > 0 || !KEPT.has(key))
          .flatMap((key) => pathsOf(own(value, key), [...path, key])),
      ]
    : here;
}

function holderOf(value: Json, path: Path): Json | undefined {
  let at: Json | undefined = value;
  for (const step of path.slice(0, -1)) at = childOf(at, step);
  return at;
}

function childOf(value: Json | undefined, step: Path[number]): Json | undefined {
  if (isArray(value)) return value[Number(step)];
  return isObject(value) ? own(value, String(step)) : undefined;
}

/** Documents with some fields that are not as their kind should be; `random` gives numbers from 0 up to 1. */
export function spoil(documents: readonly Json[], random: () => number): Json[] {
  const copy = structuredClone(documents) as Json[];
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  for (let turn = 0; turn < 4; turn++) {
    const target = pick(copy);
    // Sometimes where the field stands in another document, so that fields come up where they never are.
    const path = pick(pathsOf(random() < 0.3 ? pick(copy) : target));
    if (target === undefined || path === undefined) continue;
    const [holder, last, odd] = [holderOf(target, path), path.at(-1), structuredClone(pick(ODD) ?? null)];
    if (isArray(holder)) holder[Number(last)] = odd;
    else if (isObject(holder)) put(holder, String(last), odd);
  }
  return copy;
}
