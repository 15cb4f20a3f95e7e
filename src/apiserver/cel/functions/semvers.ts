import { BOOL, INT, STRING, opaque, type CelType } from '../types.js';
import { CelError, Opaque } from '../values.js';
import { func, method, type Overload } from '../overload.js';

const SEMVER: CelType = opaque('kubernetes.Semver');
const NUMBER = String.raw`(0|[1-9]\d*)`;
const WORDS = String.raw`([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)`;
const FORM = new RegExp(String.raw`^${NUMBER}\.${NUMBER}\.${NUMBER}(?:-${WORDS})?(?:\+${WORDS})?$`);

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

function parse(text: string): Version | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', pre] = match;
  const parts = pre === undefined ? [] : pre.split('.');
  if (parts.some((part) => /^0\d+$/.test(part))) return undefined;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: parts };
}

/** v1.2 -> 1.2.0: a leading v goes, missing numbers are zero, leading zeros go. */
function normalize(text: string): string {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?$/.exec(text);
  if (match === null) return text;
  const [, major = '0', minor = '0', patch = '0', rest = ''] = match;
  return `${BigInt(major)}.${BigInt(minor)}.${BigInt(patch)}${rest}`;
}

function opaqueSemver(text: string): Opaque {
  const version = parse(text);
  if (version === undefined) throw new CelError('No Major.Minor.Patch elements found');
  return new Opaque('kubernetes.Semver', text.replace(/\+[^]*$/, ''), version);
}

const versionOf = (value: Opaque): Version => value.content as Version;

function order(left: Opaque, right: Opaque): bigint {
  const a = versionOf(left);
  const b = versionOf(right);
  for (const index of [0, 1, 2] as const)
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1n : 1n;
  if (a.pre.length === 0 || b.pre.length === 0) return BigInt(Number(a.pre.length === 0) - Number(b.pre.length === 0));
  for (let index = 0; index < Math.max(a.pre.length, b.pre.length); index++) {
    const difference = orderPart(a.pre[index], b.pre[index]);
    if (difference !== 0n) return difference;
  }
  return 0n;
}

function orderPart(a: string | undefined, b: string | undefined): bigint {
  if (a === undefined || b === undefined) return orderOf(a !== undefined, b !== undefined);
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  // Numbers come before words.
  if (isNumber !== isOtherNumber) return isNumber ? -1n : 1n;
  return isNumber ? orderOf(BigInt(a), BigInt(b)) : orderOf(a, b);
}

function orderOf<T extends string | bigint | boolean>(a: T, b: T): bigint {
  return BigInt(a > b) - BigInt(a < b);
}

const number = (name: string, index: 0 | 1 | 2): Overload =>
  method(name, [SEMVER], INT, ([value]: [Opaque]) => versionOf(value).numbers[index]);

export const SEMVERS: readonly Overload[] = [
  func('semver', [STRING], SEMVER, ([text]: [string]) => opaqueSemver(text)),
  func('semver', [STRING, BOOL], SEMVER, ([text, loose]: [string, boolean]) =>
    opaqueSemver(loose ? normalize(text) : text),
  ),
  func('isSemver', [STRING], BOOL, ([text]: [string]) => parse(text) !== undefined),
  func(
    'isSemver',
    [STRING, BOOL],
    BOOL,
    ([text, loose]: [string, boolean]) => parse(loose ? normalize(text) : text) !== undefined,
  ),
  number('major', 0),
  number('minor', 1),
  number('patch', 2),
  method('isGreaterThan', [SEMVER, SEMVER], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) > 0n),
  method('isLessThan', [SEMVER, SEMVER], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) < 0n),
  method('compareTo', [SEMVER, SEMVER], INT, ([a, b]: [Opaque, Opaque]) => order(a, b)),
];
