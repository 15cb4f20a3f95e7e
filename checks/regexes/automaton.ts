import { ALL, groupsOf, has, type CharSet } from './char-set.js';
import type { PlaceTest, RegexNode } from './parse-regex.js';

/** Counted repetitions up to here are written out; longer ones count as endless. */
const WRITTEN_OUT = 32;
/** More ways through places that read nothing are not told apart. */
const MAX_WAYS = 20_000;

/** A state: the engine has just read a character at one place of the pattern. */
export interface State {
  /** The place in the pattern; undefined for the search that tries every start. */
  readonly span: { readonly start: number; readonly end: number } | undefined;
  /** For each group of characters: the states after it, and whether there are several ways to that state. */
  readonly steps: readonly (readonly Transition[])[];
  /** Whatever text follows, the engine will find a match from here, so it never comes back. */
  readonly neverFails: boolean;
}

export interface Transition {
  readonly to: number;
  readonly isTwofold: boolean;
}

export interface Automaton {
  readonly states: readonly State[];
  /** One character of each group that the pattern tells apart. */
  readonly characters: readonly number[];
}

interface Position {
  readonly set: CharSet;
  readonly span: State['span'];
  readonly after: number;
}

/**
 * A node of the graph that reads nothing: where to go on, under which condition. `unsure` conditions may or may not
 * hold.
 */
interface Junction {
  readonly ways: { readonly to: number; readonly test?: PlaceTest | 'unsure' }[];
  position?: number;
}

class Graph {
  readonly junctions: Junction[] = [];
  readonly positions: Position[] = [];
  readonly sets: CharSet[] = [];
  /** Sets that conditions look back to: a state must know whether its character is in them. */
  readonly lookedBackSets: CharSet[] = [];

  open(): number {
    return this.junctions.push({ ways: [] }) - 1;
  }

  way(from: number, to: number, test?: PlaceTest | 'unsure'): void {
    this.junctions[from]?.ways.push(test === undefined ? { to } : { to, test });
  }

  read(from: number, set: CharSet, span: State['span']): number {
    const after = this.open();
    const place = this.open();
    const junction = this.junctions[place];
    if (junction !== undefined) junction.position = this.positions.push({ set, span, after }) - 1;
    this.sets.push(set);
    this.way(from, place);
    return after;
  }

  /** Adds a node behind a junction and gives the junction behind the node. */
  add(node: RegexNode, from: number): number {
    switch (node.kind) {
      case 'set':
        return this.read(from, node.set, node);
      case 'sequence':
        return node.items.reduce((at, item) => this.add(item, at), from);
      case 'choice': {
        const end = this.open();
        for (const item of node.items) {
          const start = this.open();
          this.way(from, start);
          this.way(this.add(item, start), end);
        }
        return end;
      }
      case 'place': {
        const end = this.open();
        this.way(from, end, node.test);
        this.sets.push(...node.sets);
        this.lookedBackSets.push(...node.sets);
        return end;
      }
      case 'look': {
        // The engine walks through it and comes back: a branch that leads nowhere.
        if (node.isAhead) this.add(node.body, from);
        const end = this.open();
        this.way(from, end, 'unsure');
        return end;
      }
      case 'repeat':
        return this.repeat(node, from);
    }
  }

  private repeat({ body, least, most }: RegexNode & { kind: 'repeat' }, from: number): number {
    const isEndless = most > WRITTEN_OUT;
    const end = this.open();
    let at = from;
    for (let round = 0; round < Math.min(least, isEndless ? 1 : WRITTEN_OUT); round++) at = this.add(body, at);
    if (isEndless) {
      const start = this.open();
      this.way(at, start);
      this.way(at, end);
      const again = this.open();
      this.way(this.add(body, start), again);
      this.way(again, start);
      this.way(again, end);
      return end;
    }
    for (let round = least; round < most; round++) {
      this.way(at, end);
      const start = this.open();
      this.way(at, start);
      at = this.add(body, start);
    }
    this.way(at, end);
    return end;
  }
}

interface Path {
  /** A position, or undefined for the end of the pattern. */
  readonly to: number | undefined;
  readonly tests: readonly (PlaceTest | 'unsure')[];
}

/**
 * Every way from a junction to places that read a character, and to the end. No way passes a junction twice: empty
 * rounds do not count.
 */
function pathsFrom(graph: Graph, start: number, end: number): Path[] {
  const paths: Path[] = [];
  const visit = (at: number, seen: ReadonlySet<number>, tests: Path['tests']): void => {
    if (paths.length >= MAX_WAYS || seen.has(at)) return;
    const junction = graph.junctions[at];
    if (at === end) paths.push({ to: undefined, tests });
    if (junction?.position !== undefined) paths.push({ to: junction.position, tests });
    const more = new Set(seen).add(at);
    for (const { to, test } of junction?.ways ?? []) visit(to, more, test === undefined ? tests : [...tests, test]);
  };
  visit(start, new Set(), []);
  return paths;
}

const fits = ({ tests }: Path, before: number | undefined, after: number | undefined): boolean =>
  tests.every((test) => test === 'unsure' || test(before, after));
const surelyFits = (path: Path, before: number | undefined, after: number | undefined): boolean =>
  !path.tests.includes('unsure') && fits(path, before, after);

/** The automaton of a search for a pattern: from every place of a text, unless `isSticky`. */
export function automatonOf(node: RegexNode, isSticky: boolean): Automaton {
  const graph = new Graph();
  const start = graph.open();
  let from = start;
  if (!isSticky) {
    from = graph.open();
    graph.way(start, from);
    graph.way(graph.read(start, ALL, undefined), start);
  }
  const end = graph.add(node, from);
  const characters = groupsOf(graph.sets);
  const paths = graph.positions.map(({ after }) => pathsFrom(graph, after, end));
  const { keys, stateOf } = numberStates(graph, characters);
  const steps = keys.map(({ position, before }) =>
    characters.map((after) => stepsOn(graph, paths[position] ?? [], before, after, stateOf)),
  );
  const ends = keys.map(({ position, before }) =>
    [...characters, undefined].map((after) =>
      (paths[position] ?? []).some((path) => path.to === undefined && surelyFits(path, before, after)),
    ),
  );
  const safe = neverFailing(steps, ends);
  return {
    characters,
    states: keys.map(({ position }, index) => ({
      span: graph.positions[position]?.span,
      steps: steps[index] ?? [],
      neverFails: safe[index] ?? false,
    })),
  };
}

/**
 * A state is a position, and what conditions behind it can tell of the character read there: one such character stands
 * for all.
 */
function numberStates(
  graph: Graph,
  characters: readonly number[],
): { keys: { position: number; before: number }[]; stateOf: (position: number, character: number) => number } {
  const keys: { position: number; before: number }[] = [];
  const numbers = new Map<string, number>();
  const stateOf = (position: number, character: number): number => {
    const key = `${position} ${graph.lookedBackSets.map((set) => (has(set, character) ? '1' : '0')).join('')}`;
    const known = numbers.get(key) ?? keys.push({ position, before: character }) - 1;
    numbers.set(key, known);
    return known;
  };
  for (const [position, { set }] of graph.positions.entries()) {
    for (const character of characters) if (has(set, character)) stateOf(position, character);
  }
  return { keys, stateOf };
}

function stepsOn(
  graph: Graph,
  paths: readonly Path[],
  before: number,
  after: number,
  stateOf: (position: number, character: number) => number,
): Transition[] {
  const counts = new Map<number, number>();
  for (const path of paths) {
    const set = path.to === undefined ? undefined : graph.positions[path.to]?.set;
    if (path.to === undefined || set === undefined || !has(set, after) || !fits(path, before, after)) continue;
    const to = stateOf(path.to, after);
    counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return [...counts].map(([to, count]) => ({ to, isTwofold: count > 1 }));
}

/**
 * States from which a match is found whatever follows: at each character there is an end, or a step to such a state.
 */
function neverFailing(
  steps: readonly (readonly (readonly Transition[])[])[],
  ends: readonly (readonly boolean[])[],
): boolean[] {
  const safe = steps.map(() => true);
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const [state, isSafe] of safe.entries()) {
      if (
        !isSafe ||
        (ends[state] ?? []).every(
          (isEnd, character) => isEnd || (steps[state]?.[character] ?? []).some(({ to }) => safe[to]),
        )
      )
        continue;
      safe[state] = false;
      hasChanged = true;
    }
  }
  return safe;
}
