import { compareSemver, type Semver } from '../../../model/formats/index.js';
import { BOOL, INT, STRING, opaque, type CelType } from '../types.js';
import { CelError, Opaque } from '../values.js';
import { func, method, type Overload } from '../overload.js';

const SEMVER: CelType = opaque('kubernetes.Semver');
const NUMBER = String.raw`(0|[1-9]\d*)`;
const WORDS = String.raw`([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)`;
const FORM = new RegExp(String.raw`^${NUMBER}\.${NUMBER}\.${NUMBER}(?:-${WORDS})?(?:\+${WORDS})?$`);

/** Stricter than parseSemver: all three numbers, no `v` in front, no leading zeros. */
function parse(text: string): Semver | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  if (prerelease.split('.').some((part) => /^0\d+$/.test(part))) return undefined;
  return { major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch), prerelease, metadata, original: text };
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

const versionOf = (value: Opaque): Semver => value.content as Semver;
const order = (left: Opaque, right: Opaque): bigint => BigInt(compareSemver(versionOf(left), versionOf(right)));

const number = (name: 'major' | 'minor' | 'patch'): Overload =>
  method(name, [SEMVER], INT, ([value]: [Opaque]) => versionOf(value)[name]);

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
  number('major'),
  number('minor'),
  number('patch'),
  method('isGreaterThan', [SEMVER, SEMVER], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) > 0n),
  method('isLessThan', [SEMVER, SEMVER], BOOL, ([a, b]: [Opaque, Opaque]) => order(a, b) < 0n),
  method('compareTo', [SEMVER, SEMVER], INT, ([a, b]: [Opaque, Opaque]) => order(a, b)),
];
