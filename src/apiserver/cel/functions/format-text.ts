import { compareText } from '../../../model/go/index.js';
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  Timestamp,
  TypeValue,
  Uint,
  durationText,
  kindOf,
  timestampText,
  type CelValue,
} from '../values.js';

const CLAUSE = /%(?:\.(\d+))?([a-zA-Z%])|%/g;

/** CEL's "...".format([...]): %s %d %f %e %b %x %X %o %%. */
export function formatText(text: string, args: readonly CelValue[]): string {
  let next = 0;
  return text.replace(CLAUSE, (whole, precision?: string, verb?: string) => {
    if (verb === undefined) throw new CelError('unexpected end of string');
    if (verb === '%') return '%';
    const arg = args[next];
    if (arg === undefined) throw new CelError(`index ${next} out of range`);
    next++;
    return formatOne(verb, arg, precision === undefined ? 6 : Number(precision), whole);
  });
}

/** The clauses of a format text that take an argument, in order. */
export function formatClauses(text: string): string[] {
  return [...text.matchAll(CLAUSE)].map(([whole]) => whole).filter((clause) => clause !== '%%' && clause !== '%');
}

function formatOne(verb: string, arg: CelValue, precision: number, clause: string): string {
  switch (verb) {
    case 's':
      return plainText(arg);
    case 'd':
      return decimal(arg);
    case 'f':
      return fixed(arg, (value) => value.toFixed(Math.min(precision, 100)));
    case 'e':
      return fixed(arg, (value) => scientific(value, Math.min(precision, 100)));
    case 'b':
      return typeof arg === 'boolean' ? String(Number(arg)) : radix(arg, 2, 'binary clause', 'integers and bools');
    case 'o':
      return radix(arg, 8, 'octal clause', 'integers');
    case 'x':
      return hex(arg);
    case 'X':
      return hex(arg).toUpperCase();
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${clause.at(-1) ?? ''}"`);
  }
}

const fail = (clause: string, uses: string, arg: CelValue): CelError =>
  new CelError(`error during formatting: ${clause} can only be used on ${uses}, was given ${kindOf(arg)}`);

function decimal(arg: CelValue): string {
  if (typeof arg === 'bigint') return arg.toString();
  if (arg instanceof Uint) return arg.value.toString();
  throw fail('decimal clause', 'integers', arg);
}

function fixed(arg: CelValue, write: (value: number) => string): string {
  if (typeof arg === 'number') return Number.isFinite(arg) ? write(arg) : String(arg);
  if (typeof arg === 'bigint') return write(Number(arg));
  if (arg instanceof Uint) return write(Number(arg.value));
  throw fail('fixed-point clause', 'doubles', arg);
}

function radix(arg: CelValue, base: number, clause: string, uses: string): string {
  if (typeof arg === 'bigint') return arg.toString(base);
  if (arg instanceof Uint) return arg.value.toString(base);
  throw fail(clause, uses, arg);
}

function hex(arg: CelValue): string {
  if (typeof arg === 'string') return Buffer.from(arg).toString('hex');
  if (arg instanceof Uint8Array) return Buffer.from(arg).toString('hex');
  return radix(arg, 16, 'hex clause', 'integers, byte buffers, and strings');
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** 1.23×10⁰⁴: the exponent is raised and has at least two digits. */
function scientific(value: number, precision: number): string {
  const [mantissa = '', exponent = ''] = value.toExponential(precision).split('e');
  const digits = exponent
    .slice(1)
    .padStart(2, '0')
    .replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? digit);
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${digits}`;
}

/** A double with the fewest digits that name it; from a million on with an exponent. */
export function doubleText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return String(value);
}

/** %s: any value as a reader would write it; inside of lists and maps texts have quotes and times their type. */
function plainText(value: CelValue, inside = false): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return inside ? JSON.stringify(value) : value;
  if (typeof value === 'number') return doubleText(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return value.toString();
  if (value instanceof Uint) return value.value.toString();
  if (value instanceof Uint8Array)
    return inside ? `b${JSON.stringify(Buffer.from(value).toString('utf8'))}` : Buffer.from(value).toString('utf8');
  if (value instanceof Timestamp) return inside ? `timestamp("${timestampText(value)}")` : timestampText(value);
  if (value instanceof Duration) return inside ? `duration("${durationText(value)}")` : durationText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof CelList) return `[${[...value].map((item) => plainText(item, true)).join(', ')}]`;
  if (value instanceof CelMap) {
    const keys = value
      .keys()
      .map((key) => [plainText(key, true), key] as const)
      .sort(([a], [b]) => compareText(a, b));
    return `{${keys.map(([text, key]) => `${text}:${plainText(value.get(key) ?? null, true)}`).join(', ')}}`;
  }
  throw new CelError(
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, ' +
      `lists, types, durations, and timestamps, was given ${kindOf(value)}`,
  );
}
