import { Fault } from '../faults/index.js';
import { compareText } from '../go/index.js';

/** A version as Masterminds/semver reads it, which Helm and Argo CD use: `v` in front and missing parts are allowed. */
export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Without the dash; empty for a release. */
  readonly prerelease: string;
  /** Without the plus. */
  readonly metadata: string;
  /** As it was written. */
  readonly original: string;
}

const MAX_LENGTH = 256;
const MAX_NUMBER = 2n ** 64n - 1n;
const LOOSE = /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?$/;

export function parseSemver(text: string): Semver {
  if (Buffer.byteLength(text) > MAX_LENGTH) throw wrong(`version string is too long (max ${MAX_LENGTH} bytes)`);
  const [found, major = '', minor = '0', patch = '0', prerelease, metadata] = LOOSE.exec(text) ?? [];
  if (found === undefined || hasEmptyPart(prerelease) || hasEmptyPart(metadata))
    throw wrong('invalid semantic version');
  const version = {
    major: segment(major),
    minor: segment(minor),
    patch: segment(patch),
    prerelease: prerelease ?? '',
    metadata: metadata ?? '',
    original: text,
  };
  if (version.prerelease.split('.').some((part) => /^0\d+$/.test(part))) throw wrong('version segment starts with 0');
  return version;
}

/** The version without what was left out: `v1.2` is `1.2.0`. */
export function semverText({ major, minor, patch, prerelease, metadata }: Semver): string {
  const suffix = `${prerelease === '' ? '' : `-${prerelease}`}${metadata === '' ? '' : `+${metadata}`}`;
  return `${major}.${minor}.${patch}${suffix}`;
}

/** Below, at or above zero as in a sort; metadata does not count. */
export function compareSemver(a: Semver, b: Semver): number {
  for (const part of ['major', 'minor', 'patch'] as const) if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === '' || b.prerelease === '') return a.prerelease === '' ? 1 : -1;
  return comparePrereleases(a.prerelease, b.prerelease);
}

export function comparePrereleases(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const order = comparePart(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? -1 : 1;
  const isNumber = (part: string): boolean => /^\d+$/.test(part) && BigInt(part) <= MAX_NUMBER;
  // A number comes before a word.
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  if (!isNumber(a)) return compareText(a, b);
  return BigInt(a) > BigInt(b) ? 1 : -1;
}

function hasEmptyPart(text: string | undefined): boolean {
  return text?.split('.').includes('') ?? false;
}

function segment(digits: string): bigint {
  const value = BigInt(digits);
  if (value > MAX_NUMBER)
    throw wrong(`error parsing version segment: strconv.ParseUint: parsing "${digits}": value out of range`);
  return value;
}

function wrong(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}
