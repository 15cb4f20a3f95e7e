import type { IncomingHttpHeaders } from 'node:http';
import { Fault, faultText } from '../../../model/faults/index.js';
import { ApiError, type Answer } from '../../http/index.js';
import { route, type Context, type Route, text } from '../../route/index.js';
import {
  crossSiteViolation,
  textClaim,
  OUR_ISSUER,
  presentedToken,
  type Authenticator,
  addressOf,
  joinPath,
  knownAddresses,
  safeReturnUrl,
  clearTokenCookies,
  readCookies,
  SESSION_COOKIE,
  STATE_COOKIE,
  tokenCookies,
  parseToken,
  userOf,
} from '../../access/index.js';
import { endSession } from './session-routes.js';

const TAG = 'login';
const MAX_PARAMETER_LENGTH = 4096;

/** `/auth/...`: the way to a provider and back, and out again. For browsers. */
export function authRoutes(authenticator: Authenticator): Route[] {
  return [
    route('GET', '/auth/login', {
      summary: 'Start a login with the OpenID provider of oidc.config.',
      tag: TAG,
      access: 'anonymous',
      query: {
        return_url: text('Where to return after the login; a path of this server.', {
          maxLength: MAX_PARAMETER_LENGTH,
        }),
      },
      handle: (context) => beginLogin(authenticator, context, context.query.return_url ?? ''),
    }),
    route('GET', '/auth/callback', {
      summary: 'The callback of the OpenID provider.',
      tag: TAG,
      access: 'anonymous',
      changes: true,
      query: {
        code: text('', { maxLength: MAX_PARAMETER_LENGTH }),
        state: text('', { maxLength: MAX_PARAMETER_LENGTH }),
        iss: text('', { maxLength: MAX_PARAMETER_LENGTH }),
        error: text('', { maxLength: MAX_PARAMETER_LENGTH }),
        error_description: text('', { maxLength: MAX_PARAMETER_LENGTH }),
      },
      handle: (context) => {
        const { code = '', state = '', iss = '' } = context.query;
        return completeLogin(authenticator, context, { code, state, ...(iss === '' ? {} : { iss }) });
      },
    }),
    route('GET', '/auth/logout', {
      summary: 'End the session, also with the provider if oidc.config has a logout URL.',
      tag: TAG,
      access: 'anonymous',
      changes: true,
      handle: (context) => logOut(authenticator, context),
    }),
    route('POST', '/auth/logout', {
      summary: 'End the session: the command line of Argo CD asks so.',
      tag: TAG,
      access: 'anonymous',
      handle: (context) => {
        refuseForeignPage(authenticator, context.headers);
        return logOut(authenticator, context);
      },
    }),
  ];
}

/** Argo CD's command line sends the token as a cookie, and says nothing of where it comes from, as browsers do. */
function refuseForeignPage({ settings }: Authenticator, headers: IncomingHttpHeaders): void {
  if (headers.origin === undefined && headers['sec-fetch-site'] === undefined) return;
  const hosts = knownAddresses(settings).map(({ host }) => host);
  const violation = crossSiteViolation('POST', headers, hosts);
  if (violation !== undefined) throw new ApiError('PermissionDenied', violation);
}

async function beginLogin(
  authenticator: Authenticator,
  { origin, services, audit }: Context,
  wanted: string,
): Promise<Answer> {
  const known = knownAddresses(authenticator.settings);
  const address = addressOf(origin, known);
  const returnUrl = safeReturnUrl(wanted, address, known);
  if (returnUrl === undefined)
    throw new ApiError(
      'InvalidArgument',
      'Invalid redirect URL: the protocol and host (including port) must match and the path must be within ' +
        'allowed URLs if provided',
    );
  try {
    const { location, state } = await authenticator.sso.beginLogin(joinPath(address, '/auth/callback'), returnUrl);
    return redirect(location, [stateCookie(state, 600, address)]);
  } catch (error) {
    return redirectToLoginError(error, address, { services, audit });
  }
}

async function completeLogin(
  authenticator: Authenticator,
  { origin, headers, services, audit }: Context,
  given: Readonly<Record<'code' | 'state', string>> & { readonly iss?: string },
): Promise<Answer> {
  audit.note({ verb: 'login', resource: 'accounts' });
  const address = addressOf(origin, knownAddresses(authenticator.settings));
  const isSecure = address.protocol === 'https:';
  try {
    if (given.code === '') throw new Fault('SSO_REFUSED', 'the provider denied access', { where: 'login' });
    const { token, returnUrl, session } = await authenticator.sso.completeLogin(
      readCookies(headers.cookie).get(STATE_COOKIE) ?? '',
      new URLSearchParams(given),
    );
    audit.note({ user: userOf(parseToken(token)?.claims ?? {}) });
    const cookies = tokenCookies(token, { isSecure });
    if (cookies === undefined)
      throw new Fault('SSO_REFUSED', 'the token of the provider is larger than browsers keep: ask for fewer groups', {
        where: 'login',
      });
    const sealed = await authenticator.browserSessions.seal(session);
    const kept = sealed === undefined ? [] : (tokenCookies(sealed, { isSecure }, SESSION_COOKIE) ?? []);
    return redirect(returnUrl, [...cookies, ...kept, stateCookie('', 0, address)]);
  } catch (error) {
    return redirectToLoginError(error, address, { services, audit });
  }
}

async function logOut(authenticator: Authenticator, { origin, headers, audit }: Context): Promise<Answer> {
  audit.note({ verb: 'logout', resource: 'accounts' });
  const address = addressOf(origin, knownAddresses(authenticator.settings));
  const homeUrl = joinPath(address, '/');
  const token = presentedToken(headers);
  const cookies = clearTokenCookies(readCookies(headers.cookie), { isSecure: address.protocol === 'https:' });
  if (token === undefined) return redirect(homeUrl, cookies);
  await endSession(authenticator, token.token, { headers, audit });
  const settings = authenticator.sso.settings;
  const issuer = textClaim(parseToken(token.token)?.claims ?? {}, 'iss');
  if (settings === undefined || 'problem' in settings || settings.config.logoutUrl === '' || issuer === OUR_ISSUER)
    return redirect(homeUrl, cookies);
  return redirect(
    settings.config.logoutUrl
      .replaceAll('{{token}}', () => token.token)
      .replaceAll('{{logoutRedirectURL}}', () => homeUrl),
    cookies,
  );
}

/**
 * What went wrong is for the log. The page is told that something did, and no word that a stranger could have chosen.
 */
function redirectToLoginError(
  error: unknown,
  address: URL,
  { services, audit }: Pick<Context, 'services' | 'audit'>,
): Answer {
  if (!(error instanceof Fault)) throw error;
  audit.note({ decision: 'refused', result: 'Unauthenticated', user: '' });
  services.report(`login with the provider failed: ${faultText(error)}`);
  return redirect(joinPath(address, '/login?has_sso_error=true'), [stateCookie('', 0, address)]);
}

function stateCookie(value: string, seconds: number, { protocol }: URL): string {
  return (
    `${STATE_COOKIE}=${value}; path=/; Max-Age=${seconds}; SameSite=lax; ` +
    `httpOnly${protocol === 'https:' ? '; Secure' : ''}`
  );
}

function redirect(location: string, cookies: readonly string[]): Answer {
  return {
    kind: 'bytes',
    bytes: '',
    type: 'text/plain; charset=utf-8',
    status: 303,
    headers: { location, 'set-cookie': cookies, 'cache-control': 'no-store' },
  };
}
