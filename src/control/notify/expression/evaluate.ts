import { Fault } from '../../../model/faults/index.js';
import { own } from '../../../model/json/index.js';
import { applyPredicate, PLAIN, takesPredicate } from './builtins.js';
import { methodOf } from './methods.js';
import type { Node } from './node.js';
import { applyBinary, applyUnary, truth } from './operators.js';
import { Callable, isList, isMap, Namespace, numberOf, typeName, expressionFault, type Value } from './value.js';

/** More steps than this are a loop in disguise. */
const MAX_STEPS = 200_000;

/** The value of an expression for these variables; a Fault if it has none. Unknown names are nil. */
export function evaluate(node: Node, variables: ReadonlyMap<string, Value>): Value {
  try {
    return new Evaluation(variables).value(node);
  } catch (error) {
    // Errors of libraries, such as a bad pattern or time, are mistakes of the user too.
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    throw new Fault('VALUE_INVALID', error.message, { cause: error });
  }
}

/** Ends a chain at an optional member that is nil. */
const NOTHING = Symbol('nothing');

class Evaluation {
  #steps = 0;
  readonly #items: Value[] = [];

  constructor(private readonly variables: ReadonlyMap<string, Value>) {}

  value(node: Node): Value {
    const found = this.#find(node);
    return found === NOTHING ? null : found;
  }

  #find(node: Node): Value | typeof NOTHING {
    if (++this.#steps > MAX_STEPS) throw expressionFault('the expression takes too long');
    switch (node.kind) {
      case 'value':
        return node.value;
      case 'name':
        return this.variables.get(node.name) ?? null;
      case 'item':
        return this.#items.at(-1) ?? null;
      case 'list':
        return node.items.map((item) => this.value(item));
      case 'map':
        return this.#map(node.entries);
      case 'unary':
        return applyUnary(node.sign, this.value(node.of));
      case 'binary':
        return this.#binary(node.sign, node.left, node.right);
      case 'choice':
        return this.value(truth(this.value(node.test)) ? node.yes : node.no);
      case 'chain':
        return this.value(node.of);
      case 'member':
        return this.#member(node);
      case 'slice':
        return this.#slice(node);
      case 'call':
        return this.#call(node.of, node.args);
      case 'builtin':
        return this.#builtin(node.name, node.args);
      default:
        return node satisfies never;
    }
  }

  #map(entries: readonly (readonly [Node, Node])[]): Value {
    return new Namespace(new Map(entries.map(([key, value]) => [String(this.value(key)), this.value(value)])));
  }

  #binary(sign: string, left: Node, right: Node): Value {
    const first = this.value(left);
    if (sign === 'and' || sign === '&&') return truth(first) && truth(this.value(right));
    if (sign === 'or' || sign === '||') return truth(first) || truth(this.value(right));
    if (sign === '??') return first ?? this.value(right);
    return applyBinary(sign, first, this.value(right));
  }

  #member({ of, key, isOptional }: Extract<Node, { kind: 'member' }>): Value | typeof NOTHING {
    const object = this.#find(of);
    if (object === NOTHING || (object === null && isOptional)) return NOTHING;
    return fetch(object, this.value(key));
  }

  #slice({ of, from, to }: Extract<Node, { kind: 'slice' }>): Value | typeof NOTHING {
    const whole = this.#find(of);
    if (whole === NOTHING) return whole;
    if (!isList(whole) && typeof whole !== 'string') throw expressionFault(`cannot slice ${typeName(whole)}`);
    const bound = (node: Node | undefined): number | undefined =>
      node === undefined ? undefined : numberOf(this.value(node));
    return whole.slice(bound(from), bound(to));
  }

  #call(of: Node, args: readonly Node[]): Value | typeof NOTHING {
    const callee = this.#find(of);
    if (callee === NOTHING) return callee;
    if (!(callee instanceof Callable))
      throw expressionFault(callee === null ? 'cannot call nil' : `${typeName(callee)} is not a function`);
    return callee.call(args.map((arg) => this.value(arg)));
  }

  #builtin(name: string, args: readonly Node[]): Value {
    const [list, predicate] = args;
    if (!takesPredicate(name)) return PLAIN.get(name)?.(args.map((arg) => this.value(arg))) ?? null;
    if (list === undefined || predicate === undefined) throw expressionFault(`not enough arguments to call ${name}`);
    return applyPredicate(name, this.value(list), (item) => {
      this.#items.push(item);
      const answer = this.value(predicate);
      this.#items.pop();
      return answer;
    });
  }
}

function fetch(object: Value, key: Value): Value {
  if (object === null) throw expressionFault(`cannot fetch ${String(key)} from <nil>`);
  if (object instanceof Namespace) return object.members.get(String(key)) ?? null;
  if (isList(object)) return element(object, key);
  if (isMap(object)) return typeof key === 'string' ? (own(object, key) ?? null) : null;
  const method = typeof key === 'string' ? methodOf(object, key) : undefined;
  if (method === undefined) throw expressionFault(`cannot fetch ${String(key)} from ${typeName(object)}`);
  return method;
}

function element(list: readonly Value[], key: Value): Value {
  const index = numberOf(key);
  if (index === undefined) throw expressionFault(`cannot fetch ${String(key)} from []interface {}`);
  const at = index < 0 ? list.length + index : index;
  if (at < 0 || at >= list.length)
    throw expressionFault(`index out of range: ${index} (array length is ${list.length})`);
  return list[at] ?? null;
}
