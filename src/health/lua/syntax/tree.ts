/** The tree of a script. Names are resolved while it is read, so a node already says which variable it means. */

/** One local variable or parameter. */
export class Variable {
  /** Set when an inner function uses it; then it lives in a cell instead of a slot. */
  captured = false;
  /** Number of its cell among the function's own ones. */
  cell = -1;
  constructor(
    readonly name: string,
    readonly owner: FunctionNode,
    readonly slot: number,
  ) {}
}

export class FunctionNode {
  readonly params: Variable[] = [];
  isVararg = false;
  /** The old `arg` table, which a vararg function has unless it uses `...`. */
  argTable: Variable | undefined = undefined;
  usesVarargs = false;
  /** Variables of outer functions that this one or one inside it uses. */
  readonly upvalues: Variable[] = [];
  slotCount = 0;
  /** How many of its variables inner functions capture. */
  ownCells = 0;
  body: Block = EMPTY_BLOCK;
  lastLine = 0;
  constructor(
    readonly parent: FunctionNode | undefined,
    readonly line: number,
  ) {}
}

export interface Block {
  readonly statements: readonly Statement[];
  /** Where each label of this block stands; undefined if there is none. */
  readonly labels: ReadonlyMap<LabelNode, number> | undefined;
}

const EMPTY_BLOCK: Block = { statements: [], labels: undefined };

export type ArithmeticOperator = 'add' | 'sub' | 'mul' | 'div' | 'mod' | 'pow';
export type CompareOperator = '==' | '~=' | '<' | '<=' | '>' | '>=';

export interface ConstantNode {
  readonly kind: 'constant';
  line: number;
  readonly value: undefined | boolean | number | string;
}
export interface VarargNode {
  readonly kind: 'vararg';
  line: number;
  single: boolean;
}
export interface FunctionExpression {
  readonly kind: 'function';
  line: number;
  readonly fn: FunctionNode;
}
export interface LocalNode {
  readonly kind: 'local';
  line: number;
  readonly variable: Variable;
}
export interface GlobalNode {
  readonly kind: 'global';
  line: number;
  readonly name: string /** Number among the globals of the program. */;
  readonly slot: number;
}
export interface IndexNode {
  readonly kind: 'index';
  line: number;
  readonly object: Expression;
  readonly key: Expression;
}
export interface CallNode {
  readonly kind: 'call';
  line: number;
  readonly callee: Expression;
  readonly args: readonly Expression[];
  single: boolean;
}
export interface MethodNode {
  readonly kind: 'method';
  line: number;
  readonly object: Expression;
  readonly name: string;
  readonly args: readonly Expression[];
  single: boolean;
}
export interface LogicNode {
  readonly kind: 'and' | 'or';
  line: number;
  readonly left: Expression;
  readonly right: Expression;
}
export interface CompareNode {
  readonly kind: 'compare';
  line: number;
  readonly operator: CompareOperator;
  readonly left: Expression;
  readonly right: Expression;
}
export interface ArithmeticNode {
  readonly kind: 'arithmetic';
  line: number;
  readonly operator: ArithmeticOperator;
  readonly left: Expression;
  readonly right: Expression;
}
export interface ConcatNode {
  readonly kind: 'concat';
  line: number;
  readonly parts: readonly Expression[];
}
export interface UnaryNode {
  readonly kind: 'not' | 'minus' | 'length';
  line: number;
  readonly operand: Expression;
}
export interface TableNode {
  readonly kind: 'table';
  line: number;
  readonly fields: readonly TableField[];
}
/** A field without key is an item of the list. */
export interface TableField {
  readonly key: Expression | undefined;
  readonly value: Expression;
}

export type Expression =
  | ConstantNode
  | VarargNode
  | FunctionExpression
  | LocalNode
  | GlobalNode
  | IndexNode
  | CallNode
  | MethodNode
  | LogicNode
  | CompareNode
  | ArithmeticNode
  | ConcatNode
  | UnaryNode
  | TableNode;
export type Target = LocalNode | GlobalNode | IndexNode;

export interface LabelNode {
  readonly kind: 'label';
  readonly line: number;
  readonly name: string;
}
export interface GotoNode {
  readonly kind: 'goto';
  readonly line: number;
  readonly name: string;
  target: LabelNode | undefined;
}
export interface IfClause {
  readonly condition: Expression;
  readonly body: Block;
}

export type Statement =
  | {
      readonly kind: 'localAssign';
      readonly line: number;
      readonly variables: readonly Variable[];
      readonly values: readonly Expression[];
    }
  | {
      readonly kind: 'assign';
      readonly line: number;
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
    }
  | { readonly kind: 'call'; readonly line: number; readonly call: CallNode | MethodNode }
  | { readonly kind: 'do'; readonly line: number; readonly body: Block }
  | { readonly kind: 'while'; readonly line: number; readonly condition: Expression; readonly body: Block }
  | { readonly kind: 'repeat'; readonly line: number; readonly condition: Expression; readonly body: Block }
  | {
      readonly kind: 'if';
      readonly line: number;
      readonly clauses: readonly IfClause[];
      readonly otherwise: Block | undefined;
    }
  | {
      readonly kind: 'numericFor';
      readonly line: number;
      readonly variable: Variable;
      readonly start: Expression;
      readonly limit: Expression;
      readonly step: Expression | undefined;
      readonly body: Block;
    }
  | {
      readonly kind: 'genericFor';
      readonly line: number;
      readonly variables: readonly Variable[];
      readonly values: readonly Expression[];
      readonly body: Block;
    }
  | { readonly kind: 'return'; readonly line: number; readonly values: readonly Expression[] }
  | { readonly kind: 'break'; readonly line: number }
  | GotoNode
  | LabelNode;
export type StatementOf<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

/** Gives any number of values. */
export function isMulti(node: Expression): node is CallNode | MethodNode | VarargNode {
  return (node.kind === 'call' || node.kind === 'method' || node.kind === 'vararg') && !node.single;
}
