import { Fault } from '../../../model/faults/index.js';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityOf,
  quantityText,
  quantityToNumber,
  subtractQuantities,
  type Quantity,
} from '../../../model/kubernetes/index.js';
import { BOOL, DOUBLE, INT, STRING, opaque, type CelType } from '../types.js';
import { CelError, Opaque } from '../values.js';
import { func, method, type Overload } from '../overload.js';

const QUANTITY: CelType = opaque('kubernetes.Quantity');
const INT64 = 2n ** 63n;

function read(text: string): Quantity | Fault {
  try {
    // White space is no part of a quantity here, unlike in JSON.
    return parseQuantity(text.trim() === text ? text : '');
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** The number without trailing zeros: equal quantities have equal keys, however they are written. */
function keyOf({ amount, scale }: Quantity): string {
  if (amount === 0n) return '0';
  const digits = amount.toString().replace(/(?<!0)0+$/, '');
  return `${digits}e${scale + amount.toString().length - digits.length}`;
}

const opaqueQuantity = (quantity: Quantity): Opaque =>
  new Opaque('kubernetes.Quantity', keyOf(quantity), { quantity, text: quantityText(quantity) });
const of = (value: Opaque): Quantity => (value.content as { readonly quantity: Quantity }).quantity;
const order = (a: Opaque, b: Opaque): bigint => BigInt(Math.sign(compareQuantities(of(a), of(b))));

/** The exact integer, where it is one and fits 64 bits. */
function whole(value: Opaque): bigint | undefined {
  const { amount, scale } = of(value);
  if (scale < 0 && amount % 10n ** BigInt(-scale) !== 0n) return undefined;
  const number = shifted(amount, scale);
  return number < INT64 && number >= -INT64 ? number : undefined;
}

/** The amount times ten to the scale; above 64 bits anyway where the scale is large. */
function shifted(amount: bigint, scale: number): bigint {
  if (scale < 0) return amount / 10n ** BigInt(-scale);
  return scale > 40 ? INT64 : amount * 10n ** BigInt(scale);
}

export const QUANTITIES: readonly Overload[] = [
  func('quantity', [STRING], QUANTITY, ([text]: [string]) => {
    const quantity = read(text);
    if (quantity instanceof Fault) throw new CelError(quantity.message);
    return opaqueQuantity(quantity);
  }),
  func('isQuantity', [STRING], BOOL, ([text]: [string]) => !(read(text) instanceof Fault)),
  func('sign', [QUANTITY], INT, ([value]: [Opaque]) => BigInt(Math.sign(compareQuantities(of(value), quantityOf(0))))),
  method('isGreaterThan', [QUANTITY, QUANTITY], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) > 0n),
  method('isLessThan', [QUANTITY, QUANTITY], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) < 0n),
  method('compareTo', [QUANTITY, QUANTITY], INT, ([a, b]: [Opaque, Opaque]) => order(a, b)),
  method('asApproximateFloat', [QUANTITY], DOUBLE, ([value]: [Opaque]) => quantityToNumber(of(value))),
  method('asInteger', [QUANTITY], INT, ([value]: [Opaque]) => {
    const number = whole(value);
    if (number === undefined) throw new CelError('cannot convert value to integer');
    return number;
  }),
  method('isInteger', [QUANTITY], BOOL, ([value]: [Opaque]) => whole(value) !== undefined),
  method('add', [QUANTITY, QUANTITY], QUANTITY, ([a, b]: [Opaque, Opaque]) =>
    opaqueQuantity(addQuantities(of(a), of(b))),
  ),
  method('add', [QUANTITY, INT], QUANTITY, ([a, b]: [Opaque, bigint]) =>
    opaqueQuantity(addQuantities(of(a), quantityOf(b))),
  ),
  method('sub', [QUANTITY, QUANTITY], QUANTITY, ([a, b]: [Opaque, Opaque]) =>
    opaqueQuantity(subtractQuantities(of(a), of(b))),
  ),
  method('sub', [QUANTITY, INT], QUANTITY, ([a, b]: [Opaque, bigint]) =>
    opaqueQuantity(subtractQuantities(of(a), quantityOf(b))),
  ),
];
