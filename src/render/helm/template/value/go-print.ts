import {
  formatFloatVerb,
  formatInteger,
  formatString,
  newDirective,
  pad,
  printf,
  type Directive,
  type PrintfArguments,
} from '../../../../model/go/index.js';
import { fromByteString, sortedKeys, toByteString } from './go-text.js';
import { isUnsignedKind, type GoType } from './go-type.js';
import {
  entryOf,
  GoBytes,
  GoComplex,
  GoMap,
  GoScalar,
  GoSlice,
  GoStringer,
  GoStruct,
  GoTyped,
  typeName,
  typeOf,
  type GoObject,
  type GoValue,
} from './go-value.js';
import { PartCount } from './weight.js';

/** Go's fmt package for the values of a template. Inside, texts are byte strings. */

export function sprintf(format: string, args: readonly GoValue[], charge: (length: number) => void): string {
  const kind: PrintfArguments<GoValue> = { text: argumentText, typeName: nameOrNil, integer: smallInteger, charge };
  return fromByteString(printf(toByteString(format), args, kind));
}

/** Operands with a space between two that are both no strings. */
export function sprint(args: readonly GoValue[]): string {
  let out = '';
  args.forEach((arg, index) => {
    const before = args[index - 1] ?? null;
    if (index > 0 && !isText(arg) && !isText(before)) out += ' ';
    out += plainText(arg);
  });
  return out;
}

export function sprintln(args: readonly GoValue[]): string {
  return `${args.map(plainText).join(' ')}\n`;
}

/** A value under %v. */
export function plainText(value: GoValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean' || isSmallWhole(value)) return String(value);
  return fromByteString(argumentText(value, 'v', newDirective()));
}

/** Small enough for Go to print it without an exponent. */
function isSmallWhole(value: GoValue): boolean {
  return typeof value === 'number' && (value | 0) === value && value < 1e6 && value > -1e6 && !Object.is(value, -0);
}

/** A value under a single verb without flags. */
export function verbText(value: GoValue, verb: string): string {
  return fromByteString(argumentText(value, verb, newDirective()));
}

function isText(value: GoValue): boolean {
  return typeof value === 'string' || (value instanceof GoScalar && typeof value.value === 'string');
}

function nameOrNil(value: GoValue): string | undefined {
  return value === null ? undefined : typeName(value);
}

function smallInteger(value: GoValue): number | undefined {
  const plain = value instanceof GoScalar ? value.value : value;
  return typeof plain === 'bigint' ? Number(plain) : undefined;
}

function argumentText(value: GoValue, verb: string, directive: Directive): string {
  if (typeof value === 'object') parts = new PartCount();
  if (value === null) return verb === 'T' || verb === 'v' ? pad('<nil>', directive) : `%!${verb}(<nil>)`;
  if (verb === 'T') return formatString(typeName(value), 's', directive) ?? '';
  // Only Errorf wraps.
  if (verb === 'w') return badVerb(value, verb, directive);
  if (verb === 'p') return pointerText(value, directive) ?? badVerb(value, verb, directive);
  return valueText(value, verb, directive, 0);
}

function badVerb(value: Exclude<GoValue, null>, verb: string, directive: Directive): string {
  return `%!${verb}(${typeName(value)}=${valueText(value, 'v', directive, 0)})`;
}

/** Addresses mean nothing to us, and no template can rely on them. */
function pointerText(value: Exclude<GoValue, null>, directive: Directive): string | undefined {
  const { kind } = typeOf(value);
  if (kind !== 'map' && kind !== 'slice' && kind !== 'ptr') return undefined;
  return formatInteger(0xc000010000n, 'x', { ...directive, sharp: !directive.sharp });
}

function valueText(value: Exclude<GoValue, null>, verb: string, directive: Directive, depth: number): string {
  switch (typeof value) {
    case 'string':
      return formatString(toByteString(value), verb, directive) ?? badVerb(value, verb, directive);
    case 'number':
      return formatFloatVerb(value, verb, directive) ?? badVerb(value, verb, directive);
    case 'bigint':
      return formatInteger(value, verb, directive) ?? badVerb(value, verb, directive);
    case 'boolean':
      return boolText(value, verb, directive) ?? badVerb(value, verb, directive);
    default:
  }
  if (!(value instanceof GoTyped)) {
    return Array.isArray(value)
      ? listText(typeOf(value), value, false, verb, directive, depth)
      : mapText(typeOf(value), value, false, verb, directive, depth);
  }
  return typedText(value, verb, directive, depth);
}

function boolText(value: boolean, verb: string, directive: Directive): string | undefined {
  return verb === 't' || verb === 'v' ? pad(String(value), directive) : undefined;
}

function typedText(value: GoTyped, verb: string, directive: Directive, depth: number): string {
  if (value instanceof GoScalar) return scalarText(value, verb, directive) ?? badVerb(value, verb, directive);
  if (value instanceof GoSlice) return listText(value.type, value.items, value.isNil, verb, directive, depth);
  if (value instanceof GoMap) return mapText(value.type, value.entries, value.isNil, verb, directive, depth);
  if (value instanceof GoBytes) return bytesText(value, verb, directive, depth);
  if (value instanceof GoStruct) return structText(value, verb, directive, depth);
  if (value instanceof GoComplex) return complexText(value, verb, directive) ?? badVerb(value, verb, directive);
  if (value instanceof GoStringer) {
    const text = 'vsxXq'.includes(verb) ? formatString(toByteString(value.text()), verb, directive) : undefined;
    return text ?? `%!${verb}(${value.type.name}=${toByteString(value.text())})`;
  }
  return `{${value.type.name}}`;
}

function scalarText({ type, value }: GoScalar, verb: string, directive: Directive): string | undefined {
  if (typeof value === 'string') return formatString(toByteString(value), verb, directive);
  if (typeof value === 'boolean') return boolText(value, verb, directive);
  if (typeof value === 'number') return formatFloatVerb(value, verb, directive);
  if (directive.sharpV && verb === 'v' && isUnsignedKind(type.kind))
    return formatInteger(value, 'x', { ...directive, sharp: true });
  return formatInteger(value, verb, directive);
}

function complexText({ real, imaginary }: GoComplex, verb: string, directive: Directive): string | undefined {
  const first = formatFloatVerb(real, verb, directive);
  const second = formatFloatVerb(imaginary, verb, { ...directive, plus: true });
  return first === undefined || second === undefined ? undefined : `(${first}${second}i)`;
}

/** Of the value that is being printed. Go follows a map that contains itself until its own stack ends. */
let parts = new PartCount();

function elementText(value: GoValue, verb: string, directive: Directive, depth: number): string {
  parts.add();
  if (value === null) return directive.sharpV ? 'interface {}(nil)' : '<nil>';
  parts.down();
  const text = valueText(value, verb, directive, depth + 1);
  parts.up();
  return text;
}

function listText(
  type: GoType,
  items: readonly GoValue[],
  isNil: boolean,
  verb: string,
  directive: Directive,
  depth: number,
): string {
  if (directive.sharpV && isNil) return `${type.name}(nil)`;
  const texts = items.map((item) => elementText(item, verb, directive, depth));
  return directive.sharpV ? `${type.name}{${texts.join(', ')}}` : `[${texts.join(' ')}]`;
}

function mapText(
  type: GoType,
  entries: GoObject,
  isNil: boolean,
  verb: string,
  directive: Directive,
  depth: number,
): string {
  if (directive.sharpV && isNil) return `${type.name}(nil)`;
  const texts = sortedKeys(entries).map((key) => {
    const value = entryOf(entries, key) ?? null;
    return `${valueText(key, verb, directive, depth + 1)}:${elementText(value, verb, directive, depth)}`;
  });
  return directive.sharpV ? `${type.name}{${texts.join(', ')}}` : `map[${texts.join(' ')}]`;
}

function structText({ type, fields }: GoStruct, verb: string, directive: Directive, depth: number): string {
  const isPointer = type.kind === 'ptr';
  const shape = isPointer ? type.elem : type;
  const texts = (shape?.fields ?? []).map(({ name }) => {
    const text = elementText(fields[name] ?? null, verb, directive, depth);
    return directive.plusV || directive.sharpV ? `${name}:${text}` : text;
  });
  const head = `${isPointer ? '&' : ''}${directive.sharpV ? (shape?.name ?? '') : ''}`;
  return `${head}{${texts.join(directive.sharpV ? ', ' : ' ')}}`;
}

function bytesText({ bytes, type }: GoBytes, verb: string, directive: Directive, depth: number): string {
  if (verb !== 'v' && 'sqxX'.includes(verb))
    return formatString(Buffer.from(bytes).toString('latin1'), verb, directive) ?? '';
  const element = directive.sharpV ? { ...directive, sharp: true } : directive;
  const elementVerb = directive.sharpV ? 'x' : verb;
  const texts = Array.from(bytes, (byte) => formatInteger(byte, elementVerb, element) ?? `%!${verb}(uint8=${byte})`);
  // Go knows []byte by that name only where it is the argument itself.
  const name = depth === 0 && type.name === '[]uint8' ? '[]byte' : type.name;
  return directive.sharpV ? `${name}{${texts.join(', ')}}` : `[${texts.join(' ')}]`;
}
