import type { Macro, Node } from './ast.js';
import { FUNCTIONS, METHODS } from './function-table.js';
import { checkLiterals, type LiteralError } from './literal-checks.js';
import type { Overload } from './overload.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  UINT,
  assignable,
  join,
  listOf,
  mapOf,
  optionalOf,
  param,
  substitute,
  typeOf,
  typeText,
  type Bindings,
  type CelType,
} from './types.js';

/**
 * What checking found: the result type, the overloads each call may use, which variables are read, and what is wrong.
 */
export interface Checked {
  readonly type: CelType;
  readonly candidates: ReadonlyMap<Node, readonly Overload[]>;
  readonly uses: ReadonlySet<string>;
  readonly issues: readonly LiteralError[];
}

type Scope = ReadonlyMap<string, CelType>;

const LITERALS: ReadonlyMap<string, CelType> = new Map([
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['bool', BOOL],
  ['null', NULL],
]);

/** Names of types that an expression may use as values: type(x) == int. */
export const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map([
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['string', STRING],
  ['bytes', BYTES],
  ['bool', BOOL],
  ['null_type', NULL],
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['type', typeOf(DYN)],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  ['optional_type', optionalOf(DYN)],
]);

const BOOL_MACROS: ReadonlySet<Macro> = new Set(['all', 'exists', 'existsOne', 'filter']);

export function check(node: Node, variables: Scope): Checked {
  const checker = new Checker(variables);
  const type = checker.check(node, variables);
  if (checker.issues.length === 0) checker.issues.push(...checkLiterals(node));
  return { type, candidates: checker.candidates, uses: checker.uses, issues: checker.issues };
}

class Checker {
  readonly candidates = new Map<Node, readonly Overload[]>();
  readonly uses = new Set<string>();
  readonly issues: LiteralError[] = [];
  #free = 0;
  /** Inside of format's arguments lists may mix types. */
  #mixed = false;

  constructor(readonly variables: Scope) {}

  #fail(at: number, message: string): CelType {
    this.issues.push({ at, message });
    return ERROR;
  }

  check(node: Node, scope: Scope): CelType {
    switch (node.kind) {
      case 'literal':
        return LITERALS.get(node.literal.type) ?? DYN;
      case 'ident':
        return this.#ident(node.name, node.at, scope);
      case 'select':
        return this.#select(node, scope);
      case 'has':
        return this.#has(node, scope);
      case 'index':
        return this.#resolve(
          node,
          node.optional ? '_[?_]' : '_[_]',
          FUNCTIONS.get(node.optional ? '_[?_]' : '_[_]') ?? [],
          [this.#container(node.of, scope), this.check(node.key, scope)],
        );
      case 'call':
        return this.#call(node, scope);
      case 'method':
        return this.#method(node, scope);
      case 'list':
        return this.#list(node, scope);
      case 'map':
        return this.#map(node, scope);
      case 'and':
      case 'or':
        return this.#logic(node, scope);
      case 'conditional':
        return this.#conditional(node, scope);
      case 'loop':
        return this.#loop(node, scope);
      case 'optional-map':
        return this.#optionalMap(node, scope);
      default:
        return node satisfies never;
    }
  }

  #ident(name: string, at: number, scope: Scope): CelType {
    const type = scope.get(name);
    if (type !== undefined) {
      if (this.variables.get(name) === type) this.uses.add(name);
      return type;
    }
    const named = TYPE_NAMES.get(name);
    return named === undefined ? this.#fail(at, `undeclared reference to '${name}' (in container '')`) : typeOf(named);
  }

  /** An index on an optional looks inside it. */
  #container(node: Node, scope: Scope): CelType {
    const type = this.check(node, scope);
    return type.kind === 'optional' ? type.of : type;
  }

  #field(of: CelType, field: string, at: number): CelType {
    if (of.kind === 'dyn' || of.kind === 'error' || of.kind === 'param') return DYN;
    if (of.kind === 'map') return of.value;
    if (of.kind === 'object') return of.fields.get(field)?.type ?? this.#fail(at, `undefined field '${field}'`);
    return this.#fail(at, `type '${typeText(of)}' does not support field selection`);
  }

  #select(node: Node & { kind: 'select' }, scope: Scope): CelType {
    const qualified = qualifiedName(node);
    if (qualified !== undefined && TYPE_NAMES.has(qualified) && !scope.has(qualified.split('.')[0] ?? ''))
      return typeOf(TYPE_NAMES.get(qualified) ?? DYN);
    const of = this.check(node.of, scope);
    const field = this.#field(of.kind === 'optional' ? of.of : of, node.field, node.at);
    return node.optional || of.kind === 'optional' ? optionalOf(field) : field;
  }

  #has(node: Node & { kind: 'has' }, scope: Scope): CelType {
    const of = this.#container(node.of, scope);
    this.#field(of, node.field, node.at);
    return BOOL;
  }

  #call(node: Node & { kind: 'call' }, scope: Scope): CelType {
    const args = node.args.map((arg) => this.check(arg, scope));
    const overloads = FUNCTIONS.get(node.name) ?? (METHODS.has(node.name) ? [] : undefined);
    if (overloads === undefined) return this.#fail(node.at, `undeclared reference to '${node.name}' (in container '')`);
    return this.#resolve(node, node.name, overloads, args);
  }

  #method(node: Node & { kind: 'method' }, scope: Scope): CelType {
    const receiver = qualifiedName(node.of);
    const global =
      receiver === undefined || scope.has(receiver.split('.')[0] ?? '')
        ? undefined
        : FUNCTIONS.get(`${receiver}.${node.name}`);
    if (global !== undefined)
      return this.#resolve(
        node,
        `${receiver ?? ''}.${node.name}`,
        global,
        node.args.map((arg) => this.check(arg, scope)),
      );
    const mixed = this.#mixed;
    this.#mixed ||= node.name === 'format';
    const args = [node.of, ...node.args].map((arg) => this.check(arg, scope));
    this.#mixed = mixed;
    const overloads = METHODS.get(node.name) ?? (FUNCTIONS.has(node.name) ? [] : undefined);
    if (overloads === undefined) return this.#fail(node.at, `undeclared reference to '${node.name}' (in container '')`);
    return this.#resolve(node, node.name, overloads, args, true);
  }

  #resolve(
    node: Node,
    name: string,
    overloads: readonly Overload[],
    args: readonly CelType[],
    instance = false,
  ): CelType {
    if (args.some((arg) => arg.kind === 'error')) {
      this.candidates.set(node, overloads);
      return ERROR;
    }
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      const bindings: Bindings = new Map();
      if (
        overload.params.length !== args.length ||
        !overload.params.every((wanted, index) => assignable(wanted, args[index] ?? DYN, bindings))
      )
        continue;
      const type = substitute(overload.result, bindings);
      result = result === undefined || sameType(result, type) ? (result ?? type) : DYN;
      found.push(overload);
    }
    this.candidates.set(node, found);
    if (result !== undefined) return result;
    const [first, ...rest] = args.map(typeText);
    const signature = instance ? `${first ?? ''}.(${rest.join(', ')})` : `(${args.map(typeText).join(', ')})`;
    return this.#fail(node.at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  #list(node: Node & { kind: 'list' }, scope: Scope): CelType {
    let of: CelType = param(`free${this.#free++}`);
    for (const item of node.items) {
      const type = this.check(item.value, scope);
      of = this.#mix(of, item.optional && type.kind === 'optional' ? type.of : type, item.value.at);
    }
    return listOf(of);
  }

  /** Literals must not mix types. */
  #mix(so: CelType, next: CelType, at: number): CelType {
    const joined = join(so, next);
    if (
      !this.#mixed &&
      joined.kind === 'dyn' &&
      so.kind !== 'dyn' &&
      next.kind !== 'dyn' &&
      so.kind !== 'error' &&
      next.kind !== 'error'
    ) {
      return this.#fail(at, `expected type '${typeText(so)}' but found '${typeText(next)}'`);
    }
    return joined;
  }

  #map(node: Node & { kind: 'map' }, scope: Scope): CelType {
    let key: CelType = param(`free${this.#free++}`);
    let value: CelType = param(`free${this.#free++}`);
    for (const entry of node.entries) {
      key = this.#mix(key, this.check(entry.key, scope), entry.key.at);
      const type = this.check(entry.value, scope);
      value = this.#mix(value, entry.optional && type.kind === 'optional' ? type.of : type, entry.value.at);
    }
    return mapOf(key, value);
  }

  #logic(node: Node & { kind: 'and' | 'or' }, scope: Scope): CelType {
    const types = [this.check(node.left, scope), this.check(node.right, scope)];
    if (types.every((type) => assignable(BOOL, type))) return BOOL;
    return this.#fail(
      node.at,
      `found no matching overload for '_${node.kind === 'and' ? '&&' : '||'}_' applied to ` +
        `'(${types.map(typeText).join(', ')})'`,
    );
  }

  #conditional(node: Node & { kind: 'conditional' }, scope: Scope): CelType {
    const types = [
      this.check(node.test, scope),
      this.check(node.then, scope),
      this.check(node.otherwise, scope),
    ] as const;
    const [test, then, otherwise] = types;
    const joined = join(then, otherwise);
    const mixed =
      joined.kind === 'dyn' && ![then.kind, otherwise.kind].some((kind) => kind === 'dyn' || kind === 'error');
    if (!mixed && assignable(BOOL, test)) return joined;
    return this.#fail(
      node.at,
      `found no matching overload for '_?_:_' applied to '(${types.map(typeText).join(', ')})'`,
    );
  }

  #loop(node: Node & { kind: 'loop' }, scope: Scope): CelType {
    const range = this.check(node.range, scope);
    const inner = new Map(scope);
    const names = rangeTypes(range, node.vars.length);
    if (names === undefined) {
      this.#fail(
        node.range.at,
        `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
      );
    }
    node.vars.forEach((name, index) => inner.set(name, names?.[index] ?? ERROR));
    if (node.filter !== undefined) this.#boolean(node.filter, inner);
    const body = BOOL_MACROS.has(node.macro) ? this.#boolean(node.body, inner) : this.check(node.body, inner);
    switch (node.macro) {
      case 'map':
      case 'transformList':
        return listOf(body);
      case 'filter':
        if (range.kind === 'list') return range;
        return listOf(range.kind === 'map' ? range.key : DYN);
      case 'transformMap':
        return mapOf(node.vars.length > 0 ? (names?.[0] ?? DYN) : DYN, body);
      case 'transformMapEntry':
        return body;
      default:
        return BOOL;
    }
  }

  #boolean(node: Node, scope: Scope): CelType {
    const type = this.check(node, scope);
    return assignable(BOOL, type) ? BOOL : this.#fail(node.at, `expected type 'bool' but found '${typeText(type)}'`);
  }

  #optionalMap(node: Node & { kind: 'optional-map' }, scope: Scope): CelType {
    const of = this.check(node.of, scope);
    const inner = new Map(scope).set(node.name, of.kind === 'optional' ? of.of : DYN);
    const body = this.check(node.body, inner);
    return node.flat ? body : optionalOf(body);
  }
}

/** The types of a loop's variables: elements of a list, keys of a map, or index and value of both. */
function rangeTypes(range: CelType, count: number): CelType[] | undefined {
  if (range.kind === 'dyn' || range.kind === 'error' || range.kind === 'param') return Array<CelType>(count).fill(DYN);
  if (range.kind === 'list') return count === 1 ? [range.of] : [INT, range.of];
  if (range.kind === 'map') return count === 1 ? [range.key] : [range.key, range.value];
  return undefined;
}

const sameType = (a: CelType, b: CelType): boolean => typeText(a) === typeText(b);

/** `a.b.c` as one name, where a node is nothing but names. */
export function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.optional) return undefined;
  const of = qualifiedName(node.of);
  return of === undefined ? undefined : `${of}.${node.field}`;
}
