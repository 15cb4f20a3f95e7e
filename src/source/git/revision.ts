import { compareSemver, parseSemver, parseSemverRange, satisfies, type Semver } from '../../model/formats/index.js';
import { Fault } from '../../model/faults/index.js';
import { hasControl, maskUrl } from '../common/index.js';
import { branchesOf, defaultBranch, tagsOf, type Refs } from './refs.js';

/** What a revision means before commits are looked at. */
export type Target =
  | {
      readonly kind: 'commit';
      readonly commit: string /** The full name of the branch or tag; empty for a commit id. */;
      readonly ref: string;
    }
  | { readonly kind: 'short'; readonly prefix: string };

const FULL_ID = /^[0-9A-Fa-f]{40}$/;
const SHORT_ID = /^[0-9A-Fa-f]{7,40}$/;
const MAX_REVISION_LENGTH = 1024;

/** A full commit id needs no look at the server. */
export function commitIdOf(revision: string): string | undefined {
  return FULL_ID.test(revision) ? revision.toLowerCase() : undefined;
}

function problemOf(revision: string): string | undefined {
  if (revision.startsWith('-')) return 'starts with a dash';
  if (revision.length > MAX_REVISION_LENGTH) return 'is too long';
  return hasControl(revision) ? 'has control characters' : undefined;
}

/** Refuses what git could take for an option or an expression. */
export function checkRevision(revision: string, where: string): string {
  const text = revision.trim();
  const problem = problemOf(text);
  if (problem === undefined) return text === '' ? 'HEAD' : text;
  throw new Fault('REVISION_UNKNOWN', `the revision "${formatName(text)}" ${problem}`, { where: maskUrl(where) });
}

/**
 * Finds a revision as Argo CD does: a commit id; the greatest tag in a version range (after `tagPrefix`); a branch, tag
 * or full name; at last seven or more digits of a commit id.
 */
export function findRevision(
  revision: string,
  refs: Refs,
  options: { readonly tagPrefix?: string; readonly where: string },
): Target {
  const wanted = checkRevision(revision, options.where);
  const full = commitIdOf(wanted);
  if (full !== undefined) return { kind: 'commit', commit: full, ref: '' };
  const name = greatestTag(wanted, tagsOf(refs), options.tagPrefix ?? '') ?? wanted;
  for (const ref of candidates(name, refs)) {
    const commit = refs.commits.get(ref);
    if (commit !== undefined) return { kind: 'commit', commit, ref };
  }
  if (SHORT_ID.test(name)) return { kind: 'short', prefix: name.toLowerCase() };
  throw unknownRevision(wanted, refs, options);
}

function candidates(name: string, refs: Refs): string[] {
  if (name === 'HEAD') return refs.head === undefined ? ['HEAD'] : [refs.head, 'HEAD'];
  return [name, `refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/${name}`, `refs/${name}`].filter(
    (ref) => ref === 'HEAD' || ref.startsWith('refs/'),
  );
}

/** Without one of these a name is no version, as most branches are: that is quicker than to try. */
const VERSION_PART = /[0-9xX*|]/;

/** The name that a range or a version means; undefined where the revision is neither or nothing fits. */
function greatestTag(revision: string, tags: readonly string[], prefix: string): string | undefined {
  if (!VERSION_PART.test(revision)) return undefined;
  if (versionOf(revision) !== undefined) return prefix + revision;
  const range = rangeOf(revision);
  if (range === undefined) return undefined;
  let greatest: Semver | undefined;
  for (const tag of tags) {
    if (!tag.startsWith(prefix)) continue;
    const version = versionOf(tag.slice(prefix.length));
    if (
      version !== undefined &&
      satisfies(version, range) &&
      (greatest === undefined || compareSemver(version, greatest) > 0)
    )
      greatest = version;
  }
  // The full name: a branch may be called the same.
  return greatest === undefined ? undefined : `refs/tags/${prefix}${greatest.original}`;
}

/** Whether the revision is a range of versions, so that a new tag may change what it means. */
export function isRange(revision: string): boolean {
  return VERSION_PART.test(revision) && versionOf(revision) === undefined && rangeOf(revision) !== undefined;
}

function versionOf(text: string): Semver | undefined {
  try {
    return parseSemver(text);
  } catch {
    // Most tags and branches are no versions.
    return undefined;
  }
}

function rangeOf(text: string): ReturnType<typeof parseSemverRange> | undefined {
  try {
    return parseSemverRange(text);
  } catch {
    // Most revisions are no ranges.
    return undefined;
  }
}

const MAX_NAMES = 5;

function unknownRevision(
  revision: string,
  refs: Refs,
  { tagPrefix = '', where }: { readonly tagPrefix?: string; readonly where: string },
): Fault {
  const range = isRange(revision);
  const what = range
    ? `no tag${tagPrefix === '' ? '' : ` that starts with "${formatName(tagPrefix)}"`} is in the range`
    : 'no branch, tag or commit has that name';
  const names = range
    ? tagsOf(refs)
        .filter((tag) => tag.startsWith(tagPrefix))
        .reverse()
    : nearest(revision, [...branchesOf(refs), ...tagsOf(refs)], defaultBranch(refs));
  const hint =
    names.length === 0
      ? ''
      : `; there is ${names.slice(0, MAX_NAMES).map(formatName).join(', ')}${names.length > MAX_NAMES ? ', ...' : ''}`;
  return new Fault('REVISION_UNKNOWN', `unable to resolve '${formatName(revision)}' to a commit SHA: ${what}${hint}`, {
    where: maskUrl(where),
  });
}

/** Names that share the most letters at the start with the one that was asked for, the default branch first. */
function nearest(wanted: string, names: readonly string[], first: string | undefined): string[] {
  const shared = (name: string): number => {
    let at = 0;
    while (at < name.length && name[at]?.toLowerCase() === wanted[at]?.toLowerCase()) at++;
    return name === first ? 1000 : at;
  };
  return [...names].sort((a, b) => shared(b) - shared(a));
}

function formatName(text: string): string {
  return [...text.slice(0, 100)].map((char) => (hasControl(char) ? '?' : char)).join('');
}
