import { isArray, type Json } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';

/** The addresses that people reach this server by: `url` and `additionalUrls` of argocd-cm. */
export function knownAddresses(settings: ReadonlyMap<string, string>): URL[] {
  let more: Json = null;
  try {
    more = readOneYaml(settings.get('additionalUrls') || 'null', {
      dialect: 'kubernetes',
      file: 'argocd-cm additionalUrls',
    });
  } catch {
    // A list that cannot be read names nobody.
  }
  return [settings.get('url') ?? '', ...(isArray(more) ? more : [])].flatMap((address) => {
    const url = typeof address === 'string' && address !== '' ? urlOf(address) : undefined;
    return url === undefined ? [] : [url];
  });
}

/**
 * The address that a request came by: the one of the settings with its host, the first of them, or what the request
 * says.
 */
export function addressOf(origin: string, known: readonly URL[]): URL {
  const asked = urlOf(origin);
  return known.find(({ host }) => host === asked?.host) ?? known[0] ?? asked ?? new URL('http://localhost');
}

/** `/auth/callback` and the like below an address that may have a path of its own. */
export function joinPath(address: URL, path: string): string {
  return `${address.origin}${address.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
}

/**
 * Where to go after a login: a path of this server, or an address below one of its own; undefined for anything else.
 */
export function safeReturnUrl(wanted: string, address: URL, known: readonly URL[]): string | undefined {
  if (wanted === '') return joinPath(address, '/');
  // Browsers read a backslash as a slash, and pass over tabs and line ends.
  if (/[\\\u0000-\u0020\u007f]/.test(wanted)) return undefined;
  if (wanted.startsWith('/')) return wanted.startsWith('//') ? undefined : `${address.origin}${wanted}`;
  const url = /^https?:\/\//.test(wanted) ? urlOf(wanted) : undefined;
  const isOurs =
    url !== undefined &&
    url.username === '' &&
    url.password === '' &&
    [address, ...known].some(
      ({ origin, pathname }) => origin === url.origin && `${url.pathname}/`.startsWith(pathname.replace(/\/*$/, '/')),
    );
  return isOurs ? url.href : undefined;
}

function urlOf(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
  } catch {
    // No address.
    return undefined;
  }
}
