import { BOOL, DOUBLE, INT, STRING, opaque, type CelType } from '../types.js';
import { CelError, Opaque } from '../values.js';
import { func, method, type Overload } from '../overload.js';

const QUANTITY: CelType = opaque('kubernetes.Quantity');
const NANO = 1_000_000_000n;
const FORM = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d+))?$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The number in billionths, rounded away from zero as Kubernetes does. */
function parse(text: string): bigint | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = '', suffix = '', exponent] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = exponent === undefined ? (suffix.endsWith('i') ? 0 : (DECIMAL.indexOf(suffix) - 3) * 3) : Number(exponent);
  const binary = suffix.endsWith('i') ? 1024n ** BigInt(BINARY.indexOf(suffix)) : 1n;
  const power = shift + 9 - fraction.length;
  if (Math.abs(power) > 400) return undefined;
  const mantissa = BigInt(whole + fraction) * binary;
  const size = power >= 0 ? mantissa * 10n ** BigInt(power) : (mantissa + 10n ** BigInt(-power) - 1n) / 10n ** BigInt(-power);
  return sign === '-' ? -size : size;
}

const make = (nanos: bigint): Opaque => new Opaque('kubernetes.Quantity', nanos.toString(), { nanos });
const nanosOf = (value: Opaque): bigint => (value.content as { readonly nanos: bigint }).nanos;
const order = (a: Opaque, b: Opaque): bigint => (nanosOf(a) < nanosOf(b) ? -1n : nanosOf(a) > nanosOf(b) ? 1n : 0n);
const isWhole = (value: Opaque): boolean => nanosOf(value) % NANO === 0n && nanosOf(value) / NANO < 2n ** 63n && nanosOf(value) / NANO >= -(2n ** 63n);

export const QUANTITIES: readonly Overload[] = [
  func('quantity', [STRING], QUANTITY, ([text]: [string]) => {
    const nanos = parse(text);
    if (nanos === undefined) throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    return make(nanos);
  }),
  func('isQuantity', [STRING], BOOL, ([text]: [string]) => parse(text) !== undefined),
  method('sign', [QUANTITY], INT, ([value]: [Opaque]) => (nanosOf(value) < 0n ? -1n : nanosOf(value) > 0n ? 1n : 0n)),
  method('isGreaterThan', [QUANTITY, QUANTITY], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) > 0n),
  method('isLessThan', [QUANTITY, QUANTITY], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) < 0n),
  method('compareTo', [QUANTITY, QUANTITY], INT, ([a, b]: [Opaque, Opaque]) => order(a, b)),
  method('asApproximateFloat', [QUANTITY], DOUBLE, ([value]: [Opaque]) => Number(nanosOf(value)) / 1e9),
  method('asInteger', [QUANTITY], INT, ([value]: [Opaque]) => {
    if (!isWhole(value)) throw new CelError('cannot convert value to integer');
    return nanosOf(value) / NANO;
  }),
  method('isInteger', [QUANTITY], BOOL, ([value]: [Opaque]) => isWhole(value)),
  method('add', [QUANTITY, QUANTITY], QUANTITY, ([a, b]: [Opaque, Opaque]) => make(nanosOf(a) + nanosOf(b))),
  method('add', [QUANTITY, INT], QUANTITY, ([a, b]: [Opaque, bigint]) => make(nanosOf(a) + b * NANO)),
  method('sub', [QUANTITY, QUANTITY], QUANTITY, ([a, b]: [Opaque, Opaque]) => make(nanosOf(a) - nanosOf(b))),
  method('sub', [QUANTITY, INT], QUANTITY, ([a, b]: [Opaque, bigint]) => make(nanosOf(a) - b * NANO)),
];
