import {
  formatFloatVerb,
  formatInteger,
  formatString,
  pad,
  printf,
  type Directive,
  type PrintfArguments,
} from '../../../model/go/index.js';
import { LuaCoroutine, LuaFunction, LuaTable, type LuaValue, type LuaValues } from '../value.js';
import { toInt } from './go-int.js';
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
  constructor(
    readonly type: 'int64' | 'float64' | 'string',
    readonly value: number | string,
  ) {}
}
type Argument = LuaValue | GoValue;

export function formatText(format: string, args: LuaValues, host: FormatHost): string {
  const percents = format.split('%').length - 1;
  const pairs = format.split('%%').length - 1;
  return printf(format, args.slice(0, Math.min(percents - pairs, args.length)), new LuaArguments(host));
}

/** Numbers of the script are floats for Go; only what was handed over is a plain Go value. */
class LuaArguments implements PrintfArguments<Argument> {
  constructor(private readonly host: FormatHost) {}

  typeName(arg: Argument): string {
    return typeOf(arg);
  }

  integer(arg: Argument): number | undefined {
    return arg instanceof GoValue && arg.type === 'int64' ? Number(arg.value) : undefined;
  }

  charge(length: number): void {
    this.host.chargeString(length);
  }

  text(arg: Argument, verb: string, directive: Directive): string {
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
    const signs = `${space ? ' ' : ''}${sharp || sharpV ? '#' : ''}${plus || plusV ? '+' : ''}`;
    const flags = `${signs}${minus ? '-' : ''}${zero ? '0' : ''}`;
    const format = `%${flags}${width ?? ''}${precision === undefined ? '' : `.${precision}`}${verb}`;
    return printf<Argument>(format, [value], this);
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

function goText({ type, value }: GoValue, verb: string, directive: Directive): string | undefined {
  if (type === 'string') return formatString(String(value), verb, directive);
  return type === 'int64'
    ? formatInteger(Number(value), verb, directive)
    : formatFloatVerb(Number(value), verb, directive);
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
