import type { Point, CauseEdge } from './explain-findings.js';

/** The strongly connected parts of the graph of causes, causes before consequences (Tarjan, without recursion). */
export function connectedComponents(points: readonly Point[]): Point[][] {
  const order = new Map<Point, number>();
  const low = new Map<Point, number>();
  const onStack = new Set<Point>();
  const stack: Point[] = [];
  const parts: Point[][] = [];
  const lower = (point: Point, value: number): void => void low.set(point, Math.min(low.get(point) ?? value, value));
  const enter = (point: Point): { point: Point; next: number } => {
    order.set(point, order.size);
    low.set(point, order.size - 1);
    stack.push(point);
    onStack.add(point);
    return { point, next: 0 };
  };
  for (const start of points) {
    if (order.has(start)) continue;
    const work = [enter(start)];
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const { point } = frame;
      const step = point.because[frame.next++];
      if (step !== undefined) {
        if (!order.has(step.to)) work.push(enter(step.to));
        else if (onStack.has(step.to)) lower(point, order.get(step.to) ?? 0);
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent !== undefined) lower(parent.point, low.get(point) ?? 0);
      if (low.get(point) === order.get(point)) parts.push(takeComponent(stack, onStack, point));
    }
  }
  return parts;
}

function takeComponent(stack: Point[], onStack: Set<Point>, last: Point): Point[] {
  const part: Point[] = [];
  for (;;) {
    const point = stack.pop();
    if (point === undefined) return part;
    onStack.delete(point);
    part.push(point);
    if (point === last) return part;
  }
}

/** Circles that hold only by guesses are no deadlocks: the guesses inside of them are dropped. */
export function dropGuessedCycles(points: readonly Point[]): Point[][] {
  let parts = connectedComponents(points);
  const guessed = (step: CauseEdge): boolean => step.edge.grade === 'C' || step.edge.grade === 'D';
  let dropped = false;
  for (const part of parts) {
    if (part.length < 2) continue;
    const inside = new Set(part);
    for (const point of part) {
      const kept = point.because.filter((step) => !(inside.has(step.to) && guessed(step)));
      dropped ||= kept.length < point.because.length;
      point.because.splice(0, point.because.length, ...kept);
    }
  }
  if (dropped) parts = connectedComponents(points);
  return parts;
}
