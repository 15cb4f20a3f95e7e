import { matchesGlob, parseSemver, parseSemverRange, satisfies } from '../../model/formats/index.js';
import { sourcesOf } from '../../model/argo/index.js';
import { type JsonObject, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Push } from './push.js';

const PATHS = 'argocd.argoproj.io/manifest-generate-paths';

/**
 * Whether an application comes from what was pushed: the repository, the revision, and where it names paths, one of
 * them.
 */
export function isAffected(application: KubeObject, { urls, revision, touchesHead, files }: Push): boolean {
  const places = urls.flatMap((url) => placeOf(url) ?? []);
  return sourcesOf(application).some((source) => {
    const place = placeOf(textAt(source, 'repoURL'));
    return (
      place !== undefined &&
      places.includes(place) &&
      followsRevision(textAt(source, 'targetRevision'), revision, touchesHead) &&
      touchesPaths(application, source, files)
    );
  });
}

/** `host/path` of an address, however it is written: https, ssh, or `git@host:path`; port and user do not count. */
export function placeOf(url: string): string | undefined {
  const scp = /^(?:[^/@]+@)?([^/:]+):(?!\/)(.+)$/.exec(url);
  const [host, path] =
    scp !== null && !/^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? [scp[1] ?? '', scp[2] ?? ''] : parsed(url);
  if (path === '') return undefined;
  const plain = path
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .replace(/\.git$/i, '');
  return `${host}/${plain}`.toLowerCase();
}

function parsed(url: string): [string, string] {
  try {
    const { hostname, pathname } = new URL(url);
    return [hostname, decodeURIComponent(pathname)];
  } catch {
    // No address: it fits nothing.
    return ['', ''];
  }
}

function followsRevision(target: string, revision: string, touchesHead: boolean): boolean {
  const wanted = target.replace(/^refs\/(heads|tags)\//, '');
  if (wanted === '' || wanted === 'HEAD') return touchesHead;
  return wanted === revision || fitsRange(wanted, revision);
}

function fitsRange(range: string, revision: string): boolean {
  try {
    return satisfies(parseSemver(revision), parseSemverRange(range));
  } catch {
    // One of them is a name and no version.
    return false;
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
    paths.some((path) => path === '' || file === path || file.startsWith(`${path}/`) || matchesGlob(path, file)),
  );
}

function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
