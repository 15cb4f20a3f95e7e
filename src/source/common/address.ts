import { Fault } from '../../model/faults/index.js';

export type Protocol = 'https' | 'http' | 'ssh' | 'git' | 'file';

export const PROTOCOLS: readonly Protocol[] = ['https', 'http', 'ssh', 'git'];

/** Where a git repository is. What identifies a person has been taken out of `url`. */
export interface Address {
  /** As git gets it: no password, and for https no user either. */
  readonly url: string;
  readonly protocol: Protocol;
  /** Name and port as written; empty for files. */
  readonly host: string;
  /** From the part before `@`; for ssh the user stays in the url as well. */
  readonly username?: string;
  readonly password?: string;
}

const MAX_LENGTH = 4096;
const WITH_SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(?:([^/@]*)@)?([^/@]*)(\/.*)?$/s;
const SCP_LIKE = /^(?:([^/@:]+)@)?([^/@:]+|\[[0-9a-fA-F:.]+\]):(.+)$/s;
const HOST = /^(?:[a-zA-Z0-9_](?:[a-zA-Z0-9_.-]*[a-zA-Z0-9_])?\.?|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/;

/** Takes an address apart, or says why it is refused: other transports, options in disguise, local paths. */
export function parseAddress(text: string, allowed: readonly Protocol[] = PROTOCOLS): Address {
  const clean = text.trim();
  if (clean === '') throw refused('the address of the repository is empty', clean);
  if (clean.length > MAX_LENGTH || hasControl(clean) || /[\s\\]/.test(clean))
    throw refused('the address has characters that no address has', clean);
  // `ext::`, `fd::` and the like run programs.
  if (/^[^/]*::/.test(clean) && !clean.startsWith('['))
    throw refused('the address names a transport that is not allowed', clean);
  const [, scheme, userInfo, host = '', path = ''] = WITH_SCHEME.exec(clean) ?? [];
  const address = scheme === undefined ? scpLike(clean) : withScheme(scheme.toLowerCase(), userInfo, host, path, clean);
  if (address.protocol === 'file' && !allowed.includes('file'))
    throw new Fault('SOURCE_INVALID', 'repositories in folders of this machine are not allowed here', {
      where: maskUrl(clean),
      hint: 'start with --allow-file-repos FOLDER, or serve the repository over https or ssh',
    });
  if (!allowed.includes(address.protocol))
    throw refused(`the protocol "${address.protocol}" is not allowed here (allowed: ${allowed.join(', ')})`, clean);
  return address;
}

function withScheme(scheme: string, userInfo: string | undefined, host: string, path: string, text: string): Address {
  const protocol = scheme === 'git+ssh' || scheme === 'ssh+git' ? 'ssh' : scheme;
  if (protocol === 'file') {
    if (host !== '' || userInfo !== undefined || !path.startsWith('/'))
      throw refused('a file address is file:// and an absolute path', text);
    return { url: `file://${path}`, protocol, host: '' };
  }
  if (!isRemote(protocol)) throw refused(`the protocol "${scheme.slice(0, 20)}" is not known`, text);
  checkHostAndPath(protocol, host, path, text);
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(userInfo ?? '') ?? [];
  const username = decode(user ?? '', text);
  if (protocol === 'ssh') checkUser(username, text);
  const shown = protocol === 'ssh' && username !== '' ? `${encodeURIComponent(username)}@` : '';
  return {
    url: `${protocol}://${shown}${host}${path}`,
    protocol,
    host,
    ...(username === '' ? {} : { username }),
    ...(password === undefined || password === '' ? {} : { password: decode(password, text) }),
  };
}

function isRemote(protocol: string): protocol is Exclude<Protocol, 'file'> {
  return protocol === 'https' || protocol === 'http' || protocol === 'ssh' || protocol === 'git';
}

function checkHostAndPath(protocol: Protocol, host: string, path: string, text: string): void {
  if (!HOST.test(host)) throw refused('the address has no usable host', text);
  if (path.startsWith('/-')) throw refused('the path of the address starts with a dash', text);
  if (protocol !== 'ssh' && /[?#]/.test(path))
    throw refused('the address of a git repository has no query and no fragment', text);
}

function scpLike(text: string): Address {
  const [, user, host, path = ''] = SCP_LIKE.exec(text) ?? [];
  if (host === undefined)
    throw refused('the address is no repository address (https://..., ssh://..., git@host:path)', text);
  if (!HOST.test(host) || path.startsWith('-')) throw refused('the address has no usable host or path', text);
  if (user !== undefined) checkUser(user, text);
  return { url: text, protocol: 'ssh', host, ...(user === undefined ? {} : { username: user }) };
}

function checkUser(user: string, text: string): void {
  if (user !== '' && !/^[a-zA-Z0-9_][a-zA-Z0-9_.@+-]*$/.test(user))
    throw refused('the user in the address has characters that are not allowed', text);
}

function decode(text: string, address: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (hasControl(decoded)) throw refused('the address has characters that no address has', address);
    return decoded;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw refused('the part before "@" is not encoded as an address wants it', address);
  }
}

export function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

/** An address as it may be shown: users and passwords become `***`, queries go. */
export function maskUrl(text: string): string {
  const masked = text
    .replace(/:\/\/[^/\s]*@/g, '://***@')
    .replace(/(:\/\/[^\s?#'"]*)(\?[^\s'"]*)?/g, (_, start: string, query: string | undefined) =>
      query === undefined ? start : `${start}?***`,
    );
  return [...masked]
    .map((char) => (hasControl(char) ? '?' : char))
    .join('')
    .slice(0, 300);
}

/** Whether two addresses are the same server, so that what opens one may be shown to the other. */
export function sameServer(a: Address, b: Address): boolean {
  return a.protocol === b.protocol && a.host.toLowerCase() === b.host.toLowerCase();
}

function refused(message: string, text: string): Fault {
  return new Fault('SOURCE_INVALID', message, { where: maskUrl(text) });
}
