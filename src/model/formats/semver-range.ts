import { RE2JS } from 're2js';
import { Fault } from '../faults/index.js';
import { quoteGo } from '../go/index.js';
import { comparePrereleases, compareSemver, parseSemver, semverText, type Semver } from './semver.js';

/** Which versions are wanted: alternatives (`||`), each a list of conditions that must all hold. */
export interface SemverRange {
  readonly alternatives: readonly Alternative[];
}

interface Alternative {
  readonly conditions: readonly Condition[];
  /** Prereleases count only where a condition names one. */
  readonly prereleases: boolean;
}

interface Condition {
  readonly operator: string;
  /** As written, for messages. */
  readonly text: string;
  readonly version: Semver;
  /** A part is left out or a wildcard: which one first. */
  readonly open?: 'major' | 'minor' | 'patch';
}

const MAX_LENGTH = 512;
const MAX_ALTERNATIVES = 32;
const OPERATORS = '=||!=|>|<|>=|=>|<=|=<|~|~>|\\^';
const VERSION =
  'v?([0-9|x|X|\\*]+)(\\.[0-9|x|X|\\*]+)?(\\.[0-9|x|X|\\*]+)?' +
  '(-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?(\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?';

/** Compiled with the first range: that takes longer than the start of a command that needs none. */
let compiled: ReturnType<typeof compile> | undefined;

function compile(): Record<'condition' | 'fromTo' | 'conditions' | 'valid', RE2JS> {
  return {
    condition: RE2JS.compile(`^\\s*(${OPERATORS})\\s*(${VERSION})\\s*$`),
    fromTo: RE2JS.compile(`\\s*(${VERSION})\\s+-\\s+(${VERSION})\\s*`),
    conditions: RE2JS.compile(`(${OPERATORS})\\s*(${VERSION})`),
    valid: RE2JS.compile(
      `^(\\s*(${OPERATORS})\\s*(${VERSION})\\s*)((?:\\s+|,\\s*)(${OPERATORS})\\s*(${VERSION})\\s*)*$`,
    ),
  };
}

function expressions(): ReturnType<typeof compile> {
  return (compiled ??= compile());
}

export function parseSemverRange(text: string): SemverRange {
  if (Buffer.byteLength(text) > MAX_LENGTH) throw wrong(`constraint string is too long (max ${MAX_LENGTH} bytes)`);
  const parts = spellOutFromTo(text).split('||');
  if (parts.length > MAX_ALTERNATIVES) throw wrong(`too many constraint groups (max ${MAX_ALTERNATIVES})`);
  return { alternatives: parts.map(parseAlternative) };
}

export function satisfies(version: Semver, range: SemverRange): boolean {
  return range.alternatives.some(({ conditions, prereleases }) =>
    conditions.every((condition) => conditionViolation(version, condition, prereleases) === undefined),
  );
}

/** Why a version is not in the range, as Masterminds words it; empty where it is. */
export function findRangeViolations(version: Semver, range: SemverRange): string[] {
  const objections: string[] = [];
  for (const { conditions, prereleases } of range.alternatives) {
    const found = conditions
      .map((condition) => conditionViolation(version, condition, prereleases))
      .filter((text) => text !== undefined);
    if (found.length === 0) return [];
    for (const text of found) if (!text.endsWith(ONLY_RELEASES) || !objections.includes(text)) objections.push(text);
  }
  return objections;
}

/** `1.2 - 1.4` means at least the one and at most the other. */
function spellOutFromTo(text: string): string {
  const matcher = expressions().fromTo.matcher(text);
  let result = text;
  while (matcher.find())
    result = result.replace(
      matcher.group() ?? '',
      () => `>= ${matcher.group(1) ?? ''}, <= ${matcher.group(11) ?? ''} `,
    );
  return result;
}

function parseAlternative(text: string): Alternative {
  if (!expressions().valid.test(text)) throw wrong(`improper constraint: ${quoteGo(text)}`);
  const matcher = expressions().conditions.matcher(text);
  const conditions: Condition[] = [];
  while (matcher.find()) conditions.push(parseCondition(matcher.group() ?? ''));
  return { conditions, prereleases: conditions.some(({ version }) => version.prerelease !== '') };
}

function parseCondition(text: string): Condition {
  const matcher = expressions().condition.matcher(text);
  if (!matcher.find()) throw wrong(`improper constraint: ${quoteGo(text)}`);
  const group = (index: number): string => matcher.group(index) ?? '';
  const [major, minor, patch, prerelease] = [group(3), group(4), group(5), group(6)];
  const common = { operator: group(1), text: group(2) };
  if (isOpen(major)) return { ...common, open: 'major', version: known(`0.0.0${prerelease}`) };
  if (isOpen(minor)) return { ...common, open: 'minor', version: known(`${major}.0.0${prerelease}`) };
  if (isOpen(patch)) return { ...common, open: 'patch', version: known(`${major}${minor}.0${prerelease}`) };
  return { ...common, version: known(group(2)) };
}

function isOpen(part: string): boolean {
  return part === '' || /^\.?[xX*]$/.test(part);
}

function known(text: string): Semver {
  try {
    return parseSemver(text);
  } catch (cause) {
    throw new Fault('VALUE_INVALID', 'constraint parser error', { cause });
  }
}

const ONLY_RELEASES = 'is a prerelease version and the constraint is only looking for release versions';

type Check = (version: Semver, condition: Condition) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  '': likeOrEqual,
  '=': likeOrEqual,
  '!=': notEqual,
  '>': greater,
  '<': less,
  '>=': atLeast,
  '=>': atLeast,
  '<=': atMost,
  '=<': atMost,
  '~': tilde,
  '~>': tilde,
  '^': caret,
};

function conditionViolation(version: Semver, condition: Condition, prereleases: boolean): string | undefined {
  if (version.prerelease !== '' && !prereleases) return `${quoteGo(semverText(version))} ${ONLY_RELEASES}`;
  const problem = CHECKS[condition.operator]?.(version, condition);
  return problem === undefined
    ? undefined
    : `${quoteGo(semverText(version))} ${problem.replace('%', () => quoteGo(condition.text))}`;
}

function notEqual(version: Semver, { version: other, open }: Condition): string | undefined {
  const equal = 'is equal to %';
  if (open === undefined) return compareSemver(version, other) === 0 ? equal : undefined;
  if (version.major !== other.major) return undefined;
  if (open === 'minor') return equal;
  if (version.minor !== other.minor) return undefined;
  if (open === 'major') return version.patch === other.patch && compareSemver(version, other) === 0 ? equal : undefined;
  return comparePrereleases(version.prerelease, other.prerelease) === 0 ? equal : undefined;
}

function greater(version: Semver, { version: other, open }: Condition): string | undefined {
  const problem = 'is less than or equal to %';
  if (open === undefined) return compareSemver(version, other) > 0 ? undefined : problem;
  if (version.major !== other.major) return version.major > other.major ? undefined : problem;
  if (open === 'minor') return problem;
  if (open === 'patch') return version.minor > other.minor ? undefined : problem;
  return compareSemver(version, other) > 0 ? undefined : problem;
}

function less(version: Semver, { version: other }: Condition): string | undefined {
  return compareSemver(version, other) < 0 ? undefined : 'is greater than or equal to %';
}

function atLeast(version: Semver, { version: other }: Condition): string | undefined {
  return compareSemver(version, other) >= 0 ? undefined : 'is less than %';
}

function atMost(version: Semver, { version: other, open }: Condition): string | undefined {
  const problem = 'is greater than %';
  if (open === undefined) return compareSemver(version, other) <= 0 ? undefined : problem;
  if (version.major > other.major) return problem;
  return version.major === other.major && version.minor > other.minor && open !== 'minor' ? problem : undefined;
}

function likeOrEqual(version: Semver, condition: Condition): string | undefined {
  if (condition.open !== undefined) return tilde(version, condition);
  return compareSemver(version, condition.version) === 0 ? undefined : 'is not equal to %';
}

function tilde(version: Semver, { version: other, open }: Condition): string | undefined {
  if (compareSemver(version, other) < 0) return 'is less than %';
  // `~0.0.0` and `*` take everything.
  if (other.major === 0n && other.minor === 0n && other.patch === 0n && (open === undefined || open === 'major'))
    return undefined;
  if (version.major !== other.major) return 'does not have same major version as %';
  return version.minor !== other.minor && open !== 'minor'
    ? 'does not have same major and minor version as %'
    : undefined;
}

function caret(version: Semver, { version: other, open }: Condition): string | undefined {
  if (compareSemver(version, other) < 0) return 'is less than %';
  if (other.major > 0n || open === 'minor')
    return version.major === other.major ? undefined : 'does not have same major version as %';
  if (version.major > 0n) return 'does not have same major version as %';
  if (other.minor > 0n || open === 'patch') {
    return version.minor === other.minor
      ? undefined
      : 'does not have same minor version as %. Expected minor versions to match when constraint major version is 0';
  }
  if (version.minor > 0n) return 'does not have same minor version as %';
  return version.patch === other.patch
    ? undefined
    : 'does not equal %. Expect version and constraint to equal when major and minor versions are 0';
}

function wrong(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}
