import { LuaError } from '../lua-error.js';
import { toText } from '../text.js';
import { FunctionNode, Variable, type Block, type GotoNode, type LabelNode, type Statement } from './tree.js';

/** gopher-lua has this many registers per function. */
const MAX_LOCALS = 200;

interface PendingGoto {
  readonly node: GotoNode;
  /** Locals that are in scope where it stands, or where the outermost block that it has left ends. */
  locals: number;
}

interface OpenLabel {
  readonly node: LabelNode;
  readonly index: number;
  locals: number;
}

interface OpenBlock {
  readonly parent: OpenBlock | undefined;
  /** Number of locals in scope when the block began. */
  readonly firstLocal: number;
  readonly firstGoto: number;
  readonly isLoop: boolean;
  labels: Map<string, OpenLabel> | undefined;
}

interface OpenFunction {
  readonly node: FunctionNode;
  readonly parent: OpenFunction | undefined;
  readonly locals: Variable[];
  readonly gotos: PendingGoto[];
  block: OpenBlock;
}

/** Which name means what at the current place of the text; finds the targets of goto. */
export class Scope {
  private current: OpenFunction;
  /** Globals that the script names, with their numbers. */
  readonly globals = new Map<string, number>();
  private firstError: LuaError | undefined = undefined;

  constructor(private readonly script: string) {
    this.current = this.newFunction(new FunctionNode(undefined, 0));
    this.current.node.isVararg = true;
  }

  get fn(): FunctionNode {
    return this.current.node;
  }

  private newFunction(node: FunctionNode, parent?: OpenFunction): OpenFunction {
    const block = { parent: undefined, firstLocal: 0, firstGoto: 0, isLoop: false, labels: undefined };
    return { node, parent, locals: [], gotos: [], block };
  }

  openFunction(line: number): FunctionNode {
    const node = new FunctionNode(this.current.node, line);
    this.current = this.newFunction(node, this.current);
    return node;
  }

  closeFunction(lastLine: number, statements: readonly Statement[]): FunctionNode {
    const { node, parent, block, gotos } = this.current;
    node.lastLine = lastLine;
    this.resolveGotos(block, statements, false);
    const [lost] = gotos;
    if (lost !== undefined)
      this.complain(lastLine, `no visible label '${lost.node.name}' for <goto> at line ${lost.node.line}`);
    node.body = this.finish(block, statements);
    if (parent !== undefined) this.current = parent;
    return node;
  }

  openBlock(isLoop: boolean): void {
    const { current } = this;
    const { block: parent, locals, gotos } = current;
    current.block = { parent, firstLocal: locals.length, firstGoto: gotos.length, isLoop, labels: undefined };
  }

  /** `conditionFollows`: a repeat-until, whose condition still sees the locals. */
  closeBlock(statements: readonly Statement[], conditionFollows = false): Block {
    const { current } = this;
    const { block } = current;
    this.resolveGotos(block, statements, conditionFollows);
    current.locals.length = block.firstLocal;
    for (const pending of current.gotos.slice(block.firstGoto))
      pending.locals = Math.min(pending.locals, block.firstLocal);
    if (block.parent !== undefined) current.block = block.parent;
    return this.finish(block, statements);
  }

  private finish(block: OpenBlock, statements: readonly Statement[]): Block {
    const labels =
      block.labels === undefined
        ? undefined
        : new Map([...block.labels.values()].map(({ node, index }) => [node, index]));
    return { statements, labels };
  }

  declare(name: string): Variable {
    const { node, locals } = this.current;
    const variable = new Variable(name, node, locals.length);
    locals.push(variable);
    if (locals.length > node.slotCount) node.slotCount = locals.length;
    if (locals.length > MAX_LOCALS) this.complain(node.line, 'too many local variables');
    return variable;
  }

  /** The local that a name means here; undefined for a global. */
  find(name: string): Variable | undefined {
    for (let fn: OpenFunction | undefined = this.current; fn !== undefined; fn = fn.parent) {
      const { locals } = fn;
      for (let i = locals.length - 1; i >= 0; i--) {
        const variable = locals[i];
        if (variable?.name !== name) continue;
        if (fn !== this.current) this.capture(variable);
        return variable;
      }
    }
    return undefined;
  }

  private capture(variable: Variable): void {
    if (!variable.captured) variable.cell = variable.owner.ownCells++;
    variable.captured = true;
    for (
      let fn: OpenFunction | undefined = this.current;
      fn !== undefined && fn.node !== variable.owner;
      fn = fn.parent
    ) {
      if (!fn.node.upvalues.includes(variable)) fn.node.upvalues.push(variable);
    }
  }

  globalSlot(name: string): number {
    const known = this.globals.get(name);
    if (known !== undefined) return known;
    const slot = this.globals.size;
    this.globals.set(name, slot);
    return slot;
  }

  addLabel(node: LabelNode, index: number): void {
    const { block, locals } = this.current;
    const labels = (block.labels ??= new Map<string, OpenLabel>());
    const old = labels.get(node.name);
    if (old !== undefined)
      this.complain(node.line + 1, `label '${node.name}' already defined on line ${old.node.line}`);
    labels.set(node.name, { node, index, locals: locals.length });
  }

  addGoto(node: GotoNode): void {
    this.current.gotos.push({ node, locals: this.current.locals.length });
  }

  checkBreak(line: number): void {
    for (let block: OpenBlock | undefined = this.current.block; block !== undefined; block = block.parent)
      if (block.isLoop) return;
    this.complain(line, 'no loop to break');
  }

  private resolveGotos(block: OpenBlock, statements: readonly Statement[], conditionFollows: boolean): void {
    const { gotos, locals } = this.current;
    if (block.labels === undefined || gotos.length === block.firstGoto) return;
    for (const label of block.labels.values()) {
      // A label at the very end of a block is outside the scope of its locals.
      if (!conditionFollows && onlyLabelsFrom(statements, label.index)) label.locals = block.firstLocal;
    }
    const rest = gotos.splice(block.firstGoto);
    for (const pending of rest) {
      const label = block.labels.get(pending.node.name);
      if (label === undefined) gotos.push(pending);
      else {
        if (pending.locals < label.locals) this.jumpsIntoScope(pending, label, locals[label.locals - 1]?.name ?? '');
        pending.node.target = label.node;
      }
    }
  }

  private jumpsIntoScope({ node }: PendingGoto, label: OpenLabel, local: string): void {
    this.complain(
      label.node.line + 1,
      `<goto ${node.name}> at line ${node.line} jumps into the scope of local '${local}'`,
    );
  }

  /** gopher-lua reads the whole text before it looks for these mistakes, so syntax errors come first. */
  complain(line: number, message: string): void {
    const text = `compile error near line(${line}) ${this.script}: ${message}`;
    this.firstError ??= new LuaError('syntax', toText(text), text, { script: this.script, line });
  }

  check(): void {
    if (this.firstError !== undefined) throw this.firstError;
  }
}

function onlyLabelsFrom(statements: readonly Statement[], index: number): boolean {
  for (let i = index; i < statements.length; i++) if (statements[i]?.kind !== 'label') return false;
  return true;
}
