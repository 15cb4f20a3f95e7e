import { automatonOf, type Automaton, type State } from './automaton.js';
import { parseRegex, type RegexNode } from './parse-regex.js';

export interface Ambiguity {
  readonly growth: 'exponential' | 'polynomial';
  /** The part of the pattern that can read the same text in several ways. */
  readonly part: string;
  /** A text that, repeated and then followed by something unfitting, is read again and again. */
  readonly repeated: string;
}

/** A search from every start meets the same text again: the part then is what those searches read. */
type Steps = readonly (readonly (readonly { readonly to: number; readonly isTwofold: boolean }[])[])[];

/** The first part of a pattern on which a backtracking engine can need more than linear time, if there is one. */
export function findAmbiguity(pattern: string, flags = ''): Ambiguity | undefined {
  const node = parseRegex(pattern, flags);
  const empty = emptyRounds(node) ?? lookBehind(node);
  if (empty !== undefined) return { ...empty, part: pattern.slice(empty.span.start, empty.span.end) };
  const automaton = automatonOf(node, flags.includes('y'));
  const steps = failingSteps(automaton);
  const groups = componentsOf(steps.map((byCharacter) => byCharacter.flat().map(({ to }) => to)));
  return exponential(automaton, steps, groups, pattern) ?? polynomial(automaton, steps, groups, pattern);
}

interface Plain {
  readonly growth: Ambiguity['growth'];
  readonly repeated: string;
  readonly span: RegexNode;
}

/** `(a?){50}`: every round may be the empty one. */
function emptyRounds(node: RegexNode): Plain | undefined {
  if (node.kind === 'repeat' && node.least > 4 && node.most !== Infinity && isNullable(node.body))
    return { growth: 'exponential', repeated: '', span: node };
  return childrenOf(node)
    .map(emptyRounds)
    .find((found) => found !== undefined);
}

/** An endless part behind which a place must lie is read backwards at every place. */
function lookBehind(node: RegexNode): Plain | undefined {
  if (node.kind === 'look' && !node.isAhead && hasEndless(node.body))
    return { growth: 'polynomial', repeated: '', span: node };
  return childrenOf(node)
    .map(lookBehind)
    .find((found) => found !== undefined);
}

function childrenOf(node: RegexNode): readonly RegexNode[] {
  if (node.kind === 'sequence' || node.kind === 'choice') return node.items;
  return node.kind === 'repeat' || node.kind === 'look' ? [node.body] : [];
}

const hasEndless = (node: RegexNode): boolean =>
  (node.kind === 'repeat' && node.most === Infinity) || childrenOf(node).some(hasEndless);

function isNullable(node: RegexNode): boolean {
  if (node.kind === 'set') return false;
  if (node.kind === 'repeat') return node.least === 0 || isNullable(node.body);
  if (node.kind === 'choice') return node.items.some(isNullable);
  return node.kind === 'sequence' ? node.items.every(isNullable) : true;
}

/** Where a match is certain nobody comes back: only steps between the other states can be repeated in vain. */
function failingSteps({ states }: Automaton): Steps {
  return states.map(({ steps, neverFails }) =>
    steps.map((onCharacter) => (neverFails ? [] : onCharacter.filter(({ to }) => states[to]?.neverFails === false))),
  );
}

/** Two ways around from a state to itself by the same text: each round doubles the work. */
function exponential(
  automaton: Automaton,
  steps: Steps,
  groups: readonly number[],
  pattern: string,
): Ambiguity | undefined {
  for (const [state, byCharacter] of steps.entries()) {
    for (const [character, onCharacter] of byCharacter.entries()) {
      const twofold = onCharacter.find(({ to, isTwofold }) => isTwofold && groups[to] === groups[state]);
      if (twofold !== undefined) return describe('exponential', automaton, pattern, [state, twofold.to], [character]);
    }
    const word = wordBetween([state, state], [state, state], steps, groups, true);
    if (word !== undefined) return describe('exponential', automaton, pattern, [state], word);
  }
  return undefined;
}

/**
 * One state left for another, and both stay where they are by the same text: where the text is cut between them is
 * free.
 */
function polynomial(
  automaton: Automaton,
  steps: Steps,
  groups: readonly number[],
  pattern: string,
): Ambiguity | undefined {
  const inCircle = steps.map((byCharacter, state) => byCharacter.flat().some(({ to }) => groups[to] === groups[state]));
  const reach = reachable(steps);
  for (const [first, canRepeat] of inCircle.entries()) {
    if (!canRepeat) continue;
    for (const second of reach[first] ?? []) {
      if (inCircle[second] !== true || groups[second] === groups[first]) continue;
      const word = wordBetween([first, first, second], [first, second, second], steps, groups, false);
      if (word !== undefined) return describe('polynomial', automaton, pattern, [first, second], word);
    }
  }
  return undefined;
}

/**
 * The shortest text that leads from all states of `from` to those of `to` at once. The first and last stay in their
 * circle. With `mustPart`, the states must have been different on the way.
 */
function wordBetween(
  from: readonly number[],
  to: readonly number[],
  steps: Steps,
  groups: readonly number[],
  mustPart: boolean,
): number[] | undefined {
  const queue: { at: readonly number[]; word: readonly number[]; hasParted: boolean }[] = [
    { at: from, word: [], hasParted: false },
  ];
  const seen = new Set<string>();
  const goal = to.join(' ');
  for (const { at, word, hasParted } of queue) {
    const choices = (place: number, character: number): number[] => {
      const next = (steps[at[place] ?? 0]?.[character] ?? []).map((step) => step.to);
      const isKept = place !== 1 || at.length === 2;
      return isKept ? next.filter((state) => groups[state] === groups[from[place] ?? 0]) : next;
    };
    for (const character of steps[at[0] ?? 0]?.keys() ?? []) {
      for (const next of product(at.map((_, place) => choices(place, character)))) {
        const parted = hasParted || next[0] !== next[1];
        const key = `${next.join(' ')} ${parted}`;
        if (next.join(' ') === goal && (!mustPart || parted)) return [...word, character];
        if (!seen.has(key)) queue.push({ at: next, word: [...word, character], hasParted: parted });
        seen.add(key);
      }
    }
  }
  return undefined;
}

function product(lists: readonly (readonly number[])[]): number[][] {
  return lists.reduce<number[][]>((all, list) => all.flatMap((start) => list.map((item) => [...start, item])), [[]]);
}

function reachable(steps: Steps): number[][] {
  return steps.map((_, start) => {
    const found = new Set([start]);
    for (const state of found) for (const { to } of steps[state]?.flat() ?? []) found.add(to);
    return [...found];
  });
}

/** The number of the circle that each state belongs to: states of one number reach each other. */
function componentsOf(next: readonly (readonly number[])[]): number[] {
  const forward = next.map((_, start) => {
    const found = new Set<number>([start]);
    for (const state of found) for (const to of next[state] ?? []) found.add(to);
    return found;
  });
  return next.map((_, state) =>
    next.findIndex((__, other) => forward[state]?.has(other) === true && forward[other]?.has(state) === true),
  );
}

function describe(
  growth: Ambiguity['growth'],
  { states, characters }: Automaton,
  pattern: string,
  places: readonly number[],
  word: readonly number[],
): Ambiguity {
  const spans = places
    .map((place) => states[place]?.span)
    .filter((span): span is NonNullable<State['span']> => span !== undefined);
  const part = pattern.slice(Math.min(...spans.map(({ start }) => start)), Math.max(...spans.map(({ end }) => end)));
  return { growth, part, repeated: String.fromCodePoint(...word.map((character) => characters[character] ?? 0)) };
}
