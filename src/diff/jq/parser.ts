import { JqSyntaxError, type Definition, type Node, type ObjectEntry, type Operator, type Pattern } from './syntax.js';
import { TokenStream } from './token-stream.js';

/** Expressions nested deeper are refused: evaluation must not overflow the stack. */
const MAX_NESTING = 200;
const MAX_LENGTH = 4_000;

/** Parses a jq expression; a JqSyntaxError says where it is wrong. */
export function parseJq(source: string): Node {
  if (source.length > MAX_LENGTH) throw new JqSyntaxError(`longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  const parser = new Parser(source);
  const node = parser.pipe();
  parser.finish();
  return node;
}

const IDENTITY: Node = { kind: 'identity' };
const LEVELS: readonly { readonly signs: ReadonlySet<string>; readonly chained: boolean }[] = [
  { signs: new Set(['==', '!=', '<', '<=', '>', '>=']), chained: false },
  { signs: new Set(['+', '-']), chained: true },
  { signs: new Set(['*', '/', '%']), chained: true },
];
const UPDATES: ReadonlyMap<string, Operator | '' | '//' | '|'> = new Map([
  ['=', ''],
  ['|=', '|'],
  ['+=', '+'],
  ['-=', '-'],
  ['*=', '*'],
  ['/=', '/'],
  ['%=', '%'],
  ['//=', '//'],
]);

/** A question mark forgives the last step only: what comes before it may still fail. */
function optional(node: Node): Node {
  const attempt = (body: Node): Node => ({ kind: 'try', body, handler: undefined });
  if ((node.kind !== 'index' && node.kind !== 'slice' && node.kind !== 'iterate') || node.base.kind === 'identity')
    return attempt(node);
  return { kind: 'pipe', left: node.base, right: attempt({ ...node, base: IDENTITY }) };
}

function numberOf(text: string): number | bigint {
  const value = Number(text);
  return /^\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

class Parser {
  readonly #tokens: TokenStream;
  #nesting = 0;

  constructor(source: string) {
    this.#tokens = new TokenStream(source);
  }

  finish(): void {
    if (this.#tokens.token.kind !== 'end') this.#tokens.unexpected();
  }

  pipe(): Node {
    return this.#nested(() => {
      if (this.#tokens.isWord('def')) return { kind: 'define', definition: this.#definition(), body: this.pipe() };
      if (this.#tokens.takeWord('label')) {
        const name = this.#tokens.expectA('variable');
        this.#tokens.expect('|');
        return { kind: 'label', name, body: this.pipe() };
      }
      const left = this.#comma();
      return this.#tokens.take('|') ? { kind: 'pipe', left, right: this.pipe() } : left;
    });
  }

  #nested(parse: () => Node): Node {
    if (++this.#nesting > MAX_NESTING)
      throw new JqSyntaxError(`nested deeper than ${MAX_NESTING} levels`, this.#tokens.token.at);
    const node = parse();
    this.#nesting--;
    return node;
  }

  #comma(): Node {
    let left = this.#bound();
    while (this.#tokens.take(',')) left = { kind: 'comma', left, right: this.#bound() };
    return left;
  }

  /** An expression, or one whose value gets a name for all that follows. */
  #bound(): Node {
    if (this.#tokens.isWord('def') || this.#tokens.isWord('label')) return this.pipe();
    const source = this.#expression();
    if (!this.#tokens.takeWord('as')) return source;
    const pattern = this.#pattern();
    if (this.#tokens.isSign('?//'))
      throw new JqSyntaxError('alternative patterns (?//) are not supported', this.#tokens.token.at);
    this.#tokens.expect('|');
    return { kind: 'bind', source, pattern, body: this.pipe() };
  }

  #expression(): Node {
    const left = this.#updated();
    return this.#tokens.take('//')
      ? { kind: 'alternative', left, right: this.#nested(() => this.#expression()) }
      : left;
  }

  #updated(): Node {
    const left = this.#or();
    const operator = this.#tokens.token.kind === 'sign' ? UPDATES.get(this.#tokens.token.text) : undefined;
    if (operator === undefined) return left;
    this.#tokens.advance();
    return { kind: 'update', operator, left, right: this.#withAlternative() };
  }

  /** The right side of an update reaches over `//`. */
  #withAlternative(): Node {
    const left = this.#or();
    return this.#tokens.take('//')
      ? { kind: 'alternative', left, right: this.#nested(() => this.#withAlternative()) }
      : left;
  }

  #or(): Node {
    let left = this.#and();
    while (this.#tokens.takeWord('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Node {
    let left = this.#operation(0);
    while (this.#tokens.takeWord('and')) left = { kind: 'and', left, right: this.#operation(0) };
    return left;
  }

  #operation(level: number): Node {
    const rule = LEVELS[level];
    if (rule === undefined) return this.postfix();
    let left = this.#operation(level + 1);
    while (this.#tokens.token.kind === 'sign' && rule.signs.has(this.#tokens.token.text)) {
      const operator = this.#tokens.token.text as Operator;
      this.#tokens.advance();
      left = { kind: 'operator', operator, left, right: this.#operation(level + 1) };
      if (!rule.chained) break;
    }
    return left;
  }

  postfix(): Node {
    let node = this.#nested(() => this.#term());
    for (;;) {
      if (this.#tokens.isA('field')) node = this.#fieldOf(node);
      else if (this.#tokens.isSign('[')) node = this.#bracket(node);
      else if (this.#tokens.take('?')) node = optional(node);
      else if (this.#tokens.isSign('.')) node = this.#dotted(node);
      else return node;
    }
  }

  #fieldOf(base: Node): Node {
    const node: Node = { kind: 'index', base, key: { kind: 'literal', value: this.#tokens.token.text } };
    this.#tokens.advance();
    return node;
  }

  /** After a dot: a quoted field or a bracket. */
  #dotted(base: Node): Node {
    this.#tokens.expect('.');
    if (this.#tokens.isA('quote')) return { kind: 'index', base, key: this.#text('') };
    if (this.#tokens.isSign('[')) return this.#bracket(base);
    return this.#tokens.unexpected();
  }

  #bracket(base: Node): Node {
    this.#tokens.expect('[');
    if (this.#tokens.take(']')) return { kind: 'iterate', base };
    if (this.#tokens.take(':')) return this.#closed({ kind: 'slice', base, from: undefined, to: this.pipe() });
    const from = this.pipe();
    if (!this.#tokens.take(':')) return this.#closed({ kind: 'index', base, key: from });
    return this.#closed({ kind: 'slice', base, from, to: this.#tokens.isSign(']') ? undefined : this.pipe() });
  }

  #closed(node: Node): Node {
    this.#tokens.expect(']');
    return node;
  }

  #term(): Node {
    const { kind, text, at } = this.#tokens.token;
    switch (kind) {
      case 'number':
        return this.#literal(numberOf(text));
      case 'quote':
        return this.#text('');
      case 'field':
        return this.#fieldOf(IDENTITY);
      case 'format': {
        this.#tokens.advance();
        return this.#tokens.isA('quote') ? this.#text(text) : { kind: 'format', format: text, at };
      }
      case 'variable': {
        this.#tokens.advance();
        return { kind: 'variable', name: text, at };
      }
      case 'name':
        return this.#call();
      case 'keyword':
        return this.#keyword(text);
      case 'sign':
        return this.#sign(text);
      default:
        return this.#tokens.unexpected();
    }
  }

  #literal(value: null | boolean | number | bigint): Node {
    this.#tokens.advance();
    return { kind: 'literal', value };
  }

  #call(): Node {
    const { text: name, at } = this.#tokens.token;
    this.#tokens.advance();
    const args: Node[] = [];
    if (this.#tokens.take('(')) {
      do args.push(this.pipe());
      while (this.#tokens.take(';'));
      this.#tokens.expect(')');
    }
    return { kind: 'call', name, args, at };
  }

  #sign(text: string): Node {
    const at = this.#tokens.token.at;
    switch (text) {
      case '.': {
        const after = this.#tokens.following();
        if (after === '"' || after === '[') return this.#dotted(IDENTITY);
        this.#tokens.advance();
        return IDENTITY;
      }
      case '..': {
        this.#tokens.advance();
        return { kind: 'call', name: 'recurse', args: [], at };
      }
      case '-': {
        this.#tokens.advance();
        return { kind: 'negate', body: this.postfix() };
      }
      case '+': {
        this.#tokens.advance();
        return this.postfix();
      }
      case '(': {
        this.#tokens.advance();
        const node = this.pipe();
        this.#tokens.expect(')');
        return node;
      }
      case '[': {
        this.#tokens.advance();
        if (this.#tokens.take(']')) return { kind: 'array', body: undefined };
        const body = this.pipe();
        return this.#closed({ kind: 'array', body });
      }
      case '{':
        return this.#object();
      default:
        return this.#tokens.unexpected();
    }
  }

  #keyword(word: string): Node {
    switch (word) {
      case 'null':
        return this.#literal(null);
      case 'true':
        return this.#literal(true);
      case 'false':
        return this.#literal(false);
      case 'if':
        return this.#if();
      case 'try': {
        this.#tokens.advance();
        const body = this.postfix();
        return { kind: 'try', body, handler: this.#tokens.takeWord('catch') ? this.postfix() : undefined };
      }
      case 'reduce':
      case 'foreach':
        return this.#fold(word);
      case 'break': {
        this.#tokens.advance();
        const at = this.#tokens.token.at;
        return { kind: 'break', name: this.#tokens.expectA('variable'), at };
      }
      default:
        return this.#tokens.unexpected();
    }
  }

  #if(): Node {
    this.#tokens.advance();
    const condition = this.pipe();
    this.#tokens.expectWord('then');
    const then = this.pipe();
    if (this.#tokens.isWord('elif')) return { kind: 'if', condition, then, otherwise: this.#nested(() => this.#if()) };
    const otherwise = this.#tokens.takeWord('else') ? this.pipe() : undefined;
    this.#tokens.expectWord('end');
    return { kind: 'if', condition, then, otherwise };
  }

  #fold(kind: 'reduce' | 'foreach'): Node {
    this.#tokens.advance();
    const source = this.#expression();
    this.#tokens.expectWord('as');
    const pattern = this.#pattern();
    this.#tokens.expect('(');
    const start = this.pipe();
    this.#tokens.expect(';');
    const update = this.pipe();
    const extract = kind === 'foreach' && this.#tokens.take(';') ? this.pipe() : undefined;
    this.#tokens.expect(')');
    return kind === 'reduce'
      ? { kind, source, pattern, start, update }
      : { kind, source, pattern, start, update, extract };
  }

  #definition(): Definition {
    this.#tokens.advance();
    const name = this.#tokens.expectA('name');
    const params: string[] = [];
    if (this.#tokens.take('(')) {
      do {
        if (!this.#tokens.isA('name') && !this.#tokens.isA('variable')) this.#tokens.unexpected();
        params.push(this.#tokens.token.text);
        this.#tokens.advance();
      } while (this.#tokens.take(';'));
      this.#tokens.expect(')');
    }
    this.#tokens.expect(':');
    const body = this.pipe();
    this.#tokens.expect(';');
    return { name, params, body };
  }

  #object(): Node {
    this.#tokens.advance();
    const entries: ObjectEntry[] = [];
    while (!this.#tokens.take('}')) {
      if (entries.length > 0) {
        this.#tokens.expect(',');
        if (this.#tokens.take('}')) break;
      }
      entries.push(this.#entry());
    }
    return { kind: 'object', entries };
  }

  #entry(): ObjectEntry {
    const { kind, text, at } = this.#tokens.token;
    if (kind === 'variable') {
      this.#tokens.advance();
      return { key: { kind: 'literal', value: text.slice(1) }, value: { kind: 'variable', name: text, at } };
    }
    const key = this.#key();
    if (this.#tokens.take(':')) return { key, value: this.#entryValue() };
    if (kind === 'sign') this.#tokens.unexpected();
    return { key, value: { kind: 'index', base: IDENTITY, key } };
  }

  #entryValue(): Node {
    const left = this.#expression();
    return this.#tokens.take('|') ? { kind: 'pipe', left, right: this.#nested(() => this.#entryValue()) } : left;
  }

  #key(): Node {
    const { kind, text } = this.#tokens.token;
    if (kind === 'quote') return this.#text('');
    if (kind === 'name' || kind === 'keyword') {
      this.#tokens.advance();
      return { kind: 'literal', value: text };
    }
    this.#tokens.expect('(');
    const key = this.pipe();
    this.#tokens.expect(')');
    return key;
  }

  #pattern(): Pattern {
    if (this.#tokens.isA('variable')) return { kind: 'name', name: this.#tokens.expectA('variable') };
    if (this.#tokens.take('[')) {
      const items: Pattern[] = [];
      do items.push(this.#pattern());
      while (this.#tokens.take(','));
      this.#tokens.expect(']');
      return { kind: 'list', items };
    }
    this.#tokens.expect('{');
    const fields: { key: Node; name: string; pattern: Pattern | undefined }[] = [];
    do {
      const name = this.#tokens.isA('variable') ? this.#tokens.expectA('variable') : '';
      const key: Node = name === '' ? this.#key() : { kind: 'literal', value: name.slice(1) };
      const pattern = name === '' || this.#tokens.isSign(':') ? this.#after(':') : undefined;
      fields.push({ key, name, pattern });
    } while (this.#tokens.take(','));
    this.#tokens.expect('}');
    return { kind: 'fields', fields };
  }

  #after(sign: string): Pattern {
    this.#tokens.expect(sign);
    return this.#pattern();
  }

  /** A text; the current token is its opening quote. */
  #text(format: string): Node {
    const at = this.#tokens.token.at;
    const parts: (string | Node)[] = [];
    for (;;) {
      const piece = this.#tokens.textPiece();
      if (piece.kind === 'close') break;
      if (piece.kind === 'chars') parts.push(piece.chars);
      else {
        this.#tokens.advance();
        parts.push(this.pipe());
        // Its closing bracket is the current token, so the text goes on right behind it.
        if (!this.#tokens.isSign(')')) this.#tokens.unexpected(')');
      }
    }
    this.#tokens.advance();
    return format === '' && parts.every((part) => typeof part === 'string')
      ? { kind: 'literal', value: parts.join('') }
      : { kind: 'text', format, parts, at };
  }
}
