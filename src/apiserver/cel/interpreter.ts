import type { ListItem, MapEntry, Node } from './ast.js';
import { TYPE_NAMES, qualifiedName, type Checked } from './checker.js';
import { FUNCTIONS, METHODS } from './function-table.js';
import { literalValue } from './literal-checks.js';
import { fits, type Overload, type CostMeter } from './overload.js';
import { keyName } from './functions/operators.js';
import {
  CelError,
  CelList,
  CelMap,
  Optional,
  TypeValue,
  mapFrom,
  mapKey,
  noSuchOverload,
  type CelValue,
} from './values.js';

/** The message that Kubernetes knows an exhausted budget by. */
export const OVER_BUDGET = 'operation cancelled: actual cost limit exceeded';

const ERROR_COST = 50;

/** Names and their values; a Map, or a loop's variables before the names outside of it. */
interface Scope {
  get(name: string): CelValue | undefined;
  has(name: string): boolean;
}

class LoopScope implements Scope {
  constructor(
    readonly outer: Scope,
    readonly names: readonly string[],
    readonly values: readonly CelValue[],
  ) {}

  get(name: string): CelValue | undefined {
    const index = this.names.indexOf(name);
    return index < 0 ? this.outer.get(name) : this.values[index];
  }

  has(name: string): boolean {
    return this.names.includes(name) || this.outer.has(name);
  }
}

/** Runs one checked expression. Every step costs; past the budget it stops with an error that nothing can absorb. */
export class Interpreter implements CostMeter {
  #spent = 0;

  constructor(
    readonly checked: Checked,
    readonly budget: number,
  ) {}

  get spent(): number {
    return Math.ceil(this.#spent);
  }

  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > this.budget) throw new CelError(OVER_BUDGET, true);
  }

  run(node: Node, scope: Scope): CelValue {
    switch (node.kind) {
      case 'literal':
        return literalValue(node.literal);
      case 'ident':
        return this.#ident(node.name, scope);
      case 'select':
        return this.#select(node, scope);
      case 'has':
        return this.#has(node, scope);
      case 'index':
        return this.#index(node, scope);
      case 'call':
        return this.#invoke(
          node,
          FUNCTIONS.get(node.name) ?? [],
          node.args.map((arg) => this.run(arg, scope)),
        );
      case 'method':
        return this.#method(node, scope);
      case 'list':
        return this.#list(node.items, scope);
      case 'map':
        return this.#map(node.entries, scope);
      case 'and':
        return this.#logic(node.left, node.right, false, scope);
      case 'or':
        return this.#logic(node.left, node.right, true, scope);
      case 'conditional':
        return this.#boolean(this.run(node.test, scope)) ? this.run(node.then, scope) : this.run(node.otherwise, scope);
      case 'loop':
        return this.#loop(node, scope);
      case 'optional-map':
        return this.#optionalMap(node, scope);
      default:
        return node satisfies never;
    }
  }

  #ident(name: string, scope: Scope): CelValue {
    this.spend(1);
    const value = scope.get(name);
    if (value !== undefined) return value;
    if (TYPE_NAMES.has(name)) return new TypeValue(name);
    throw new CelError(`no such attribute(s): ${name}`);
  }

  #select(node: Node & { kind: 'select' }, scope: Scope): CelValue {
    const qualified = qualifiedName(node);
    if (qualified !== undefined && TYPE_NAMES.has(qualified) && !scope.has(qualified.split('.')[0] ?? ''))
      return new TypeValue(qualified);
    this.spend(1);
    const of = this.run(node.of, scope);
    if (!node.optional && !(of instanceof Optional)) return field(of, node.field);
    const inside = of instanceof Optional ? of.value : of;
    if (inside === undefined) return Optional.none;
    if (!(inside instanceof CelMap)) throw noSuchOverload();
    return new Optional(inside.get(node.field));
  }

  #has(node: Node & { kind: 'has' }, scope: Scope): boolean {
    this.spend(1);
    const of = this.run(node.of, scope);
    const inside = of instanceof Optional ? of.value : of;
    if (inside === undefined) return false;
    if (!(inside instanceof CelMap)) throw noSuchOverload();
    return inside.get(node.field) !== undefined;
  }

  #index(node: Node & { kind: 'index' }, scope: Scope): CelValue {
    const of = this.run(node.of, scope);
    const key = this.run(node.key, scope);
    if (!(of instanceof Optional)) return this.#invoke(node, [], [of, key]);
    if (of.value === undefined) return Optional.none;
    const overloads = FUNCTIONS.get('_[?_]') ?? [];
    return this.#pick(overloads, [of.value, key]);
  }

  #method(node: Node & { kind: 'method' }, scope: Scope): CelValue {
    const candidates = this.checked.candidates.get(node) ?? [];
    const args = candidates.some((overload) => !overload.method) ? node.args : [node.of, ...node.args];
    return this.#invoke(
      node,
      METHODS.get(node.name) ?? [],
      args.map((arg) => this.run(arg, scope)),
    );
  }

  #invoke(node: Node, all: readonly Overload[], args: readonly CelValue[]): CelValue {
    return this.#pick(this.checked.candidates.get(node) ?? all, args);
  }

  #pick(overloads: readonly Overload[], args: readonly CelValue[]): CelValue {
    this.spend(1);
    const overload = overloads.find(
      ({ params }) => params.length === args.length && params.every((type, index) => fits(type, args[index] ?? null)),
    );
    if (overload === undefined) throw noSuchOverload();
    return overload.run(args, this);
  }

  #boolean(value: CelValue): boolean {
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value;
  }

  /** `deciding` settles the result alone; an error on one side counts only if the other does not settle it. */
  #logic(left: Node, right: Node, deciding: boolean, scope: Scope): CelValue {
    const first = this.#attempt(left, scope);
    if (first === deciding) return deciding;
    const second = this.#attempt(right, scope);
    if (second === deciding) return deciding;
    if (first instanceof CelError) throw first;
    if (second instanceof CelError) throw second;
    return !deciding;
  }

  #attempt(node: Node, scope: Scope): boolean | CelError {
    try {
      return this.#boolean(this.run(node, scope));
    } catch (error) {
      if (!(error instanceof CelError) || error.fatal) throw error;
      // An error costs far more time than a step; its price keeps the budget honest.
      this.spend(ERROR_COST);
      return error;
    }
  }

  #list(items: readonly ListItem[], scope: Scope): CelList {
    this.spend(10);
    const values: CelValue[] = [];
    for (const item of items) {
      const value = this.run(item.value, scope);
      if (!item.optional) values.push(value);
      else if (value instanceof Optional && value.value !== undefined) values.push(value.value);
    }
    return CelList.of(values);
  }

  #map(entries: readonly MapEntry[], scope: Scope): CelMap {
    this.spend(30);
    const pairs: [CelValue, CelValue][] = [];
    const seen = new Set<string>();
    for (const entry of entries) {
      const key = this.run(entry.key, scope);
      const value = this.run(entry.value, scope);
      const known = mapKey(key);
      if (seen.has(known)) throw new CelError(`Failed with repeated key`);
      seen.add(known);
      if (!entry.optional) pairs.push([key, value]);
      else if (value instanceof Optional && value.value !== undefined) pairs.push([key, value.value]);
    }
    return mapFrom(pairs);
  }

  #loop(node: Node & { kind: 'loop' }, scope: Scope): CelValue {
    const range = this.run(node.range, scope);
    const results: Outcome = { error: undefined, count: 0, items: [], pairs: [] };
    for (const vars of this.#steps(range, node.vars.length)) {
      this.spend(1);
      const inner = new LoopScope(scope, node.vars, vars);
      if (node.filter !== undefined && !this.#boolean(this.run(node.filter, inner))) continue;
      if (this.#step(node, inner, vars, results) === 'stop') return node.macro === 'exists';
    }
    return this.#outcome(node, results);
  }

  *#steps(range: CelValue, count: number): Iterable<readonly CelValue[]> {
    if (range instanceof CelList) {
      for (let index = 0; index < range.size; index++)
        yield count === 1 ? [range.at(index)] : [BigInt(index), range.at(index)];
    } else if (range instanceof CelMap) {
      for (const key of range.keys()) yield count === 1 ? [key] : [key, range.get(key) ?? null];
    } else throw noSuchOverload();
  }

  #step(node: Node & { kind: 'loop' }, inner: Scope, vars: readonly CelValue[], results: Outcome): 'stop' | 'next' {
    switch (node.macro) {
      case 'all':
      case 'exists': {
        const held = this.#attempt(node.body, inner);
        if (held === (node.macro === 'exists')) return 'stop';
        if (held instanceof CelError) results.error ??= held;
        return 'next';
      }
      case 'existsOne':
        if (this.#boolean(this.run(node.body, inner))) results.count++;
        return 'next';
      case 'filter':
        if (this.#boolean(this.run(node.body, inner))) results.items.push(vars[0] ?? null);
        return 'next';
      case 'map':
      case 'transformList':
        results.items.push(this.run(node.body, inner));
        return 'next';
      case 'transformMap':
        results.pairs.push([vars[0] ?? null, this.run(node.body, inner)]);
        return 'next';
      case 'transformMapEntry': {
        const entry = this.run(node.body, inner);
        if (!(entry instanceof CelMap)) throw noSuchOverload();
        for (const key of entry.keys()) this.#insert(results, key, entry.get(key) ?? null);
        return 'next';
      }
      default:
        return node.macro satisfies never;
    }
  }

  #insert(results: Outcome, key: CelValue, value: CelValue): void {
    const known = mapKey(key);
    results.seen ??= new Set();
    if (results.seen.has(known)) throw new CelError(`insert failed: key ${keyName(key)} already exists`);
    results.seen.add(known);
    results.pairs.push([key, value]);
  }

  #outcome(node: Node & { kind: 'loop' }, { error, count, items, pairs }: Outcome): CelValue {
    if (error !== undefined) throw error;
    switch (node.macro) {
      case 'all':
        return true;
      case 'exists':
        return false;
      case 'existsOne':
        return count === 1;
      case 'transformMap':
      case 'transformMapEntry':
        return mapFrom(pairs);
      default:
        return CelList.of(items);
    }
  }

  #optionalMap(node: Node & { kind: 'optional-map' }, scope: Scope): CelValue {
    const of = this.run(node.of, scope);
    if (!(of instanceof Optional)) throw noSuchOverload();
    if (of.value === undefined) return Optional.none;
    const body = this.run(node.body, new LoopScope(scope, [node.name], [of.value]));
    return node.flat ? body : new Optional(body);
  }
}

interface Outcome {
  error: CelError | undefined;
  count: number;
  readonly items: CelValue[];
  readonly pairs: [CelValue, CelValue][];
  seen?: Set<string>;
}

function field(of: CelValue, name: string): CelValue {
  if (!(of instanceof CelMap)) throw noSuchOverload();
  const value = of.get(name);
  if (value === undefined) throw new CelError(`no such key: ${name}`);
  return value;
}
