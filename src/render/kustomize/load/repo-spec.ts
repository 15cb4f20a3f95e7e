/** A remote base as Kustomize reads its address: the repository, the folder in it, and the revision. */
export interface RepoSpec {
  /** What git clones. */
  readonly repository: string;
  readonly path: string;
  readonly ref: string;
}

const SCHEMES = ['ssh://', 'https://', 'http://', 'file://'];

/** The parts of an address of a git repository; undefined for anything else, such as a path. */
export function parseRepoSpec(address: string): RepoSpec | undefined {
  if (address.startsWith('/')) return undefined;
  const [location, query] = cut(address, '?');
  const host = extractHost(location);
  if (host === undefined) return undefined;
  const parts = splitRepository(host.rest, host.host.startsWith('file://'));
  if (parts === undefined || parts.repository === '' || leavesRepository(parts.path)) return undefined;
  return { repository: host.host + parts.repository, path: parts.path.replace(/^\//, ''), ref: refOf(query) };
}

function cut(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}

function refOf(query: string): string {
  const values = new URLSearchParams(query);
  return (values.get('ref') ?? '') || (values.get('version') ?? '');
}

function withoutPrefix(text: string, prefix: string): string | undefined {
  return text.slice(0, prefix.length).toLowerCase() === prefix ? text.slice(prefix.length) : undefined;
}

function extractHost(address: string): { host: string; rest: string } | undefined {
  const plain = withoutPrefix(address, 'git::') ?? address;
  const scheme = SCHEMES.find((prefix) => withoutPrefix(plain, prefix) !== undefined) ?? '';
  const afterScheme = plain.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(afterScheme)?.[0] ?? '';
  const rest = afterScheme.slice(user.length);
  const isGithub = /^github\.com[/:]/i.test(rest);
  const isScp = scheme === '' && (user !== '' || isGithub);
  if (scheme === '' && !isScp) return undefined;
  if (scheme === 'file://') return { host: scheme, rest: afterScheme };
  const at = separator(rest, isScp);
  const [name, path] = at < 0 ? [rest, ''] : [rest.slice(0, at + 1), rest.slice(at + 1)];
  if (isGithub)
    return { host: scheme.startsWith('ssh') || user !== '' ? `${user}github.com:` : 'https://github.com/', rest: path };
  return name === '' ? undefined : { host: scheme + user + name, rest: path };
}

function separator(text: string, isScp: boolean): number {
  const slash = text.indexOf('/');
  const colon = text.indexOf(':');
  return isScp && (slash < 0 || (colon > 0 && colon < slash)) ? colon : slash;
}

function splitRepository(path: string, isFile: boolean): { repository: string; path: string } | undefined {
  const marked = splitAtMarker(path);
  if (marked !== undefined) return marked;
  if (isFile) return { repository: path, path: '' };
  const segments = path.split('/');
  return segments.length < 2
    ? undefined
    : { repository: segments.slice(0, 2).join('/'), path: segments.slice(2).join('/') };
}

/** `_git/NAME`, `//` and `.git` say where the repository ends. */
function splitAtMarker(path: string): { repository: string; path: string } | undefined {
  const git = path.indexOf('_git/');
  if (git >= 0) {
    const [name, ...below] = path.slice(git + 5).split('/');
    return { repository: path.slice(0, git + 5) + (name ?? ''), path: below.join('/') };
  }
  const double = path.indexOf('//');
  if (double >= 0) return { repository: path.slice(0, double), path: path.slice(double + 2) };
  const suffix = path.indexOf('.git');
  return suffix < 0 ? undefined : { repository: path.slice(0, suffix + 4), path: path.slice(suffix + 4) };
}

function leavesRepository(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    depth += part === '..' ? -1 : 1;
    if (depth < 0) return true;
  }
  return false;
}

/** An address that is fetched over HTTP before anyone thinks of git. */
export function isHttpAddress(path: string): boolean {
  return /^https?:/i.test(path);
}
