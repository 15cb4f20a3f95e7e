import { ScriptError, type Command, type Part, type Word } from './syntax.js';

/** What stands between words: `;`, `&&`, `||`, `|`, brackets, a new line. Empty at the end. */
type Token = { readonly word: Word; readonly plain: string | undefined } | { readonly sign: string };

const MAX_LENGTH = 100_000;
const ENDS = ['then', 'else', 'elif', 'fi', 'do', 'done'];

/** Reads the part of the shell's language that waits are written in; throws a ScriptError at anything else. */
export function parseScript(script: string): Command {
  if (script.length > MAX_LENGTH) throw new ScriptError('it is too long');
  const parser = new Parser(new Lexer(script.replaceAll('\\\r\n', ' ').replaceAll('\\\n', ' ')));
  const command = parser.list([]);
  parser.end();
  return command;
}

class Lexer {
  #at = 0;
  constructor(readonly text: string) {}

  next(): Token {
    while (/[ \t\r]/.test(this.#char())) this.#at++;
    if (this.#char() === '#') this.#at = this.#indexOf('\n');
    if (this.#at >= this.text.length) return { sign: '' };
    const [sign] =
      /^(?:&&|\|\||;;|\d?>&\d|\d?>>?|<<<?|<|&>|[;|&()\n])/.exec(this.text.slice(this.#at, this.#at + 4)) ?? [];
    if (sign === undefined) return this.#word();
    this.#at += sign.length;
    return { sign };
  }

  #char(): string {
    return this.text[this.#at] ?? '';
  }

  #indexOf(end: string): number {
    const found = this.text.indexOf(end, this.#at);
    return found < 0 ? this.text.length : found;
  }

  #word(): Token {
    const parts: Part[] = [];
    let plain: string | undefined = '';
    const add = (text: string): void => void parts.push({ kind: 'text', text });
    while (this.#at < this.text.length && !/[\s;|&()<>]/.test(this.#char())) {
      const char = this.#char();
      if (!/[\w./:=@%,{}[\]*?!+~^-]/.test(char)) plain = undefined;
      else plain = plain === undefined ? undefined : plain + char;
      this.#at++;
      if (char === "'") add(this.#until("'"));
      else if (char === '"') this.#quoted(parts);
      else if (char === '\\') add(this.text[this.#at++] ?? '');
      else if (char === '$') parts.push(this.#dollar(false));
      else if (char === '`') parts.push(this.#output(this.#until('`'), false));
      else add(char);
    }
    return { word: parts, plain };
  }

  #until(end: string): string {
    const stop = this.#indexOf(end);
    if (stop >= this.text.length) throw new ScriptError(`${end} is never closed`);
    const text = this.text.slice(this.#at, stop);
    this.#at = stop + end.length;
    return text;
  }

  #quoted(parts: Part[]): void {
    parts.push({ kind: 'text', text: '' });
    for (;;) {
      const char = this.text[this.#at++];
      if (char === undefined) throw new ScriptError('" is never closed');
      if (char === '"') return;
      if (char === '\\') {
        const escaped = this.text[this.#at++] ?? '';
        parts.push({ kind: 'text', text: /["\\$`]/.test(escaped) ? escaped : `\\${escaped}` });
      } else if (char === '$') parts.push(this.#dollar(true));
      else if (char === '`') parts.push(this.#output(this.#until('`'), true));
      else parts.push({ kind: 'text', text: char });
    }
  }

  #dollar(quoted: boolean): Part {
    const rest = this.text.slice(this.#at, this.#at + 300);
    if (rest.startsWith('((')) {
      this.#at += 2;
      return { kind: 'sum', text: this.#until('))') };
    }
    if (rest.startsWith('(')) {
      this.#at++;
      return this.#output(this.#nested(), quoted);
    }
    const [whole, name, braced, fallback = ''] =
      /^(?:([A-Za-z_]\w*|[?#@*0-9])|\{([A-Za-z_]\w*)(?::-([^}]*))?\})/.exec(rest) ?? [];
    if (whole === undefined) {
      if (rest.startsWith('{')) throw new ScriptError('an expansion of another kind');
      return { kind: 'text', text: '$' };
    }
    this.#at += whole.length;
    return { kind: 'variable', name: name ?? braced ?? '', fallback, quoted };
  }

  #output(script: string, quoted: boolean): Part {
    return { kind: 'output', of: parseScript(script), quoted };
  }

  /** Up to the bracket that closes the one before. */
  #nested(): string {
    const start = this.#at;
    let depth = 1;
    while (this.#at < this.text.length) {
      const char = this.text[this.#at++];
      if (char === "'") this.#until("'");
      else if (char === '\\') this.#at++;
      else if (char === '(') depth++;
      else if (char === ')' && --depth === 0) return this.text.slice(start, this.#at - 1);
    }
    throw new ScriptError('$( is never closed');
  }
}

class Parser {
  #token: Token;
  constructor(readonly lexer: Lexer) {
    this.#token = lexer.next();
  }

  end(): void {
    if (!this.#is('')) throw new ScriptError('something is left over');
  }

  #take(): Token {
    const token = this.#token;
    this.#token = this.lexer.next();
    return token;
  }

  #is(sign: string): boolean {
    return 'sign' in this.#token && this.#token.sign === sign;
  }

  #plain(): string | undefined {
    return 'word' in this.#token ? this.#token.plain : undefined;
  }

  #expect(word: string): void {
    if (this.#plain() !== word) throw new ScriptError(`${word} is missing`);
    this.#take();
  }

  #skip(...signs: readonly string[]): void {
    while (signs.some((sign) => this.#is(sign))) this.#take();
  }

  /** Up to one of these words, or to the end or a closing bracket. */
  list(until: readonly string[]): Command {
    const of: Command[] = [];
    for (;;) {
      this.#skip('\n', ';');
      const plain = this.#plain();
      if (this.#is('') || this.#is(')') || (plain !== undefined && until.includes(plain))) break;
      if (plain !== undefined && ENDS.includes(plain)) throw new ScriptError(`${plain} stands alone`);
      of.push(this.#chain());
      if (this.#is('&') || this.#is(';;')) throw new ScriptError('something in the background');
    }
    return { kind: 'list', of };
  }

  #chain(): Command {
    let left = this.#pipe();
    while (this.#is('&&') || this.#is('||')) {
      const kind = this.#is('&&') ? 'and' : 'or';
      this.#take();
      this.#skip('\n');
      left = { kind, left, right: this.#pipe() };
    }
    return left;
  }

  #pipe(): Command {
    if (this.#plain() === '!') {
      this.#take();
      return { kind: 'not', of: this.#pipe() };
    }
    const of = [this.#command()];
    while (this.#is('|')) {
      this.#take();
      this.#skip('\n');
      of.push(this.#command());
    }
    const [only] = of;
    return of.length === 1 && only !== undefined ? only : { kind: 'pipe', of };
  }

  #command(): Command {
    switch (this.#plain()) {
      case 'while':
      case 'until':
        return this.#loop();
      case 'for':
        return this.#for();
      case 'if':
        return this.#if();
      case '{':
      case 'case':
      case 'function':
      case 'select':
        throw new ScriptError(`${this.#plain() ?? ''} is not played`);
      default:
        return this.#call();
    }
  }

  #loop(): Command {
    const until = this.#plain() === 'until';
    this.#take();
    const test = this.list(['do']);
    return { kind: 'loop', until, test, body: this.#body() };
  }

  #body(): Command {
    this.#skip('\n', ';');
    this.#expect('do');
    const body = this.list(['done']);
    this.#expect('done');
    this.#redirections();
    return body;
  }

  #for(): Command {
    this.#take();
    const name = this.#plain() ?? '';
    this.#take();
    this.#expect('in');
    const words: Word[] = [];
    while ('word' in this.#token) {
      words.push(this.#token.word);
      this.#take();
    }
    return { kind: 'for', name, words, body: this.#body() };
  }

  #if(): Command {
    const arms: { test: Command; body: Command }[] = [];
    do {
      this.#take();
      const test = this.list(['then']);
      this.#expect('then');
      arms.push({ test, body: this.list(['elif', 'else', 'fi']) });
    } while (this.#plain() === 'elif');
    let other: Command | undefined;
    if (this.#plain() === 'else') {
      this.#take();
      other = this.list(['fi']);
    }
    this.#expect('fi');
    this.#redirections();
    return { kind: 'if', arms, other };
  }

  #call(): Command {
    if (!('word' in this.#token) && !this.#isRedirection()) throw new ScriptError('a command is missing');
    const sets: { name: string; value: Word }[] = [];
    const words: Word[] = [];
    let silent = false;
    for (;;) {
      if (this.#isRedirection()) silent = this.#redirections() || silent;
      else if ('word' in this.#token) {
        const { word } = this.#token;
        this.#take();
        const set = words.length === 0 ? assignment(word) : undefined;
        if (set === undefined) words.push(word);
        else sets.push(set);
      } else return { kind: 'call', sets, words, silent };
    }
  }

  #isRedirection(): boolean {
    return 'sign' in this.#token && /[<>]/.test(this.#token.sign);
  }

  /** What is written into files is not kept; true where that is the output. */
  #redirections(): boolean {
    let silent = false;
    while (this.#isRedirection()) {
      const token = this.#take();
      const sign = 'sign' in token ? token.sign : '';
      if (sign.includes('<')) throw new ScriptError('input from elsewhere');
      if (!/^[02-9]/.test(sign)) silent = !sign.includes('>&');
      if (!sign.includes('>&')) this.#take();
    }
    return silent;
  }
}

function assignment(word: Word): { name: string; value: Word } | undefined {
  const at = word.findIndex((part) => part.kind !== 'text' || part.text.includes('='));
  const [letters, rest] = [word.slice(0, Math.max(at, 0)), word.slice(at + 1)];
  const separator = word[at];
  if (separator?.kind !== 'text' || separator.text !== '=') return undefined;
  const name = letters.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  return /^[A-Za-z_]\w*$/.test(name) ? { name, value: rest } : undefined;
}
