import { fromByteString, quoteText, toByteString } from '../../template/value/go-text.js';
import { functionError, type TemplateError } from '../../template/template-error.js';
import { parseIp } from './ip-address.js';
import { lowerText } from '../text/runes.js';

/**
 * A URL in the parts that Go's net/url cuts it into. All texts are byte strings; escapes are resolved except in the
 * query.
 */
export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  readonly user?: UserInfo;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

interface UserInfo {
  readonly name: string;
  readonly password?: string;
}

type Part = 'path' | 'host' | 'zone' | 'user' | 'fragment';

/** Characters besides letters, digits and -_.~ that stand unescaped. */
const UNESCAPED: Readonly<Record<Part, string>> = {
  path: '$&+,/:;=@',
  host: '!$&\'()*+,;=:[]<>"',
  zone: '!$&\'()*+,;=:[]<>"',
  user: '$&+,;=',
  fragment: '$&+,/:;=?@!()*',
};

function mustEscape(char: string, part: Part): boolean {
  return !/[A-Za-z0-9\-_.~]/.test(char) && !UNESCAPED[part].includes(char);
}

function escape(text: string, part: Part): string {
  return Array.from(text, (char) =>
    mustEscape(char, part) ? `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}` : char,
  ).join('');
}

function unescape(text: string, part: Part): string {
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (char === '%') {
      checkEscape(text.slice(at, at + 3), part);
      at += 3;
    } else {
      if ((part === 'host' || part === 'zone') && char < '\x80' && mustEscape(char, part))
        throw new UrlError(`invalid character ${quote(char)} in host name`);
      at++;
    }
  }
  return text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Hosts may escape only what is no ASCII, and the percent sign before a zone. */
function checkEscape(escaped: string, part: Part): void {
  if (!/^%[0-9a-fA-F]{2}$/.test(escaped)) throw new UrlError(`invalid URL escape ${quote(escaped)}`);
  if (escaped === '%25' || (part !== 'host' && part !== 'zone')) return;
  const code = parseInt(escaped.slice(1), 16);
  const isBad = part === 'host' ? code < 0x80 : code !== 0x20 && mustEscape(String.fromCharCode(code), 'host');
  if (isBad) throw new UrlError(`invalid URL escape ${quote(escaped)}`);
}

/** What is wrong with a URL; the caller adds which one. */
class UrlError extends Error {}

function quote(bytes: string): string {
  return toByteString(quoteText(fromByteString(bytes)));
}

function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Reads a URL; the failure is Go's text, to which callers put their own words in front. */
export function parseUrl(text: string, failed: (problem: string) => TemplateError): Url {
  const raw = toByteString(text);
  const [main, fragment] = cut(raw, '#');
  const fail = (cited: string, error: unknown): never => {
    if (error instanceof UrlError) throw failed(fromByteString(`parse ${quote(cited)}: ${error.message}`));
    throw error;
  };
  let url: Url;
  try {
    url = parseMain(main);
  } catch (error) {
    return fail(main, error);
  }
  try {
    return { ...url, fragment: unescape(fragment, 'fragment') };
  } catch (error) {
    return fail(raw, error);
  }
}

const EMPTY: Url = { scheme: '', opaque: '', host: '', path: '', query: '', fragment: '' };

function parseMain(raw: string): Url {
  if (/[\x00-\x1f\x7f]/.test(raw)) throw new UrlError('net/url: invalid control character in URL');
  if (raw === '*') return { ...EMPTY, path: '*' };
  const [, found] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(raw) ?? [];
  if (raw.startsWith(':')) throw new UrlError('missing protocol scheme');
  const scheme = lowerText(found ?? '');
  const [rest, query] = cut(found === undefined ? raw : raw.slice(found.length + 1), '?');
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...EMPTY, scheme, opaque: rest, query };
    if (cut(rest, '/')[0].includes(':')) throw new UrlError('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  if (!hasAuthority) return { ...EMPTY, scheme, query, path: unescape(rest, 'path') };
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  return {
    ...EMPTY,
    scheme,
    query,
    ...parseAuthority(scheme, authority),
    path: slash < 0 ? '' : unescape(rest.slice(slash), 'path'),
  };
}

function parseAuthority(scheme: string, authority: string): Pick<Url, 'host' | 'user'> {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(info)) throw new UrlError('net/url: invalid userinfo');
  const [name, password] = cut(info, ':');
  const user = unescape(name, 'user');
  return { host, user: info.includes(':') ? { name: user, password: unescape(password, 'user') } : { name: user } };
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new UrlError('invalid IP-literal');
  if (open === 0) return parseLiteral(host);
  const isStrict = scheme === 'http' || scheme === 'https';
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescape(host, 'host');
}

function checkPort(port: string): void {
  if (!/^(?::\d*)?$/.test(port)) throw new UrlError(`invalid port ${quote(port)} after host`);
}

/** `[fe80::1%25en0]:80` */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inner = host.slice(1, close);
  const zone = inner.indexOf('%25');
  const name =
    zone < 0 ? unescape(inner, 'host') : unescape(inner.slice(0, zone), 'host') + unescape(inner.slice(zone), 'zone');
  const address = parseIp(fromByteString(name));
  if ('problem' in address) throw new UrlError(`invalid host: ${toByteString(address.problem)}`);
  if (address.bytes.length === 4) throw new UrlError('invalid IP-literal');
  return `[${name}]${port}`;
}

export function userText({ name, password }: UserInfo): string {
  return escape(name, 'user') + (password === undefined ? '' : `:${escape(password, 'user')}`);
}

/** The host without port and brackets. */
export function hostName(host: string): string {
  const bare = host.replace(/:\d*$/, '');
  return bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare;
}

export function urlText({ scheme, opaque, user, host, path, query, fragment }: Url): string {
  let text = scheme === '' ? '' : `${scheme}:`;
  if (opaque !== '') text += opaque;
  else {
    if (scheme !== '' || host !== '' || user !== undefined) {
      if (host !== '' || path !== '' || user !== undefined) text += '//';
      if (user !== undefined) text += `${userText(user)}@`;
      text += escape(host, 'host');
    }
    const escaped = path === '*' ? '*' : escape(path, 'path');
    if (escaped !== '' && !escaped.startsWith('/') && host !== '') text += '/';
    if (text === '' && cut(escaped, '/')[0].includes(':')) text += './';
    text += escaped;
  }
  if (query !== '') text += `?${query}`;
  return fragment === '' ? text : `${text}#${escape(fragment, 'fragment')}`;
}

export function urlFailure(prefix: string): (problem: string) => TemplateError {
  return (problem) => functionError(`${prefix}: ${problem}`);
}
