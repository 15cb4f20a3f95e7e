import type { Compiler } from './compile-scope.js';
import { canBeNil, isAssignable, isSignedKind, isUnsignedKind, type GoType } from '../value/go-type.js';
import { nodeText } from '../parse/node-text.js';
import type { BoolNode, NumberNode, Operand, StringNode } from '../parse/node.js';
import type { Eval, State, Val } from './state.js';
import { GoComplex, plainOf, typeOf, withType, type GoValue } from '../value/go-value.js';

type Literal = BoolNode | StringNode | NumberNode;

export function compileArgument(compiler: Compiler, node: Operand, type: GoType | undefined): Eval {
  switch (node.kind) {
    case 'dot':
      return (state, dot) => {
        state.node = node;
        state.isBoxed = state.isDotBoxed;
        return fitted(state, dot, type);
      };
    case 'nil':
      return nilArgument(node, type);
    case 'pipe': {
      const pipe = compiler.pipeline(node);
      return (state, dot) => {
        state.node = node;
        return fitted(state, pipe(state, dot), type);
      };
    }
    case 'bool':
    case 'string':
    case 'number':
      return type === undefined ? unfit(node, '') : literalArgument(node, type);
    default: {
      const stage = compiler.stage([node], node, false);
      return (state, dot) => {
        state.node = node;
        return fitted(state, stage(state, dot, undefined), type);
      };
    }
  }
}

function nilArgument(node: Operand, type: GoType | undefined): Eval {
  if (type === undefined || !canBeNil(type)) return unfit(node, `cannot assign nil to ${type?.name ?? ''}`);
  const zero = type.kind === 'reflect' ? undefined : null;
  return (state) => {
    state.node = node;
    state.isBoxed = false;
    return zero;
  };
}

function unfit(node: Operand, message: string): Eval {
  return (state) => {
    state.node = node;
    return state.fail(message);
  };
}

/** A value as a function's parameter takes it; fails where it has another type. */
export function fitted(state: State, value: Val, type: GoType | undefined): Val {
  if (type === undefined || type.kind === 'reflect') return value;
  if (value === undefined) {
    if (!canBeNil(type)) state.fail(`invalid value; expected ${type.name}`);
    return null;
  }
  if (type.kind === 'interface') return value;
  if (value === null) return state.fail(`wrong type for value; expected ${type.name}; got interface {}`);
  if (isAssignable(typeOf(value), type)) return plainOf(value);
  return state.fail(`wrong type for value; expected ${type.name}; got ${typeOf(value).name}`);
}

function literalArgument(node: Literal, type: GoType): Eval {
  if (type.kind === 'interface' || type.kind === 'reflect') return constant(node);
  const value = typedLiteral(node, type);
  if (value === undefined) return unfit(node, mismatchText(node, type));
  return (state) => {
    state.node = node;
    state.isBoxed = false;
    return value;
  };
}

function typedLiteral(node: Literal, { kind }: GoType): GoValue | undefined {
  if (kind === 'bool') return node.kind === 'bool' ? node.value : undefined;
  if (kind === 'string') return node.kind === 'string' ? node.value : undefined;
  if (node.kind !== 'number') return undefined;
  const { int, uint, float, complex } = node.value;
  if (isSignedKind(kind)) return int;
  if (isUnsignedKind(kind)) return uint;
  if (kind === 'float32' || kind === 'float64') return float;
  return kind === 'complex128' && complex !== undefined ? new GoComplex(complex.real, complex.imaginary) : undefined;
}

function mismatchText(node: Literal, { kind, name }: GoType): string {
  const text = nodeText(node);
  if (kind === 'bool' || kind === 'string') return `expected ${kind}; found ${text}`;
  if (isSignedKind(kind)) return `expected integer; found ${text}`;
  if (isUnsignedKind(kind)) return `expected unsigned integer; found ${text}`;
  if (kind === 'float32' || kind === 'float64') return `expected float; found ${text}`;
  return kind === 'complex128' ? `expected complex; found ${text}` : `can't handle ${text} for arg of type ${name}`;
}

/** A literal where no type is asked for: its syntax decides. */
export function constant(node: Literal): Eval {
  const value = node.kind === 'number' ? numberConstant(node) : node.value;
  if (value === undefined) return unfit(node, `${nodeText(node)} overflows int`);
  return (state) => {
    state.node = node;
    state.isBoxed = false;
    return value;
  };
}

function numberConstant({ text, value: { int, float, complex } }: NumberNode): GoValue | undefined {
  if (complex !== undefined) return new GoComplex(complex.real, complex.imaginary);
  const isWhole = /^0[xX][^pP]+$/.test(text) || text.startsWith("'") || !/[.eEpP]/.test(text);
  return float !== undefined && !isWhole ? float : int;
}

/** A function's plain result as a value of the type it declares. */
export function typedResult(type: GoType, value: Val): Val {
  return value === undefined || type.kind === 'interface' || type.kind === 'reflect' ? value : withType(type, value);
}
