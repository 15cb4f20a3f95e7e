import type { Json } from '../../model/json/index.js';
import { operate } from './arithmetic.js';
import { deletePaths, getPath, computedCell, pathFromJson, setPath, type Cell } from './cell.js';
import { paths, values, type Cells, type Frame } from './frame.js';
import type { Node } from './syntax.js';
import { isTruthy } from './values.js';

/** `=`, `|=`, `+=` and the like: the input with other values at the places that the left side names. */
export function* update(
  { operator: sign, left, right }: Extract<Node, { kind: 'update' }>,
  frame: Frame,
  cell: Cell,
): Cells {
  const places = (): Json[][] => [...paths(left, frame, cell.value)];
  if (sign === '|') {
    yield computedCell(
      cell,
      modify(cell.value, places(), frame, (value) => firstOf(values(right, frame, value))),
    );
    return;
  }
  for (const operand of values(right, frame, cell.value)) {
    yield computedCell(
      cell,
      modify(cell.value, places(), frame, (value) => {
        if (sign === '') return operand;
        if (sign === '//') return isTruthy(value) ? value : operand;
        return operate(sign, value, operand, frame.budget);
      }),
    );
  }
}

function firstOf(results: Iterable<Json>): Json | undefined {
  for (const result of results) return result;
  return undefined;
}

/** Each place with its new value; a place whose expression gives nothing is deleted. */
function modify(input: Json, places: readonly Json[][], frame: Frame, change: (value: Json) => Json | undefined): Json {
  let result = input;
  const gone: Json[] = [];
  for (const place of places) {
    frame.budget.spend(place.length);
    const path = pathFromJson(place);
    const changed = change(getPath(result, path));
    if (changed === undefined) gone.push(place);
    else result = setPath(result, path, changed);
  }
  return gone.length === 0 ? result : deletePaths(result, gone);
}
