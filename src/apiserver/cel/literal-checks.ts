import { RE2JSException } from 're2js';
import type { Literal, Node } from './ast.js';
import { formatClauses, formatText } from './functions/format-text.js';
import { compilePattern } from './functions/regex.js';
import { CelError, Uint, parseDuration, parseTimestamp, type CelValue } from './values.js';

export interface LiteralError {
  readonly at: number;
  readonly message: string;
}

/** Literals that can never work (a bad pattern, time or format) are found before anything runs. */
export function checkLiterals(node: Node): LiteralError[] {
  return [...ownErrors(node), ...childrenOf(node).flatMap(checkLiterals)];
}

function ownErrors(node: Node): LiteralError[] {
  if (node.kind === 'call' && (node.name === 'duration' || node.name === 'timestamp')) {
    const [arg] = node.args;
    const text = textOf(arg);
    const fine =
      text === undefined || (node.name === 'duration' ? parseDuration(text) : parseTimestamp(text)) !== undefined;
    return fine || arg === undefined ? [] : [{ at: arg.at, message: `invalid ${node.name} argument` }];
  }
  if ((node.kind === 'call' || node.kind === 'method') && node.name === 'matches') {
    const arg = node.args.at(-1);
    const pattern = textOf(arg);
    return pattern === undefined || arg === undefined || isPattern(pattern)
      ? []
      : [{ at: arg.at, message: 'invalid matches argument' }];
  }
  return node.kind === 'method' && node.name === 'format' ? formatErrors(node) : [];
}

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

function formatErrors(node: Node & { kind: 'method' }): LiteralError[] {
  const text = textOf(node.of);
  const [list] = node.args;
  if (text === undefined || list?.kind !== 'list') return [];
  const clauses = formatClauses(text);
  if (clauses.length > list.items.length) return [{ at: node.at, message: `index ${list.items.length} out of range` }];
  return list.items.flatMap(({ value }, index) => {
    const clause = clauses[index];
    if (clause === undefined || value.kind !== 'literal') return [];
    try {
      formatText(clause, [literalValue(value.literal)]);
      return [];
    } catch (error) {
      if (error instanceof CelError) return [{ at: value.at, message: error.message }];
      throw error;
    }
  });
}

function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'literal' && node.literal.type === 'string' ? node.literal.value : undefined;
}

export function literalValue(literal: Literal): CelValue {
  if (literal.type === 'null') return null;
  return literal.type === 'uint' ? new Uint(literal.value) : literal.value;
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
    case 'has':
      return [node.of];
    case 'index':
      return [node.of, node.key];
    case 'call':
      return node.args;
    case 'method':
      return [node.of, ...node.args];
    case 'list':
      return node.items.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'and':
    case 'or':
      return [node.left, node.right];
    case 'conditional':
      return [node.test, node.then, node.otherwise];
    case 'loop':
      return [node.range, ...(node.filter === undefined ? [] : [node.filter]), node.body];
    case 'optional-map':
      return [node.of, node.body];
    default:
      return node satisfies never;
  }
}
