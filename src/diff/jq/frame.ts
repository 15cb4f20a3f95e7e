import type { Json } from '../../model/json/index.js';
import { pathOf, pathToJson, plainCell, rootCell, type Cell } from './cell.js';
import type { Scope } from './scope.js';
import type { Node } from './syntax.js';
import type { Budget } from './values.js';

export type Cells = Iterable<Cell>;

/** Where an expression is evaluated: its names, what is left to spend, and how deep it already is. */
export interface Frame {
  readonly scope: Scope | undefined;
  readonly budget: Budget;
  readonly depth: number;
  /** All results of an expression for one input, one after the other and only as far as they are asked for. */
  readonly run: (node: Node, frame: Frame, cell: Cell) => Cells;
}

export function within(frame: Frame, scope: Scope | undefined): Frame {
  return { scope, budget: frame.budget, depth: frame.depth, run: frame.run };
}

/** The values of an expression, without places. */
export function* values(node: Node, frame: Frame, input: Json): Iterable<Json> {
  for (const { value } of frame.run(node, frame, plainCell(input))) yield value;
}

/** The paths of an expression. */
export function* paths(node: Node, frame: Frame, input: Json): Iterable<Json[]> {
  for (const found of frame.run(node, frame, rootCell(input))) yield pathToJson(pathOf(found));
}

/** Every combination of the expressions' values; the last varies slowest. */
export function* combinations(nodes: readonly Node[], frame: Frame, input: Json): Iterable<Json[]> {
  const last = nodes.at(-1);
  if (last === undefined) {
    yield [];
    return;
  }
  for (const value of values(last, frame, input))
    for (const before of combinations(nodes.slice(0, -1), frame, input)) yield [...before, value];
}
