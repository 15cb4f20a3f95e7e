import { findBuiltin } from './builtins.js';
import { findDefined } from './defined.js';
import { isFormat } from './formats.js';
import { findForm } from './forms.js';
import { functionKey } from './scope.js';
import { JqSyntaxError, patternNames, type Node } from './syntax.js';

/** The names that are known at a place: functions as `name/arity`, variables and labels with their sign. */
type Names = ReadonlySet<string>;

/** Refuses an expression that names something which is not there, at the place where it does. */
export function checkNames(node: Node, names: Names = new Set(['$ENV'])): void {
  switch (node.kind) {
    case 'call':
      return checkCall(node, names);
    case 'variable':
      return names.has(node.name) ? undefined : refuse(`${node.name} is not defined`, node.at);
    case 'break':
      return names.has(`*${node.name}`) ? undefined : refuse(`label ${node.name} is not defined`, node.at);
    case 'text':
    case 'format':
      return checkFormat(node, names);
    case 'label':
      return checkNames(node.body, plus(names, [`*${node.name}`]));
    case 'define': {
      const { name, params, body } = node.definition;
      const known = plus(names, [functionKey(name, params.length)]);
      checkNames(
        body,
        plus(
          known,
          params.flatMap((param) =>
            param.startsWith('$') ? [param, functionKey(param.slice(1), 0)] : [functionKey(param, 0)],
          ),
        ),
      );
      return checkNames(node.body, known);
    }
    case 'bind': {
      checkNames(node.source, names);
      return checkNames(node.body, plus(names, patternNames(node.pattern)));
    }
    case 'reduce':
    case 'foreach': {
      checkNames(node.source, names);
      checkNames(node.start, names);
      const bound = plus(names, patternNames(node.pattern));
      checkNames(node.update, bound);
      return node.kind === 'foreach' && node.extract !== undefined ? checkNames(node.extract, bound) : undefined;
    }
    default:
      for (const part of partsOf(node)) checkNames(part, names);
  }
}

function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'index':
      return [node.base, node.key];
    case 'slice':
      return [node.base, node.from, node.to].filter((part) => part !== undefined);
    case 'iterate':
      return [node.base];
    case 'array':
      return node.body === undefined ? [] : [node.body];
    case 'object':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'negate':
      return [node.body];
    case 'pipe':
    case 'comma':
    case 'and':
    case 'or':
    case 'alternative':
    case 'operator':
    case 'update':
      return [node.left, node.right];
    case 'if':
      return [node.condition, node.then, ...(node.otherwise === undefined ? [] : [node.otherwise])];
    case 'try':
      return [node.body, ...(node.handler === undefined ? [] : [node.handler])];
    default:
      return [];
  }
}

function checkCall({ name, args, at }: Extract<Node, { kind: 'call' }>, names: Names): void {
  const key = functionKey(name, args.length);
  if (
    !names.has(key) &&
    findForm(key) === undefined &&
    findBuiltin(key) === undefined &&
    findDefined(key) === undefined
  )
    refuse(`function ${key} is not defined or not supported`, at);
  for (const arg of args) checkNames(arg, names);
}

function checkFormat(node: Extract<Node, { kind: 'text' | 'format' }>, names: Names): void {
  if (node.format !== '' && !isFormat(node.format)) refuse(`format ${node.format} is not supported`, node.at);
  if (node.kind === 'text') for (const part of node.parts) if (typeof part !== 'string') checkNames(part, names);
}

function plus(names: Names, more: readonly string[]): Names {
  return new Set([...names, ...more]);
}

function refuse(message: string, at: number): never {
  throw new JqSyntaxError(message, at);
}
