import { LuaCoroutine, LuaFunction, LuaTable, type LuaValue, type LuaValues } from '../value.js';
import { toInt } from './go-int.js';
import { decodeRune, encodeRune } from './go-utf8.js';
import { formatFloatVerb, formatInteger, formatString, newDirective, pad, type Directive } from './go-verbs.js';
import { isInt64, numberToText, textToNumber } from './number-text.js';

/**
 * string.format as gopher-lua does it: the format goes to Go's fmt.Sprintf, the arguments are Go values of gopher-lua's
 * types. So a missing argument is `%!d(MISSING)` and not an error, `%5.1s` cuts runes, and %i is %d.
 */

/** What formatting asks of the script that runs. */
export interface FormatHost {
  /** A piece of this length is about to be made. */
  chargeString(length: number): void;
  /** Text of a value without metamethods. */
  text(value: LuaValue): string;
}

/** A plain Go value, where gopher-lua's own types hand over to Go's. */
class GoValue {
  constructor(readonly type: 'int64' | 'float64' | 'string', readonly value: number | string) {}
}
type Argument = LuaValue | GoValue;

export function formatText(format: string, args: LuaValues, host: FormatHost): string {
  const percents = format.split('%').length - 1;
  const pairs = format.split('%%').length - 1;
  return new Printer(format, args.slice(0, Math.min(percents - pairs, args.length)), host).print();
}

const LARGEST = 1_000_000;

class Printer {
  private readonly pieces: string[] = [];
  private at = 0;
  private next = 0;
  private isReordered = false;
  private isIndexGood = true;

  constructor(private readonly format: string, private readonly args: readonly Argument[], private readonly host: FormatHost) {}

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
    this.host.chargeString(length);
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
    else this.printArgument(this.args[this.next++], verb, directive);
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

  /** Only a plain integer can be a width; numbers of the script are floats for Go. */
  private takeInteger(): number | undefined {
    if (this.next >= this.args.length) return undefined;
    const arg = this.args[this.next++];
    return arg instanceof GoValue && arg.type === 'int64' && Math.abs(Number(arg.value)) <= LARGEST ? Number(arg.value) : undefined;
  }

  private readNumber(): number | undefined {
    let value: number | undefined;
    for (; this.at < this.format.length; this.at++) {
      const digit = this.format.charCodeAt(this.at) - 0x30;
      if (!(digit >= 0 && digit <= 9)) break;
      if ((value ?? 0) > LARGEST) {
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
      this.pieces.push(`${i > 0 ? ', ' : ''}${typeOf(arg)}=`);
      this.printArgument(arg, 'v', newDirective());
    });
    this.pieces.push(')');
  }

  private printArgument(arg: Argument, verb: string, directive: Directive): void {
    const size = (directive.width ?? 0) + (directive.precision ?? 0);
    if (size > 64) this.host.chargeString(size);
    if (verb === 'v' || verb === 'w') {
      directive.sharpV = directive.sharp;
      directive.plusV = directive.plus;
      directive.sharp = directive.plus = false;
    }
    this.pieces.push(this.argumentText(arg, verb, directive));
  }

  private argumentText(arg: Argument, verb: string, directive: Directive): string {
    if (verb === 'T') return formatString(typeOf(arg), 's', directive) ?? '';
    if (arg instanceof GoValue) return goText(arg, verb, directive) ?? this.badVerb(arg, verb, directive);
    if (verb === 'w' || (verb === 'p' && !isPointer(arg))) return this.badVerb(arg, verb, directive);
    if (typeof arg === 'number') return this.handOver(numberAs(arg, verb), verb === 'i' ? 'd' : verb, directive);
    if (typeof arg === 'string') return this.stringText(arg, verb, directive);
    if (verb === 'p') return address(this.host.text(arg), directive);
    if ('vsxXq'.includes(verb) && !directive.sharpV) return formatString(this.host.text(arg), verb, directive) ?? '';
    return this.rawText(arg, verb, directive) ?? this.badVerb(arg, verb, directive);
  }

  /** gopher-lua mixes up the two cases of %d: text that is no number prints 0, a number prints as it is written. */
  private stringText(text: string, verb: string, directive: Directive): string {
    if (verb !== 'd' && verb !== 'i') return this.handOver(new GoValue('string', text), verb, directive);
    if (textToNumber(text) === undefined) return this.handOver(new GoValue('int64', 0), 'd', directive);
    return this.handOver(new GoValue('string', text), 's', directive);
  }

  /** gopher-lua writes the directive anew and formats once more; for letters that comes to the same. */
  private handOver(value: GoValue, verb: string, directive: Directive): string {
    if (/^[a-zA-Z]$/.test(verb)) return goText(value, verb, directive) ?? this.badVerb(value, verb, directive);
    const { space, sharp, sharpV, plus, plusV, minus, zero, width, precision } = directive;
    const flags = `${space ? ' ' : ''}${sharp || sharpV ? '#' : ''}${plus || plusV ? '+' : ''}${minus ? '-' : ''}${zero ? '0' : ''}`;
    const format = `%${flags}${width ?? ''}${precision === undefined ? '' : `.${precision}`}${verb}`;
    return new Printer(format, [value], this.host).print();
  }

  private badVerb(arg: Argument, verb: string, directive: Directive): string {
    return `%!${verb}(${typeOf(arg)}=${this.rawText(arg, 'v', directive) ?? ''})`;
  }

  /** The value as Go sees it when no method of gopher-lua's types helps. */
  private rawText(arg: Argument, verb: string, directive: Directive): string | undefined {
    if (arg instanceof GoValue) return goText(arg, verb, directive);
    if (typeof arg === 'number') return formatFloatVerb(arg, verb, directive);
    if (typeof arg === 'string') return formatString(arg, verb, directive);
    if (typeof arg === 'boolean') return verb === 't' || verb === 'v' ? pad(String(arg), directive) : undefined;
    if (arg === undefined) return directive.sharpV ? '&lua.LNilType{}' : '&{}';
    // Go would print the insides of the object with their addresses here, which no script can rely on.
    return `&{${this.host.text(arg)}}`;
  }
}

function indexOf(text: string): number | undefined {
  return /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}

function goText({ type, value }: GoValue, verb: string, directive: Directive): string | undefined {
  if (type === 'string') return formatString(String(value), verb, directive);
  return type === 'int64' ? formatInteger(Number(value), verb, directive) : formatFloatVerb(Number(value), verb, directive);
}

/** The Go value that gopher-lua makes of a number for a verb. */
function numberAs(value: number, verb: string): GoValue {
  if (verb === 'q' || verb === 's') return new GoValue('string', numberToText(value));
  if ('bcdoxXUi'.includes(verb)) return new GoValue('int64', toInt(value));
  if ('eEfFgG'.includes(verb) || !isInt64(value)) return new GoValue('float64', value);
  return new GoValue('int64', value + 0);
}

function isPointer(arg: LuaValue): boolean {
  return typeof arg !== 'number' && typeof arg !== 'string' && typeof arg !== 'boolean';
}

/** The address at the end of `table: 0x…`; nil has one in Go, too. */
function address(text: string, directive: Directive): string {
  const digits = /0x([0-9a-f]+)$/.exec(text)?.[1] ?? '0';
  return formatInteger(parseInt(digits, 16), 'x', { ...directive, sharp: !directive.sharp }) ?? '';
}

function typeOf(arg: Argument): string {
  if (arg instanceof GoValue) return arg.type;
  if (arg === undefined) return '*lua.LNilType';
  if (typeof arg === 'number') return 'lua.LNumber';
  if (typeof arg === 'string') return 'lua.LString';
  if (typeof arg === 'boolean') return 'lua.LBool';
  if (arg instanceof LuaTable) return '*lua.LTable';
  if (arg instanceof LuaFunction) return '*lua.LFunction';
  return arg instanceof LuaCoroutine ? '*lua.LState' : '*lua.LUserData';
}
