import { type JsonObject, isArray, isObject, objectAt, objectsAt, textAt, textsAt } from '../../model/json/index.js';

/** What a forge says happened, in one shape. */
export interface Push {
  /** Addresses of the repository, as people open it. */
  readonly urls: readonly string[];
  /** The branch or tag, without `refs/heads/`. */
  readonly revision: string;
  readonly touchesHead: boolean;
  /** Files that changed; none where the forge does not say. */
  readonly files: readonly string[];
}

function refName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

function filesOf(commits: readonly JsonObject[]): string[] {
  return [
    ...new Set(
      commits.flatMap((commit) => [
        ...textsAt(commit, 'added'),
        ...textsAt(commit, 'modified'),
        ...textsAt(commit, 'removed'),
      ]),
    ),
  ];
}

function urlsOf(repository: JsonObject | undefined, ...names: readonly string[]): string[] {
  return repository === undefined
    ? []
    : [...new Set(names.map((name) => textAt(repository, name)).filter((url) => url !== ''))];
}

/** GitHub, Gogs and Gitea write the same. */
export function gitHubPush(body: JsonObject): Push {
  const repository = objectAt(body, 'repository');
  const revision = refName(textAt(body, 'ref'));
  return {
    urls: urlsOf(repository, 'html_url', 'clone_url', 'ssh_url'),
    revision,
    touchesHead: textAt(repository ?? {}, 'default_branch') === revision,
    files: filesOf(objectsAt(body, 'commits')),
  };
}

export function gitLabPush(body: JsonObject): Push {
  const project = objectAt(body, 'project');
  const revision = refName(textAt(body, 'ref'));
  return {
    urls: urlsOf(project, 'web_url', 'git_http_url', 'git_ssh_url'),
    revision,
    touchesHead: textAt(project ?? {}, 'default_branch') === revision,
    files: filesOf(objectsAt(body, 'commits')),
  };
}

/** Bitbucket's cloud does not say which branch is the default one, nor which files changed. */
export function bitbucketPushes(body: JsonObject): Push[] {
  const url = textAt(body, 'repository', 'links', 'html', 'href');
  return objectsAt(body, 'push', 'changes').map((change) => ({
    urls: url === '' ? [] : [url],
    revision: textAt(change, 'new', 'name') || textAt(change, 'old', 'name'),
    touchesHead: true,
    files: [],
  }));
}

export function bitbucketServerPushes(body: JsonObject): Push[] {
  const links = objectAt(body, 'repository', 'links');
  const urls = ['clone', 'self']
    .flatMap((name) => (links === undefined ? [] : objectsAt(links, name).map((link) => textAt(link, 'href'))))
    .filter((url) => url !== '')
    .map((url) => url.replace(/\/browse$/, ''));
  return objectsAt(body, 'changes').map((change) => ({
    urls,
    revision: textAt(change, 'ref', 'displayId') || refName(textAt(change, 'refId')),
    touchesHead: true,
    files: [],
  }));
}

export function azurePushes(body: JsonObject): Push[] {
  const repository = objectAt(body, 'resource', 'repository');
  const resource = objectAt(body, 'resource') ?? {};
  const updates = isArray(resource.refUpdates) ? resource.refUpdates.filter(isObject) : [];
  return updates.map((update) => ({
    urls: urlsOf(repository, 'remoteUrl'),
    revision: refName(textAt(update, 'name')),
    touchesHead: textAt(update, 'name') === textAt(repository ?? {}, 'defaultBranch'),
    files: [],
  }));
}
