import { parse, type Chunk, type Expression, type Node, type Statement } from 'luaparse';

export type ParsedScript =
  | { readonly kind: 'script'; readonly chunk: Chunk; readonly source: string }
  | { readonly kind: 'broken'; readonly problem: string; readonly line: number; readonly column: number };

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The syntax tree of a script, or where and why it has none. */
export function parseScript(source: string): ParsedScript {
  try {
    // The parser wants bytes; a sign beyond them can only stand in a text or a comment, and one sign for one keeps
    // columns right.
    const chunk = parse(source.replace(/[^\0-\xff]/g, '?'), {
      luaVersion: '5.2',
      encodingMode: 'pseudo-latin1',
      locations: true,
      ranges: true,
    });
    return { kind: 'script', chunk, source };
  } catch (error) {
    if (error instanceof RangeError)
      return { kind: 'broken', problem: 'the script is nested too deeply', line: 1, column: 1 };
    if (!(error instanceof Error)) throw error;
    return { kind: 'broken', ...positionOf(error), problem: error.message.replace(/^\[\d+:\d+\] /, '') };
  }
}

function positionOf(error: Error): Position {
  const line = 'line' in error && typeof error.line === 'number' ? error.line : 1;
  const column = 'column' in error && typeof error.column === 'number' ? error.column : 0;
  return { line, column: column + 1 };
}

/** Where a node starts, counted from 1. */
export function startOf(node: Node): Position {
  return { line: node.loc?.start.line ?? 1, column: (node.loc?.start.column ?? 0) + 1 };
}

/** Where a node ends, counted from 1. */
export function endOf(node: Node): Position {
  return { line: node.loc?.end.line ?? 1, column: Math.max(node.loc?.end.column ?? 1, 1) };
}

/** A node as its author wrote it, on one line. */
export function textOf(source: string, node: Node): string {
  const range = 'range' in node ? (node.range as readonly [number, number]) : undefined;
  return range === undefined ? '' : source.slice(range[0], range[1]).replace(/\s+/g, ' ');
}

/** Children of a node, in source order. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const [name, value] of Object.entries(node)) {
    if (name === 'loc' || name === 'range') continue;
    if (Array.isArray(value)) children.push(...(value as Node[]));
    else if (typeof value === 'object' && value !== null) children.push(value as Node);
  }
  return children;
}

/** Calls `visit` for a node and everything below it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of childrenOf(node)) walk(child, visit);
}

export type { Chunk, Expression, Node, Statement };
