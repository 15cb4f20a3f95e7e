import { decodeRune, encodeRune } from './utf8.js';
import { newDirective, type Directive } from './verbs.js';

/** How Sprintf sees arguments of a type that only the caller knows. All texts are byte strings. */
export interface PrintfArguments<T> {
  /** The argument under a verb, wrong verbs included. For v and w, sharp and plus have become sharpV and plusV. */
  text(arg: T, verb: string, directive: Directive): string;
  /** The type's name; undefined for nil, which has none. */
  typeName(arg: T): string | undefined;
  /** An argument for `*`, where it is a plain integer. */
  integer(arg: T): number | undefined;
  /** A piece of this length is about to be made. */
  charge(length: number): void;
}

const MAX_WIDTH = 1_000_000;

/**
 * Go's fmt.Sprintf: the directives with flags, width, precision and argument index, and its complaints inside the text.
 */
export function printf<T>(format: string, args: readonly T[], kind: PrintfArguments<T>): string {
  return new Printer(format, args, kind).print();
}

class Printer<T> {
  private readonly pieces: string[] = [];
  private at = 0;
  private next = 0;
  private isReordered = false;
  private isIndexGood = true;

  constructor(
    private readonly format: string,
    private readonly args: readonly T[],
    private readonly kind: PrintfArguments<T>,
  ) {}

  print(): string {
    const { format } = this;
    while (this.at < format.length) {
      const percent = format.indexOf('%', this.at);
      this.pieces.push(format.slice(this.at, percent < 0 ? format.length : percent));
      if (percent < 0) break;
      this.at = percent + 1;
      this.isIndexGood = true;
      if (!this.printVerb(this.readFlags())) break;
    }
    if (!this.isReordered && this.next < this.args.length) this.printExtra();
    const length = this.pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.kind.charge(length);
    return this.pieces.join('');
  }

  private readFlags(): Directive {
    const directive = newDirective();
    for (; this.at < this.format.length; this.at++) {
      const char = this.format.charAt(this.at);
      if (char === '#') directive.sharp = true;
      else if (char === '0') directive.zero = true;
      else if (char === '+') directive.plus = true;
      else if (char === '-') directive.minus = true;
      else if (char === ' ') directive.space = true;
      else break;
    }
    return directive;
  }

  /** Reads index, width, precision and verb, then prints; false if the format ends before the verb. */
  private printVerb(directive: Directive): boolean {
    const { format, pieces } = this;
    let isAfterIndex = this.readIndex();
    isAfterIndex = this.readWidth(directive, isAfterIndex);
    if (this.at + 1 < format.length && format.charAt(this.at) === '.') {
      this.at++;
      if (isAfterIndex) this.isIndexGood = false;
      isAfterIndex = this.readPrecision(directive);
    }
    if (!isAfterIndex) this.readIndex();
    if (this.at >= format.length) {
      pieces.push('%!(NOVERB)');
      return false;
    }
    const packed = decodeRune(format, this.at);
    this.at += packed & 7;
    const verb = encodeRune(packed >> 3);
    if (verb === '%') pieces.push('%');
    else if (!this.isIndexGood) pieces.push(`%!${verb}(BADINDEX)`);
    else if (this.next >= this.args.length) pieces.push(`%!${verb}(MISSING)`);
    // An argument may be undefined, so the check above is on the count.
    else this.printArgument(this.args[this.next++] as T, verb, directive);
    return true;
  }

  private readWidth(directive: Directive, isAfterIndex: boolean): boolean {
    if (this.format.charAt(this.at) === '*') {
      this.at++;
      const width = this.takeInteger();
      if (width === undefined) this.pieces.push('%!(BADWIDTH)');
      else directive.width = Math.abs(width);
      if (width !== undefined && width < 0) {
        directive.minus = true;
        directive.zero = false;
      }
      return false;
    }
    directive.width = this.readNumber();
    if (isAfterIndex && directive.width !== undefined) this.isIndexGood = false;
    return isAfterIndex;
  }

  private readPrecision(directive: Directive): boolean {
    const isAfterIndex = this.readIndex();
    if (this.format.charAt(this.at) !== '*') {
      directive.precision = this.readNumber() ?? 0;
      return isAfterIndex;
    }
    this.at++;
    const precision = this.takeInteger();
    if (precision === undefined || precision < 0) this.pieces.push('%!(BADPREC)');
    else directive.precision = precision;
    return false;
  }

  private takeInteger(): number | undefined {
    if (this.next >= this.args.length) return undefined;
    const value = this.kind.integer(this.args[this.next++] as T);
    return value !== undefined && Math.abs(value) <= MAX_WIDTH ? value : undefined;
  }

  private readNumber(): number | undefined {
    let value: number | undefined;
    for (; this.at < this.format.length; this.at++) {
      const digit = this.format.charCodeAt(this.at) - 0x30;
      if (!(digit >= 0 && digit <= 9)) break;
      if ((value ?? 0) > MAX_WIDTH) {
        // Go gives up on the rest of the format.
        this.at = this.format.length;
        return undefined;
      }
      value = (value ?? 0) * 10 + digit;
    }
    return value;
  }

  /** `[n]` chooses the argument; true if it was well written. */
  private readIndex(): boolean {
    const { format } = this;
    if (format.charAt(this.at) !== '[') return false;
    this.isReordered = true;
    const close = format.length - this.at < 3 ? -1 : format.indexOf(']', this.at + 1);
    if (close < 0) {
      this.at++;
      this.isIndexGood = false;
      return false;
    }
    const index = indexOf(format.slice(this.at + 1, close));
    this.at = close + 1;
    if (index !== undefined && index >= 1 && index <= this.args.length) this.next = index - 1;
    else this.isIndexGood = false;
    return index !== undefined;
  }

  private printExtra(): void {
    const rest = this.args.slice(this.next);
    this.pieces.push('%!(EXTRA ');
    rest.forEach((arg, i) => {
      if (i > 0) this.pieces.push(', ');
      const name = this.kind.typeName(arg);
      if (name === undefined) this.pieces.push('<nil>');
      else {
        this.pieces.push(`${name}=`);
        this.printArgument(arg, 'v', newDirective());
      }
    });
    this.pieces.push(')');
  }

  private printArgument(arg: T, verb: string, directive: Directive): void {
    const size = (directive.width ?? 0) + (directive.precision ?? 0);
    if (size > 64) this.kind.charge(size);
    if (verb === 'v' || verb === 'w') {
      directive.sharpV = directive.sharp;
      directive.plusV = directive.plus;
      directive.sharp = directive.plus = false;
    }
    this.pieces.push(this.kind.text(arg, verb, directive));
  }
}

function indexOf(text: string): number | undefined {
  return /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}
