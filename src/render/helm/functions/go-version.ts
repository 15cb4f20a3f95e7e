import {
  compareSemver,
  parseSemver,
  parseSemverRange,
  satisfies,
  semverText,
  type Semver,
  type SemverRange,
} from '../../../model/formats/index.js';
import { Fault } from '../../../model/faults/index.js';
import { BoundedCache } from '../../common/index.js';
import type { GoFunctions, GoMethod } from '../template/value/go-function.js';
import { BOOL, INT, pointerTo, STRING, UINT64, type GoType } from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import { GoStringer, type GoValue } from '../template/value/go-value.js';
import { define } from './define.js';

/** A *semver.Version, or what its Inc methods give: the same without the pointer. */
export class GoVersion extends GoStringer {
  constructor(
    readonly version: Semver,
    readonly type: GoType = VERSION,
  ) {
    super();
  }

  override text(): string {
    return semverText(this.version);
  }
}

function versionOf(value: GoValue): Semver {
  if (value instanceof GoVersion) return value.version;
  throw functionError('runtime error: invalid memory address or nil pointer dereference');
}

function getter(result: GoType, get: (version: Semver) => GoValue): GoMethod {
  return { parameters: [], result, call: (receiver) => get(versionOf(receiver)) };
}

/** The next version; a `v` in front stays. */
function next(change: (version: Semver) => Partial<Semver>): GoMethod {
  return getter(VERSION_VALUE, (version) => {
    const changed: Semver = { ...version, prerelease: '', metadata: '', ...change(version) };
    return new GoVersion(
      { ...changed, original: (version.original.startsWith('v') ? 'v' : '') + semverText(changed) },
      VERSION_VALUE,
    );
  });
}

const GETTERS: readonly (readonly [string, GoMethod])[] = [
  ['Major', getter(UINT64, (version) => version.major)],
  ['Minor', getter(UINT64, (version) => version.minor)],
  ['Patch', getter(UINT64, (version) => version.patch)],
  ['Prerelease', getter(STRING, (version) => version.prerelease)],
  ['Metadata', getter(STRING, (version) => version.metadata)],
  ['Original', getter(STRING, (version) => version.original)],
  ['String', getter(STRING, semverText)],
];
const METHODS = new Map<string, GoMethod>(GETTERS);
const VALUE_METHODS = new Map<string, GoMethod>(GETTERS.filter(([name]) => name !== 'Original'));
const VERSION_VALUE: GoType = { name: 'semver.Version', kind: 'struct', fields: [], methods: VALUE_METHODS };
const VERSION: GoType = { ...pointerTo(VERSION_VALUE), methods: METHODS };

const STEPS: readonly (readonly [string, GoMethod])[] = [
  ['IncPatch', next((version) => ({ patch: version.prerelease === '' ? version.patch + 1n : version.patch }))],
  ['IncMinor', next((version) => ({ minor: version.minor + 1n, patch: 0n }))],
  ['IncMajor', next((version) => ({ major: version.major + 1n, minor: 0n, patch: 0n }))],
];
for (const [name, method] of STEPS) {
  METHODS.set(name, method);
  VALUE_METHODS.set(name, method);
}

const COMPARISONS: readonly (readonly [string, GoType, (order: number) => GoValue])[] = [
  ['Compare', INT, (order) => BigInt(order)],
  ['Equal', BOOL, (order) => order === 0],
  ['LessThan', BOOL, (order) => order < 0],
  ['LessThanEqual', BOOL, (order) => order <= 0],
  ['GreaterThan', BOOL, (order) => order > 0],
  ['GreaterThanEqual', BOOL, (order) => order >= 0],
];
for (const [name, result, answer] of COMPARISONS) {
  METHODS.set(name, {
    parameters: [VERSION],
    result,
    call: (receiver, [other = null]) => answer(Math.sign(compareSemver(versionOf(receiver), versionOf(other)))),
  });
}

/** Runs what may find a version or range wrong; the text of the fault is Go's. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Fault) throw functionError(error.message);
    throw error;
  }
}

/** Charts ask for the same few ranges in each of their templates. */
const ranges = new BoundedCache<SemverRange>(1_000);

export const VERSIONS: GoFunctions = {
  semver: define([STRING], VERSION, (args) => new GoVersion(parsed(() => parseSemver(args.text(0))))),
  semverCompare: define([STRING, STRING], BOOL, (args) => {
    const range = ranges.get(args.text(0), () => parsed(() => parseSemverRange(args.text(0))));
    return satisfies(
      parsed(() => parseSemver(args.text(1))),
      range,
    );
  }),
};
