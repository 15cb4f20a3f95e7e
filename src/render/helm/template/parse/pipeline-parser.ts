import { quoteText } from '../value/go-text.js';
import { nodeText } from './node-text.js';
import type { ChainNode, CommandNode, FieldNode, Operand, PipeNode, Source, VariableNode } from './node.js';
import { readNumber } from './number-literal.js';
import type { TokenStream } from './token-stream.js';
import type { Token, TokenType } from './token.js';
import { unquote } from './unquote.js';

/** Go stops at 10000; our stack is smaller. */
const MAX_DEPTH = 500;
const OPERAND_START: ReadonlySet<TokenType> = new Set([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
] as const);
const CONSTANTS: ReadonlySet<string> = new Set(['bool', 'dot', 'nil', 'number', 'string']);

/** Parses what stands in an action, and knows the variables that are in sight. */
export class PipelineParser {
  private readonly variables = ['$'];
  private parens = 0;

  constructor(
    private readonly source: Source,
    private readonly tokens: TokenStream,
    private readonly hasFunction: (name: string) => boolean,
  ) {}

  countVariables(): number {
    return this.variables.length;
  }

  forgetVariables(count: number): void {
    this.variables.length = count;
  }

  parse(context: string, end: TokenType): PipeNode {
    const { tokens, source } = this;
    const pipe: PipeNode = {
      kind: 'pipe',
      pos: tokens.peekNonSpace().pos,
      source,
      isAssign: false,
      declared: [],
      commands: [],
    };
    while (this.parseDeclaration(pipe, context));
    for (;;) {
      const token = tokens.nextNonSpace();
      if (token.type === end) {
        this.check(pipe, context);
        return pipe;
      }
      if (!OPERAND_START.has(token.type)) tokens.unexpected(token, context);
      tokens.back();
      pipe.commands.push(this.command());
    }
  }

  /** True if a second variable of a range must follow. */
  private parseDeclaration(pipe: PipeNode, context: string): boolean {
    const { tokens } = this;
    const variable = tokens.peekNonSpace();
    if (variable.type !== 'variable') return false;
    tokens.next();
    const adjacent = tokens.peek();
    const next = tokens.peekNonSpace();
    if (next.type === 'assign' || next.type === 'declare') {
      pipe.isAssign = next.type === 'assign';
      this.declare(pipe, variable);
      return false;
    }
    if (next.type === 'char' && next.text === ',') {
      this.declare(pipe, variable);
      if (context !== 'range' || pipe.declared.length >= 2) tokens.fail(`too many declarations in ${context}`);
      if (!['variable', 'rightDelim', 'rightParen'].includes(tokens.peekNonSpace().type))
        tokens.fail('range can only initialize variables');
      return true;
    }
    if (adjacent.type === 'space') tokens.backBeforeSpace(variable, adjacent);
    else tokens.backBefore(variable);
    return false;
  }

  private declare(pipe: PipeNode, { pos, text }: Token): void {
    this.tokens.nextNonSpace();
    pipe.declared.push(this.variable(pos, text));
    this.variables.push(text);
  }

  private check({ commands }: PipeNode, context: string): void {
    if (commands.length === 0) this.tokens.fail(`missing value for ${context}`);
    const stage = commands.findIndex(({ args }, index) => index > 0 && CONSTANTS.has(args[0]?.kind ?? ''));
    if (stage > 0) this.tokens.fail(`non executable command in pipeline stage ${stage + 1}`);
  }

  private command(): CommandNode {
    const { tokens, source } = this;
    const command: CommandNode = { kind: 'command', pos: tokens.peekNonSpace().pos, source, args: [] };
    for (;;) {
      tokens.peekNonSpace();
      const operand = this.operand();
      if (operand !== undefined) command.args.push(operand);
      const token = tokens.next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') tokens.back();
      else if (token.type !== 'pipe') tokens.unexpected(token, 'operand');
      break;
    }
    if (command.args.length === 0) tokens.fail('empty command');
    return command;
  }

  private operand(): Operand | undefined {
    const { tokens, source } = this;
    const node = this.term();
    if (node === undefined || tokens.peek().type !== 'field') return node;
    const chain: ChainNode = { kind: 'chain', pos: tokens.peek().pos, source, node, names: [] };
    while (tokens.peek().type === 'field') chain.names.push(tokens.next().text.slice(1));
    if (node.kind === 'field' || node.kind === 'variable')
      return { kind: node.kind, pos: chain.pos, source, names: [...node.names, ...chain.names] };
    if (CONSTANTS.has(node.kind)) tokens.fail(`unexpected . after term ${quoteText(nodeText(node))}`);
    return chain;
  }

  private term(): Operand | undefined {
    const { tokens, source } = this;
    const token = tokens.nextNonSpace();
    const { pos, text } = token;
    switch (token.type) {
      case 'identifier':
        if (!this.hasFunction(text)) tokens.fail(`function ${quoteText(text)} not defined`);
        return { kind: 'identifier', pos, source, name: text };
      case 'dot':
      case 'nil':
        return { kind: token.type, pos, source };
      case 'variable':
        return this.useVariable(pos, text);
      case 'field':
        return this.field(pos, text);
      case 'bool':
        return { kind: 'bool', pos, source, value: text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number': {
        const value = readNumber(text, token.type);
        return typeof value === 'string' ? tokens.fail(value) : { kind: 'number', pos, source, text, value };
      }
      case 'leftParen':
        return this.parenthesized();
      case 'string':
      case 'rawString':
        return { kind: 'string', pos, source, quoted: text, value: unquote(text) ?? tokens.fail('invalid syntax') };
      default:
        tokens.back();
        return undefined;
    }
  }

  private parenthesized(): PipeNode {
    if (this.parens >= MAX_DEPTH) this.tokens.fail('max expression depth exceeded');
    this.parens++;
    const pipe = this.parse('parenthesized pipeline', 'rightParen');
    this.parens--;
    return pipe;
  }

  private field(pos: number, text: string): FieldNode {
    return { kind: 'field', pos, source: this.source, names: text.slice(1).split('.') };
  }

  private variable(pos: number, text: string): VariableNode {
    return { kind: 'variable', pos, source: this.source, names: text.split('.') };
  }

  private useVariable(pos: number, text: string): VariableNode {
    const node = this.variable(pos, text);
    const name = node.names[0] ?? '';
    return this.variables.includes(name) ? node : this.tokens.fail(`undefined variable ${quoteText(name)}`);
  }
}
