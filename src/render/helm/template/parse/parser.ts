import { nodeText } from './node-text.js';
import { isEmptyTree, type EndNode, type ListNode, type Node, type PipeNode, type Source, type Tree } from './node.js';
import { quoteText } from '../value/go-text.js';
import { PipelineParser } from './pipeline-parser.js';
import { TokenStream } from './token-stream.js';
import type { Token } from './token.js';
import { unquote } from './unquote.js';

/** Go has no limit; this one keeps what walks a tree off the end of the stack. */
const MAX_DEPTH = 400;

/** Parses a text into the templates it defines, by name: one for itself, one for each `define` and `block`. */
export function parseTemplate(source: Source, hasFunction: (name: string) => boolean): ReadonlyMap<string, Tree> {
  const trees = new Map<string, Tree>();
  const options = { isBreakKeyword: !hasFunction('break'), isContinueKeyword: !hasFunction('continue') };
  const tokens = new TokenStream(source.name, source.text, options);
  new TreeParser(source.name, source, tokens, trees, hasFunction, 0).parseFile();
  return trees;
}

type Control = 'if' | 'with' | 'range';

/** Parses one template; those inside it get a parser of their own, which sees none of its variables. */
class TreeParser {
  private readonly pipelines: PipelineParser;
  private rangeDepth = 0;

  constructor(
    private name: string,
    private readonly source: Source,
    private readonly tokens: TokenStream,
    private readonly trees: Map<string, Tree>,
    private readonly hasFunction: (name: string) => boolean,
    private depth: number,
  ) {
    this.pipelines = new PipelineParser(source, tokens, hasFunction);
  }

  parseFile(): void {
    const { tokens } = this;
    const root = this.list(tokens.peek().pos);
    while (tokens.peek().type !== 'eof') {
      if (tokens.peek().type === 'leftDelim') {
        const delim = tokens.next();
        if (tokens.nextNonSpace().type === 'define') {
          this.inner('').parseDefinition();
          continue;
        }
        tokens.backBefore(delim);
      }
      const node = this.textOrAction();
      if (node.kind === 'end' || node.kind === 'else') tokens.fail(`unexpected ${nodeText(node)}`);
      root.nodes.push(node);
    }
    this.add(root);
  }

  private inner(name: string): TreeParser {
    this.tokens.actionLine = 0;
    return new TreeParser(name, this.source, this.tokens, this.trees, this.hasFunction, this.depth);
  }

  private parseDefinition(): void {
    const context = 'define clause';
    this.name = this.unquoted(this.tokens.expect(['string', 'rawString'], context));
    this.tokens.expect(['rightDelim'], context);
    this.parseBody(context);
  }

  private parseBody(context: string): void {
    const { list, end } = this.itemList();
    if (end.kind !== 'end') this.tokens.fail(`unexpected ${nodeText(end)} in ${context}`);
    this.add(list);
  }

  private add(root: ListNode): void {
    const other = this.trees.get(this.name);
    if (other === undefined || isEmptyTree(other.root))
      this.trees.set(this.name, { name: this.name, source: this.source, root });
    else if (!isEmptyTree(root)) this.tokens.fail(`template: multiple definition of template ${quoteText(this.name)}`);
  }

  private list(pos: number): ListNode {
    return { kind: 'list', pos, source: this.source, nodes: [] };
  }

  private itemList(): { list: ListNode; end: EndNode } {
    const { tokens } = this;
    if (++this.depth > MAX_DEPTH) tokens.fail(`more than ${MAX_DEPTH} blocks inside one another`);
    const list = this.list(tokens.peekNonSpace().pos);
    while (tokens.peekNonSpace().type !== 'eof') {
      const node = this.textOrAction();
      if (node.kind === 'end' || node.kind === 'else') {
        this.depth--;
        return { list, end: node };
      }
      list.nodes.push(node);
    }
    return tokens.fail('unexpected EOF');
  }

  private textOrAction(): Node {
    const { tokens, source } = this;
    const token = tokens.nextNonSpace();
    if (token.type === 'text') return { kind: 'text', pos: token.pos, source, text: token.text };
    if (token.type !== 'leftDelim') return tokens.unexpected(token, 'input');
    tokens.actionLine = token.line;
    const node = this.action();
    tokens.actionLine = 0;
    return node;
  }

  private action(): Node {
    const { tokens, source } = this;
    const token = tokens.nextNonSpace();
    switch (token.type) {
      case 'block':
        return this.block();
      case 'break':
      case 'continue':
        return this.jump(token, token.type);
      case 'else':
        return this.otherwise();
      case 'end':
        return { kind: 'end', pos: tokens.expect(['rightDelim'], 'end').pos, source };
      case 'if':
      case 'range':
      case 'with':
        return this.control(token.type);
      case 'template':
        return this.template();
      default:
        tokens.back();
        return { kind: 'action', pos: tokens.peek().pos, source, pipe: this.pipelines.parse('command', 'rightDelim') };
    }
  }

  private jump({ pos }: Token, kind: 'break' | 'continue'): Node {
    this.tokens.expect(['rightDelim'], `{{${kind}}}`);
    if (this.rangeDepth === 0) this.tokens.fail(`{{${kind}}} outside {{range}}`);
    return { kind, pos, source: this.source };
  }

  private otherwise(): Node {
    const next = this.tokens.peekNonSpace();
    const isChained = next.type === 'if' || next.type === 'with';
    const { pos } = isChained ? next : this.tokens.expect(['rightDelim'], 'else');
    return { kind: 'else', pos, source: this.source };
  }

  private control(kind: Control): Node {
    const visible = this.pipelines.countVariables();
    const pipe = this.pipelines.parse(kind, 'rightDelim');
    if (kind === 'range') this.rangeDepth++;
    const { list, end } = this.itemList();
    if (kind === 'range') this.rangeDepth--;
    const otherwise = end.kind === 'else' ? this.elseList(kind, end) : undefined;
    this.pipelines.forgetVariables(visible);
    return { kind, pos: pipe.pos, source: this.source, pipe, list, otherwise };
  }

  private elseList(kind: Control, end: EndNode): ListNode {
    const { tokens } = this;
    // `else if` shares the `end` of its `if`.
    if (kind !== 'range' && tokens.peek().type === kind) {
      tokens.next();
      if (++this.depth > MAX_DEPTH) tokens.fail(`more than ${MAX_DEPTH} blocks inside one another`);
      const list = this.list(end.pos);
      list.nodes.push(this.control(kind));
      this.depth--;
      return list;
    }
    const { list, end: last } = this.itemList();
    if (last.kind !== 'end') tokens.fail(`expected end; found ${nodeText(last)}`);
    return list;
  }

  private block(): Node {
    const context = 'block clause';
    const token = this.tokens.nextNonSpace();
    const name = this.templateName(token, context);
    const pipe = this.pipelines.parse(context, 'rightDelim');
    this.inner(name).parseBody(context);
    return { kind: 'template', pos: token.pos, source: this.source, name, pipe };
  }

  private template(): Node {
    const context = 'template clause';
    const { tokens } = this;
    const token = tokens.nextNonSpace();
    const name = this.templateName(token, context);
    let pipe: PipeNode | undefined;
    if (tokens.nextNonSpace().type !== 'rightDelim') {
      tokens.back();
      pipe = this.pipelines.parse(context, 'rightDelim');
    }
    return { kind: 'template', pos: token.pos, source: this.source, name, pipe };
  }

  private templateName(token: Token, context: string): string {
    return token.type === 'string' || token.type === 'rawString'
      ? this.unquoted(token)
      : this.tokens.unexpected(token, context);
  }

  private unquoted({ text }: Token): string {
    return unquote(text) ?? this.tokens.fail('invalid syntax');
  }
}
