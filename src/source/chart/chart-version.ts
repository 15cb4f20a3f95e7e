import { compareSemver, parseSemver, parseSemverRange, satisfies, type Semver } from '../../model/formats/index.js';
import { Fault } from '../../model/faults/index.js';

/** Whether a text is one version, not a range of them. */
export function isExactVersion(text: string): boolean {
  return versionOf(text) !== undefined;
}

/**
 * Chooses as Helm does: the very version that was asked for; else the greatest in the range. Prereleases count only
 * where the range names one; no version means the latest release.
 */
export function chooseVersion(wanted: string, versions: readonly string[]): string | undefined {
  if (wanted !== '' && versions.includes(wanted)) return wanted;
  const range = parseSemverRange(wanted === '' ? '*' : wanted);
  let best: Semver | undefined;
  for (const text of versions) {
    const version = versionOf(text);
    if (version !== undefined && satisfies(version, range) && (best === undefined || compareSemver(version, best) > 0))
      best = version;
  }
  return best?.original;
}

const MAX_NAMED = 5;

export function unknownVersion(chart: string, wanted: string, versions: readonly string[], where: string): Fault {
  const known = versions
    .map(versionOf)
    .filter((version) => version !== undefined)
    .sort((a, b) => compareSemver(b, a))
    .map(({ original }) => original);
  const named =
    known.length === 0
      ? 'it has no version'
      : `there is ${known.slice(0, MAX_NAMED).join(', ')}${known.length > MAX_NAMED ? ', ...' : ''}`;
  return new Fault('CHART_UNKNOWN', `no version of chart "${chart}" is "${wanted === '' ? '*' : wanted}"; ${named}`, {
    where,
  });
}

function versionOf(text: string): Semver | undefined {
  try {
    return parseSemver(text);
  } catch {
    // Entries that are no versions are never chosen by a range.
    return undefined;
  }
}
