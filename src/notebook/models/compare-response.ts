import { isArray, isObject, own, type Json } from '../../model/json/index.js';

export interface ResponseComparison {
  /** The first place that differs, and how; undefined where all is as expected. */
  readonly where: string | undefined;
  /** The largest distance between two numbers; empty where there are none. */
  readonly difference: string;
  /** The part of the answer that was compared. */
  readonly actual: Json;
}

/**
 * Compares an expectation with a response: numbers within the tolerance, objects may have more fields. Bare predictions
 * are found where servers put them.
 */
export function compareResponse(expected: Json, answer: Json, tolerance: number): ResponseComparison {
  const actual = isObject(expected) ? answer : predictionsOf(expected, answer);
  let largest: number | undefined;
  const differ = (want: Json, have: Json | undefined, at: string): string | undefined => {
    const place = at === '' ? 'the response' : at;
    if (typeof want === 'number' && typeof have === 'number') {
      const distance = Math.abs(want - have);
      largest = Math.max(largest ?? 0, distance);
      // Half a unit in the last place of the arithmetic itself must not decide.
      return distance <= tolerance + 1e-12 * Math.max(Math.abs(want), Math.abs(have))
        ? undefined
        : `${place} differs by ${round(distance)}`;
    }
    if (isArray(want) && isArray(have)) {
      if (want.length !== have.length) return `${place} has ${have.length} items, not ${want.length}`;
      return firstOf(want.map((item, index) => () => differ(item, have[index], `${at}/${index}`)));
    }
    if (isObject(want) && isObject(have))
      return firstOf(
        Object.keys(want).map((key) => () => differ(own(want, key) ?? null, own(have, key), `${at}/${key}`)),
      );
    if (want === have) return undefined;
    return have === undefined ? `${place} is missing` : `${place} is ${JSON.stringify(have).slice(0, 100)}`;
  };
  const where = differ(expected, actual, '');
  return { where, difference: largest === undefined ? '' : String(round(largest)), actual };
}

/** All are compared, so that the largest distance is known. */
function firstOf(comparisons: readonly (() => string | undefined)[]): string | undefined {
  return comparisons.map((compare) => compare()).find((found) => found !== undefined);
}

function round(distance: number): number {
  return Number(distance.toPrecision(6));
}

/** `{"predictions": ...}` of the first protocol, the data of the first tensor of the second. */
function predictionsOf(expected: Json, answer: Json): Json {
  if (!isObject(answer)) return answer;
  const [first] = isArray(answer.outputs) ? answer.outputs : [];
  const found = answer.predictions ?? (isObject(first) ? first.data : undefined) ?? answer;
  return !isArray(expected) && isArray(found) && found.length === 1 ? (found[0] ?? null) : found;
}
