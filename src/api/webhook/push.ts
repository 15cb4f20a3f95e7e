import { ApiError } from '../http/index.js';
import { type JsonObject, isArray, isObject, objectAt, objectsAt, textAt, textsAt } from '../../model/json/index.js';

/** What a forge says happened, in one shape. Anybody may send it: what it costs is limited here. */
export interface Push {
  /** Where the repository is, as `placeOf` writes it. */
  readonly places: ReadonlySet<string>;
  /** The branches and tags, without `refs/heads/`. */
  readonly revisions: ReadonlySet<string>;
  readonly touchesHead: boolean;
  /** Files that changed; none where the forge does not say, or names too many. */
  readonly files: readonly string[];
}

/** Of a repository; forges send up to four. */
const MAX_URLS = 16;
/** Branches and tags in one push. */
const MAX_REVISIONS = 500;
/** With more files than this everything counts as changed. */
const MAX_FILES = 1000;

function refName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

function filesOf(commits: readonly JsonObject[]): string[] {
  const files = new Set(
    commits.flatMap((commit) => [
      ...textsAt(commit, 'added'),
      ...textsAt(commit, 'modified'),
      ...textsAt(commit, 'removed'),
    ]),
  );
  return files.size > MAX_FILES ? [] : [...files];
}

function urlsOf(repository: JsonObject | undefined, ...names: readonly string[]): string[] {
  return repository === undefined ? [] : names.map((name) => textAt(repository, name)).filter((url) => url !== '');
}

function pushOf(
  urls: readonly string[],
  revisions: readonly string[],
  { touchesHead, files }: Pick<Push, 'touchesHead' | 'files'>,
): Push {
  const names = new Set(revisions);
  if (urls.length > MAX_URLS || names.size > MAX_REVISIONS)
    throw new ApiError(
      'InvalidArgument',
      `Webhook processing failed: at most ${MAX_URLS} addresses and ${MAX_REVISIONS} branches and tags are read; ` +
        'applications find the commits when they poll the repository',
    );
  return { places: new Set(urls.flatMap((url) => placeOf(url) ?? [])), revisions: names, touchesHead, files };
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

/** GitHub, Gogs and Gitea write the same. */
export function gitHubPush(body: JsonObject): Push {
  const repository = objectAt(body, 'repository');
  const revision = refName(textAt(body, 'ref'));
  return pushOf(urlsOf(repository, 'html_url', 'clone_url', 'ssh_url'), [revision], {
    touchesHead: textAt(repository ?? {}, 'default_branch') === revision,
    files: filesOf(objectsAt(body, 'commits')),
  });
}

export function gitLabPush(body: JsonObject): Push {
  const project = objectAt(body, 'project');
  const revision = refName(textAt(body, 'ref'));
  return pushOf(urlsOf(project, 'web_url', 'git_http_url', 'git_ssh_url'), [revision], {
    touchesHead: textAt(project ?? {}, 'default_branch') === revision,
    files: filesOf(objectsAt(body, 'commits')),
  });
}

/** Bitbucket's cloud does not say which branch is the default one, nor which files changed. */
export function bitbucketPush(body: JsonObject): Push {
  const changes = objectsAt(body, 'push', 'changes');
  return pushOf(
    [textAt(body, 'repository', 'links', 'html', 'href')],
    changes.map((change) => textAt(change, 'new', 'name') || textAt(change, 'old', 'name')),
    { touchesHead: changes.length > 0, files: [] },
  );
}

export function bitbucketServerPush(body: JsonObject): Push {
  const links = objectAt(body, 'repository', 'links');
  const urls = ['clone', 'self']
    .flatMap((name) => (links === undefined ? [] : objectsAt(links, name).map((link) => textAt(link, 'href'))))
    .filter((url) => url !== '')
    .map((url) => url.replace(/\/browse$/, ''));
  const changes = objectsAt(body, 'changes');
  return pushOf(
    urls,
    changes.map((change) => textAt(change, 'ref', 'displayId') || refName(textAt(change, 'refId'))),
    { touchesHead: changes.length > 0, files: [] },
  );
}

export function azurePush(body: JsonObject): Push {
  const repository = objectAt(body, 'resource', 'repository');
  const resource = objectAt(body, 'resource') ?? {};
  const updates = isArray(resource.refUpdates) ? resource.refUpdates.filter(isObject) : [];
  const names = updates.map((update) => textAt(update, 'name'));
  return pushOf(urlsOf(repository, 'remoteUrl'), names.map(refName), {
    touchesHead: names.includes(textAt(repository ?? {}, 'defaultBranch')),
    files: [],
  });
}
