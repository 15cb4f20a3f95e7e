/** The cookie of a session, as Argo CD names it; long tokens go on in `argocd.token-1` and so on. */
export const TOKEN_COOKIE = 'argocd.token';
/** What outlives an ID token, sealed. */
export const SESSION_COOKIE = 'argosy.session';
export const STATE_COOKIE = 'argocd.oauthstate';

/** Browsers refuse longer ones, name and attributes included. */
const MAX_COOKIE_LENGTH = 4093;
const MAX_PARTS = 20;

export type Cookies = ReadonlyMap<string, string>;

/** The cookies that a browser sent; the first of a name counts, since the more specific path comes first. */
export function readCookies(header: string | undefined): Cookies {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (at > 0 && !cookies.has(name))
      cookies.set(
        name,
        part
          .slice(at + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      );
  }
  return cookies;
}

/** The token of a session, put together; undefined where there is none. */
export function tokenInCookies(cookies: Cookies, name = TOKEN_COOKIE): string | undefined {
  const first = cookies.get(name);
  if (first === undefined || first === '') return undefined;
  const split = /^(\d{1,2}):([^:]*)$/.exec(first);
  if (split === null) return first;
  const parts = Math.min(Number(split[1]), MAX_PARTS);
  return [
    split[2] ?? '',
    ...Array.from({ length: Math.max(0, parts - 1) }, (_, index) => cookies.get(`${name}-${index + 1}`) ?? ''),
  ].join('');
}

export interface CookieOptions {
  /** The server is reached over TLS: the cookie never goes over anything else. */
  readonly isSecure: boolean;
}

/** Set-Cookie headers that keep a token; undefined where it is longer than browsers keep. */
export function tokenCookies(token: string, { isSecure }: CookieOptions, name = TOKEN_COOKIE): string[] | undefined {
  const attributes = `path=/; SameSite=lax; httpOnly${isSecure ? '; Secure' : ''}`;
  const room = MAX_COOKIE_LENGTH - (name.length + 3) - (attributes.length + 2);
  const parts = Array.from({ length: Math.ceil(token.length / room) }, (_, index) =>
    token.slice(index * room, (index + 1) * room),
  );
  if (parts.length > MAX_PARTS) return undefined;
  return parts.map(
    (part, index) =>
      `${name}${index === 0 ? '' : `-${index}`}=` +
      `${index === 0 && parts.length > 1 ? `${parts.length}:` : ''}${part}; ${attributes}`,
  );
}

/** Set-Cookie headers that make a browser forget every part of the session. */
export function clearTokenCookies(cookies: Cookies, { isSecure }: CookieOptions): string[] {
  const parts = [...cookies.keys()].filter((name) =>
    /^(?:argocd\.token-\d{1,2}|argosy\.session(?:-\d{1,2})?)$/.test(name),
  );
  const names = new Set([TOKEN_COOKIE, ...parts]);
  return [...names].map((name) => `${name}=; path=/; Max-Age=0; SameSite=lax; httpOnly${isSecure ? '; Secure' : ''}`);
}
