import { type Literal, type Table, type Value } from './value.js';

/** What a path through the script has learned about a place. */
export interface Fact {
  readonly nil?: boolean;
  readonly truthy?: boolean;
  readonly equals?: Literal;
  readonly differs?: ReadonlySet<Literal>;
  /** Outcomes of other tests, such as `>0`, so that the same test gives the same answer again. */
  readonly tests?: ReadonlyMap<string, boolean>;
}

/**
 * One path through the script so far: what variables hold and what its tests have shown. Never changed, only replaced.
 */
export class State {
  #valuation: string | undefined;

  constructor(
    readonly cells: ReadonlyMap<string, Value>,
    readonly tables: ReadonlyMap<string, Table>,
    readonly facts: ReadonlyMap<string, Fact>,
  ) {}

  withCell(key: string, value: Value): State {
    return new State(new Map(this.cells).set(key, value), this.tables, this.facts);
  }

  withoutCells(keys: Iterable<string>): State {
    const cells = new Map(this.cells);
    for (const key of keys) cells.delete(key);
    return new State(cells, this.tables, this.facts);
  }

  withTable(id: string, table: Table): State {
    return new State(this.cells, new Map(this.tables).set(id, table), this.facts);
  }

  withFact(key: string, more: Fact): State {
    return new State(this.cells, this.tables, new Map(this.facts).set(key, { ...this.facts.get(key), ...more }));
  }

  /** Forgets a place and everything below it. */
  withoutFacts(key: string): State {
    const facts = new Map(
      [...this.facts].filter(([other]) => !(other === key || other.startsWith(`${key}.`) || other === `#${key}`)),
    );
    return facts.size === this.facts.size ? this : new State(this.cells, this.tables, facts);
  }

  /** Text that is equal for two states whose variables hold the same; facts do not count. */
  get valuation(): string {
    return (this.#valuation ??= this.#describeCells());
  }

  #describeCells(): string {
    const seen = new Map<string, string>();
    const parts = [...this.cells]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}=${this.#describe(value, seen)}`);
    return parts.join(';');
  }

  #describe(value: Value, seen: Map<string, string>): string {
    switch (value.kind) {
      case 'nil':
        return 'nil';
      case 'text':
        return 'text';
      case 'literal':
        return JSON.stringify(value.value);
      case 'place':
        return value.place.key;
      case 'builtin':
        return `builtin ${value.name}`;
      case 'function':
        return `function ${value.node.loc?.start.line ?? 0}:${value.node.loc?.start.column ?? 0}`;
      case 'table':
        return this.#describeTable(value.id, seen);
      default:
        return value satisfies never;
    }
  }

  #describeTable(id: string, seen: Map<string, string>): string {
    const known = seen.get(id);
    if (known !== undefined) return known;
    seen.set(id, `table ${id}`);
    const table = this.tables.get(id);
    if (table === undefined) return `table ${id}`;
    const fields = [...table.fields]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}:${this.#describe(value, seen)}`);
    return `{${id} ${table.isOpen ? 'open ' : ''}${fields.join(',')}}`;
  }
}

export const START = new State(new Map(), new Map(), new Map());

/** So many paths at one point are kept apart whatever they hold: what each knows stays exact. */
const FEW_PATHS = 3;
/** Above this many paths at one point, they are thinned out. */
const MAX_PATHS = 200;

/** One state for all that agree on every variable; it knows what they all know. */
export function mergeStates(states: readonly State[], onOverflow: () => void): State[] {
  if (states.length <= FEW_PATHS) return [...new Set(states)];
  const byValuation = new Map<string, State>();
  for (const state of states) {
    const other = byValuation.get(state.valuation);
    byValuation.set(state.valuation, other === undefined ? state : meet(other, state));
  }
  const merged = [...byValuation.values()];
  if (merged.length <= MAX_PATHS) return merged;
  onOverflow();
  return merged.slice(0, MAX_PATHS);
}

/** What two paths with the same variables both know. */
export function meet(a: State, b: State): State {
  if (a === b || a.facts === b.facts) return a;
  const facts = new Map<string, Fact>();
  for (const [key, fact] of a.facts) {
    const other = b.facts.get(key);
    if (other === undefined) continue;
    const common = meetFacts(fact, other);
    if (common !== undefined) facts.set(key, common);
  }
  return new State(a.cells, a.tables, facts);
}

function meetFacts(a: Fact, b: Fact): Fact | undefined {
  if (a === b) return a;
  const common: { -readonly [Name in keyof Fact]: Fact[Name] } = {};
  if (a.nil !== undefined && a.nil === b.nil) common.nil = a.nil;
  if (a.truthy !== undefined && a.truthy === b.truthy) common.truthy = a.truthy;
  if (a.equals !== undefined && a.equals === b.equals) common.equals = a.equals;
  const differs = new Set([...excluded(a, b), ...excluded(b, a)]);
  if (differs.size > 0) common.differs = differs;
  const tests = new Map([...(a.tests ?? [])].filter(([name, outcome]) => b.tests?.get(name) === outcome));
  if (tests.size > 0) common.tests = tests;
  return Object.keys(common).length === 0 ? undefined : common;
}

/** Literals that `a` excludes and that cannot hold in `b` either. */
function excluded(a: Fact, b: Fact): Literal[] {
  return [...(a.differs ?? [])].filter(
    (value) => b.differs?.has(value) === true || (b.equals !== undefined && b.equals !== value) || b.nil === true,
  );
}

/** How much a state knows; it only ever shrinks when states meet, which ends loops. */
export function knowledge(state: State): number {
  let size = 0;
  for (const fact of state.facts.values())
    size += 1 + Object.keys(fact).length + (fact.differs?.size ?? 0) + (fact.tests?.size ?? 0);
  return size;
}
