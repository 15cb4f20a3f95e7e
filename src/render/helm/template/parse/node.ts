/** Text that was parsed, and the name under which errors cite it. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

interface Place {
  readonly pos: number;
  readonly source: Source;
}

export interface TextNode extends Place {
  readonly kind: 'text';
  readonly text: string;
}
export interface ActionNode extends Place {
  readonly kind: 'action';
  readonly pipe: PipeNode;
}
export interface BranchNode extends Place {
  readonly kind: 'if' | 'with' | 'range';
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly otherwise: ListNode | undefined;
}
export interface TemplateNode extends Place {
  readonly kind: 'template';
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface JumpNode extends Place {
  readonly kind: 'break' | 'continue';
}
/** The end of a list; never part of a finished tree. */
export interface EndNode extends Place {
  readonly kind: 'end' | 'else';
}
export interface ListNode extends Place {
  readonly kind: 'list';
  readonly nodes: Node[];
}

export interface PipeNode extends Place {
  readonly kind: 'pipe';
  isAssign: boolean;
  readonly declared: VariableNode[];
  readonly commands: CommandNode[];
}
export interface CommandNode extends Place {
  readonly kind: 'command';
  readonly args: Operand[];
}

export interface IdentifierNode extends Place {
  readonly kind: 'identifier';
  readonly name: string;
}
export interface FieldNode extends Place {
  readonly kind: 'field';
  readonly names: readonly string[];
}
export interface ChainNode extends Place {
  readonly kind: 'chain';
  readonly node: Operand;
  readonly names: string[];
}
/** The variable's name, then fields. */
export interface VariableNode extends Place {
  readonly kind: 'variable';
  readonly names: readonly string[];
}
export interface DotNode extends Place {
  readonly kind: 'dot';
}
export interface NilNode extends Place {
  readonly kind: 'nil';
}
export interface BoolNode extends Place {
  readonly kind: 'bool';
  readonly value: boolean;
}
export interface StringNode extends Place {
  readonly kind: 'string';
  readonly quoted: string;
  readonly value: string;
}
export interface NumberNode extends Place {
  readonly kind: 'number';
  readonly text: string;
  readonly value: NumberLiteral;
}

/** A number as every type that it fits; the syntax alone does not say which one is meant. */
export interface NumberLiteral {
  readonly int?: bigint;
  readonly uint?: bigint;
  readonly float?: number;
  readonly complex?: { readonly real: number; readonly imaginary: number };
}

export type Operand =
  | IdentifierNode
  | FieldNode
  | ChainNode
  | VariableNode
  | DotNode
  | NilNode
  | BoolNode
  | StringNode
  | NumberNode
  | PipeNode;
export type Node = TextNode | ActionNode | BranchNode | TemplateNode | JumpNode | EndNode | ListNode;
export type AnyNode = Node | Operand | CommandNode;

/** A template that a text defines, by its own name or with `define` and `block`. */
export interface Tree {
  readonly name: string;
  readonly source: Source;
  readonly root: ListNode;
}

/** Nothing but space: such a definition does not replace another one. */
export function isEmptyTree(list: ListNode): boolean {
  return list.nodes.every(
    (node) => node.kind === 'text' && /^[\t\n\v\f\r \u0085\u00a0\p{Zs}\u2028\u2029]*$/u.test(node.text),
  );
}
