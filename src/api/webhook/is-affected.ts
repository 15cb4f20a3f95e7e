import { matchesGlob, parseSemver, parseSemverRange, satisfies } from '../../model/formats/index.js';
import { sourcesOf } from '../../model/argo/index.js';
import { type JsonObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { placeOf, type Push } from './push.js';

const PATHS = 'argocd.argoproj.io/manifest-generate-paths';

/**
 * Whether an application comes from what was pushed: the repository, the revision, and where it names paths, one of
 * them.
 */
export function isAffected(application: KubeObject, push: Push): boolean {
  return sourcesOf(application).some((source) => {
    const place = placeOf(textAt(source, 'repoURL'));
    return (
      place !== undefined &&
      push.places.has(place) &&
      followsRevision(textAt(source, 'targetRevision'), push) &&
      touchesPaths(application, source, push.files)
    );
  });
}

/** Whether a push moved a ref of a repository. */
export function movesRef(push: Push, url: string, ref: string): boolean {
  const place = placeOf(url);
  return place !== undefined && push.places.has(place) && followsRevision(ref, push);
}

function followsRevision(target: string, { revisions, touchesHead }: Push): boolean {
  const wanted = target.replace(/^refs\/(heads|tags)\//, '');
  if (wanted === '' || wanted === 'HEAD') return touchesHead;
  return revisions.has(wanted) || fitsRange(wanted, revisions);
}

function fitsRange(text: string, revisions: ReadonlySet<string>): boolean {
  const range = versionOr(() => parseSemverRange(text));
  if (range === undefined) return false;
  return [...revisions].some((revision) => {
    const version = versionOr(() => parseSemver(revision));
    return version !== undefined && satisfies(version, range);
  });
}

/** Undefined for a name that is no version. */
function versionOr<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function touchesPaths(
  { metadata: { annotations = {} } }: KubeObject,
  source: JsonObject,
  files: readonly string[],
): boolean {
  const named = (annotations[PATHS] ?? '')
    .split(';')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  if (files.length === 0 || named.length === 0) return true;
  const paths = named.map((path) =>
    path.startsWith('/') ? path.slice(1) : clean(`${textAt(source, 'path')}/${path}`),
  );
  return files.some((file) =>
    paths.some((path) => path === '' || file === path || file.startsWith(`${path}/`) || fitsGlob(path, file)),
  );
}

/** A path without wildcards was compared already. */
function fitsGlob(path: string, file: string): boolean {
  return /[*?[{\\]/.test(path) && matchesGlob(path, file);
}

function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
