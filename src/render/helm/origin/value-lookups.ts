import type { AnyNode, CommandNode, Operand, PipeNode, Tree } from '../template/parse/node.js';
import { walkNodes } from './template-nodes.js';

/** A part of an expression that gives a value: a path below `.Values`, or a constant. */
export type Lookup =
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly node: AnyNode }
  | { readonly kind: 'constant'; readonly text: string };

/** What the parts of an expression mean at its place. */
export interface LookupScope {
  /** The path that dot stands for inside `with`; undefined where it is not known. */
  readonly dot?: readonly string[];
  /** Variables as they were set before, by name with the dollar. */
  readonly variables: ReadonlyMap<string, PipeNode>;
  readonly treeOf: (name: string) => Tree | undefined;
  /** How many helpers and variables were followed. */
  readonly depth: number;
}

const MAX_DEPTH = 6;
const VALUES = 'Values';

/** The values that a pipeline asks for, in the order in which it falls back from one to the next. */
export function lookupsOf(pipe: PipeNode, scope: LookupScope): Lookup[] {
  let found: Lookup[] | undefined;
  for (const command of pipe.commands) found = commandLookups(command, found, scope);
  return found ?? [];
}

function commandLookups({ args }: CommandNode, before: Lookup[] | undefined, scope: LookupScope): Lookup[] {
  const [first, ...rest] = args;
  if (first?.kind !== 'identifier') return first === undefined ? (before ?? []) : operandLookups(first, scope);
  const operands = rest.map((operand) => operandLookups(operand, scope));
  if (before !== undefined) operands.push(before);
  switch (first.name) {
    case 'default':
      return [...(operands.at(-1) ?? []), ...operands.slice(0, -1).flat()];
    case 'coalesce':
    case 'or':
      return operands.flat();
    case 'required':
      return operands.slice(1).flat();
    case 'index':
    case 'get':
      return steppedInto(operands[0] ?? [], rest.slice(1));
    case 'dig':
      return [
        ...steppedInto(operands.at(-1) ?? [], rest.slice(0, before === undefined ? -2 : -1)),
        ...(operands.at(-2) ?? []),
      ];
    case 'include':
      return includedLookups(rest[0], scope);
    default:
      return operands.flat().filter(({ kind }) => kind === 'value');
  }
}

/** `index .Values "a" "b"` is a path too; other keys than constants end it. */
function steppedInto(base: readonly Lookup[], keys: readonly Operand[]): Lookup[] {
  const names: string[] = [];
  for (const key of keys) {
    if (key.kind !== 'string') break;
    names.push(key.value);
  }
  return base.flatMap((lookup) => (lookup.kind === 'value' ? [{ ...lookup, path: [...lookup.path, ...names] }] : []));
}

/** All that a helper looks at, where its name is a constant. */
function includedLookups(name: Operand | undefined, scope: LookupScope): Lookup[] {
  const tree = name?.kind === 'string' && scope.depth < MAX_DEPTH ? scope.treeOf(name.value) : undefined;
  if (tree === undefined) return [];
  const inner: LookupScope = {
    variables: declaredBefore(tree, Infinity),
    treeOf: scope.treeOf,
    depth: scope.depth + 1,
  };
  const pipes = [...walkNodes(tree.root)].flatMap((node) =>
    node.kind === 'action' && node.pipe.declared.length === 0 ? [node.pipe] : [],
  );
  return pipes.flatMap((pipe) => lookupsOf(pipe, inner));
}

function operandLookups(node: Operand, scope: LookupScope): Lookup[] {
  switch (node.kind) {
    case 'field':
      return valueLookup(pathOf(node.names, scope.dot), node);
    case 'dot':
      return valueLookup(scope.dot, node);
    case 'variable':
      return variableLookups(node.names, node, scope);
    case 'chain':
      return extended(operandLookups(node.node, scope), node.names, node);
    case 'pipe':
      return lookupsOf(node, scope);
    case 'string':
      return [{ kind: 'constant', text: node.quoted }];
    case 'number':
      return [{ kind: 'constant', text: node.text }];
    case 'bool':
      return [{ kind: 'constant', text: String(node.value) }];
    default:
      return [];
  }
}

function valueLookup(path: readonly string[] | undefined, node: AnyNode): Lookup[] {
  return path === undefined ? [] : [{ kind: 'value', path, node }];
}

/** Helpers often get the whole under another name: `.context.Values.x`. */
function pathOf(names: readonly string[], dot?: readonly string[]): readonly string[] | undefined {
  const at = names.indexOf(VALUES);
  // `.Values.AsMap` is all of them again.
  if (at >= 0) return names.slice(names[at + 1] === 'AsMap' ? at + 2 : at + 1);
  return dot === undefined ? undefined : [...dot, ...names];
}

function variableLookups([name = '', ...names]: readonly string[], node: AnyNode, scope: LookupScope): Lookup[] {
  if (name === '$') return valueLookup(pathOf(names), node);
  const pipe = scope.depth < MAX_DEPTH ? scope.variables.get(name) : undefined;
  return pipe === undefined ? [] : extended(lookupsOf(pipe, { ...scope, depth: scope.depth + 1 }), names, node);
}

/** Fields of what was looked up; a missing one is cited at `node`. */
function extended(lookups: readonly Lookup[], names: readonly string[], node: AnyNode): Lookup[] {
  if (names.length === 0) return [...lookups];
  return lookups.map((lookup) =>
    lookup.kind === 'value' ? { kind: 'value', path: [...lookup.path, ...names], node } : lookup,
  );
}

/** The last pipeline before a place that set each variable. */
export function declaredBefore({ root }: Tree, pos: number): ReadonlyMap<string, PipeNode> {
  const found = new Map<string, PipeNode>();
  for (const node of walkNodes(root)) {
    if (node.kind !== 'pipe' || node.pos >= pos || node.declared.length !== 1) continue;
    const [variable] = node.declared;
    // Of a branch's own pipe too; a variable that is set from itself keeps what it was set from before.
    if (variable?.names[0] !== undefined && !usesVariable(node, variable.names[0])) found.set(variable.names[0], node);
  }
  return found;
}

function usesVariable(pipe: PipeNode, name: string): boolean {
  return pipe.commands.some((command) =>
    [...walkNodes(command)].some((node) => node.kind === 'variable' && node.names[0] === name),
  );
}

/** What the parts of the expression at the end of a trail mean. */
export function scopeAt(tree: Tree, trail: readonly AnyNode[], treeOf: LookupScope['treeOf']): LookupScope {
  const pos = trail.at(-1)?.pos ?? 0;
  let scope: LookupScope = { variables: declaredBefore(tree, pos), treeOf, depth: 0 };
  for (const [index, node] of trail.entries()) {
    const isInList = (node.kind === 'with' || node.kind === 'range') && trail[index + 1] === node.list;
    if (!isInList) continue;
    const { dot: _, ...rest } = scope;
    const [first, ...others] = node.kind === 'with' ? lookupsOf(node.pipe, scope) : [];
    scope = first?.kind === 'value' && others.length === 0 ? { ...rest, dot: first.path } : rest;
  }
  return scope;
}
