import {
  ALL,
  DIGITS,
  LINE_ENDS,
  SPACES,
  WORD,
  bothCases,
  has,
  ofProperty,
  union,
  without,
  type CharSet,
} from './char-set.js';

/** What stands at both sides of a place: a code point, or undefined at the ends of the text. */
export type PlaceTest = (before: number | undefined, after: number | undefined) => boolean;

interface Span {
  readonly start: number;
  readonly end: number;
}

export type RegexNode = Span &
  (
    | { readonly kind: 'set'; readonly set: CharSet }
    | { readonly kind: 'sequence' | 'choice'; readonly items: readonly RegexNode[] }
    | { readonly kind: 'repeat'; readonly body: RegexNode; readonly least: number; readonly most: number }
    /** `sets` are the characters the test tells apart. */
    | { readonly kind: 'place'; readonly test: PlaceTest; readonly sets: readonly CharSet[] }
    | { readonly kind: 'look'; readonly isAhead: boolean; readonly body: RegexNode }
  );

const ESCAPED: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };
const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGITS,
  D: without(DIGITS),
  w: WORD,
  W: without(WORD),
  s: SPACES,
  S: without(SPACES),
};

export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError';
}

/** Reads a pattern of JavaScript. */
export function parseRegex(pattern: string, flags = ''): RegexNode {
  return new Parser(pattern, flags).whole();
}

class Parser {
  private at = 0;
  private readonly groups: RegexNode[] = [];
  private readonly names = new Map<string, number>();
  private opened = 0;

  constructor(
    private readonly text: string,
    private readonly flags: string,
  ) {
    if (flags.includes('v')) throw new RegexSyntaxError('the flag v is not known to this check');
  }

  whole(): RegexNode {
    const node = this.choice();
    if (this.at < this.text.length)
      throw new RegexSyntaxError(`unexpected "${this.text[this.at] ?? ''}" at ${this.at}`);
    return node;
  }

  private choice(): RegexNode {
    const start = this.at;
    const items = [this.sequence()];
    while (this.take('|')) items.push(this.sequence());
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: 'choice', items, start, end: this.at };
  }

  private sequence(): RegexNode {
    const start = this.at;
    const items: RegexNode[] = [];
    while (this.at < this.text.length && !'|)'.includes(this.text[this.at] ?? '')) items.push(this.term());
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items, start, end: this.at };
  }

  private term(): RegexNode {
    const start = this.at;
    const body = this.atom();
    const counts = this.counts();
    return counts === undefined ? body : { kind: 'repeat', body, ...counts, start, end: this.at };
  }

  private counts(): { least: number; most: number } | undefined {
    const rest = this.text.slice(this.at, this.at + 30);
    const [read = '', sign = '', least, comma, most] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(rest) ?? [];
    if (read === '') return undefined;
    this.at += read.length;
    if (sign !== '') return { least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const open = comma === ',' ? Infinity : Number(least);
    return { least: Number(least), most: most !== undefined && most !== '' ? Number(most) : open };
  }

  private atom(): RegexNode {
    const start = this.at;
    const char = this.next();
    if (char === '^')
      return this.place(start, (before) => before === undefined || (this.has('m') && has(LINE_ENDS, before)), [
        LINE_ENDS,
      ]);
    if (char === '$')
      return this.place(start, (_, after) => after === undefined || (this.has('m') && has(LINE_ENDS, after)), [
        LINE_ENDS,
      ]);
    if (char === '.') return this.set(start, this.has('s') ? ALL : without(LINE_ENDS));
    if (char === '[') return this.set(start, this.charClass());
    if (char === '(') return this.group(start);
    if (char === '\\') return this.escape(start);
    return this.set(start, this.only(char));
  }

  private escape(start: number): RegexNode {
    const char = this.text[this.at] ?? '';
    if (char === 'b' || char === 'B') {
      this.at++;
      const isWord = (code: number | undefined): boolean => code !== undefined && has(WORD, code);
      return this.place(start, (before, after) => (isWord(before) !== isWord(after)) === (char === 'b'), [WORD]);
    }
    const [read = '', digits, name] = /^(?:([1-9]\d?)|k<(\w+)>)/.exec(this.text.slice(this.at, this.at + 80)) ?? [];
    if (read !== '') {
      this.at += read.length;
      // What the group read before is taken for anything that it may read.
      const node = this.groups[digits === undefined ? (this.names.get(name ?? '') ?? 0) : Number(digits)];
      return node ?? { kind: 'sequence', items: [], start, end: this.at };
    }
    return this.set(start, this.escapedSet());
  }

  private group(start: number): RegexNode {
    const [read = '', kind = '', name = ''] =
      /^\?(?:(:|=|!|<=|<!)|<(\w+)>)/.exec(this.text.slice(this.at, this.at + 80)) ?? [];
    this.at += read.length;
    const number = kind === '' ? ++this.opened : 0;
    if (name !== '') this.names.set(name, number);
    const inner = this.choice();
    if (!this.take(')')) throw new RegexSyntaxError(`a bracket at ${start} is not closed`);
    if (kind === '' || kind === ':') {
      if (kind === '') this.groups[number] = inner;
      return { ...inner, start, end: this.at };
    }
    return this.lookAround(start, inner, kind);
  }

  private lookAround(start: number, body: RegexNode, kind: string): RegexNode {
    const isAhead = !kind.startsWith('<');
    const short = oneCharacter(body);
    if (short === undefined) return { kind: 'look', isAhead, body, start, end: this.at };
    const fits = (code: number | undefined): boolean => (code === undefined ? short.atEnd : has(short.set, code));
    const isWanted = kind.endsWith('=');
    return this.place(start, (before, after) => fits(isAhead ? after : before) === isWanted, [short.set]);
  }

  private charClass(): CharSet {
    const isNegated = this.take('^');
    const parts: CharSet[] = [];
    while (!this.take(']')) {
      const low = this.classMember();
      const [first] = low;
      if (
        this.text[this.at] === '-' &&
        this.text[this.at + 1] !== ']' &&
        low.length === 1 &&
        first?.[0] === first?.[1]
      ) {
        this.at++;
        const high = this.classMember();
        parts.push([[first?.[0] ?? 0, high[0]?.[1] ?? 0]]);
      } else parts.push(low);
    }
    const set = this.cased(union(...parts));
    return isNegated ? without(set) : set;
  }

  private classMember(): CharSet {
    const char = this.next();
    if (char !== '\\') return codeOf(char);
    if (this.take('b')) return [[8, 8]];
    return this.take('-') ? codeOf('-') : this.escapedSet();
  }

  private escapedSet(): CharSet {
    const [property = '', sign, name = ''] =
      (this.has('u') && /^([pP])\{([^}]+)\}/.exec(this.text.slice(this.at, this.at + 80))) || [];
    if (property !== '') {
      this.at += property.length;
      return sign === 'p' ? ofProperty(name) : without(ofProperty(name));
    }
    const [code = '', two, four, long] =
      /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/.exec(this.text.slice(this.at, this.at + 12)) ??
      [];
    if (code !== '') {
      this.at += code.length;
      const value = parseInt(two ?? four ?? long ?? '0', 16);
      return this.cased([[value, value]]);
    }
    const char = this.next();
    if (char === 'c') return [[(this.next().codePointAt(0) ?? 0) % 32, (this.text.codePointAt(this.at - 1) ?? 0) % 32]];
    const known = CLASSES[char];
    if (known !== undefined) return known;
    const control = ESCAPED[char];
    return control === undefined ? this.only(char) : [[control, control]];
  }

  private next(): string {
    const code = this.text.codePointAt(this.at);
    if (code === undefined) throw new RegexSyntaxError('the pattern ends too early');
    const char = String.fromCodePoint(code);
    this.at += char.length;
    return char;
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private only(char: string): CharSet {
    return this.cased(codeOf(char));
  }
  private cased(set: CharSet): CharSet {
    return this.has('i') ? bothCases(set) : set;
  }
  private has(flag: string): boolean {
    return this.flags.includes(flag);
  }
  private set(start: number, set: CharSet): RegexNode {
    return { kind: 'set', set, start, end: this.at };
  }
  private place(start: number, test: PlaceTest, sets: readonly CharSet[]): RegexNode {
    return { kind: 'place', test, sets, start, end: this.at };
  }
}

function codeOf(char: string): CharSet {
  const code = char.codePointAt(0) ?? 0;
  return [[code, code]];
}

/** What a lookaround wants where that is one character or the end of the text. */
function oneCharacter(node: RegexNode): { readonly set: CharSet; readonly atEnd: boolean } | undefined {
  if (node.kind === 'set') return { set: node.set, atEnd: false };
  // An end in a lookaround: of the text, as only there the test holds with nothing at both sides and not before a
  // letter.
  if (node.kind === 'place')
    return node.test(undefined, undefined) && !node.test(97, 97) && !node.test(97, 10) && !node.test(10, 97)
      ? { set: [], atEnd: true }
      : undefined;
  if (node.kind !== 'choice') return undefined;
  const parts = node.items.map(oneCharacter);
  return parts.every((part) => part !== undefined)
    ? { set: union(...parts.map(({ set }) => set)), atEnd: parts.some(({ atEnd }) => atEnd) }
    : undefined;
}
