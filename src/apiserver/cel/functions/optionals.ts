import { BOOL, DYN, optionalOf, param } from '../types.js';
import { CelError, CelList, CelMap, Duration, Optional, Uint, type CelValue } from '../values.js';
import { func, method, type Overload } from '../overload.js';

const T = param('T');

function isZero(value: CelValue): boolean {
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  return value === null || value === false || value === 0n || value === 0 || value === '';
}

export const OPTIONALS: readonly Overload[] = [
  func('optional.of', [T], optionalOf(T), ([value]: [CelValue]) => new Optional(value)),
  func('optional.ofNonZeroValue', [T], optionalOf(T), ([value]: [CelValue]) =>
    isZero(value) ? Optional.none : new Optional(value),
  ),
  func('optional.none', [], optionalOf(DYN), () => Optional.none),
  method('hasValue', [optionalOf(T)], BOOL, ([optional]: [Optional]) => optional.value !== undefined),
  method('value', [optionalOf(T)], T, ([optional]: [Optional]) => {
    if (optional.value === undefined) throw new CelError('optional.none() dereference');
    return optional.value;
  }),
  method('or', [optionalOf(T), optionalOf(T)], optionalOf(T), ([a, b]: [Optional, Optional]) =>
    a.value === undefined ? b : a,
  ),
  method(
    'orValue',
    [optionalOf(T), T],
    T,
    ([optional, otherwise]: [Optional, CelValue]) =>
      optional.value ?? (optional.value === undefined ? otherwise : null),
  ),
];
