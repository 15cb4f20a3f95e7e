import { ApiError, json, type Answer } from '../../http/index.js';
import { route, type Context, type Route, fields, text } from '../../route/index.js';
import {
  OUR_ISSUER,
  textClaim,
  presentedToken,
  type Authenticator,
  knownAddresses,
  checkPassword,
  clearTokenCookies,
  readCookies,
  SESSION_COOKIE,
  tokenInCookies,
  tokenCookies,
  crossSiteViolation,
  parseToken,
  userOf,
} from '../../access/index.js';

const TAG = 'session';

/** `/api/v1/session`: in, out, and who is there. */
export function sessionRoutes(authenticator: Authenticator): Route[] {
  return [
    route('POST', '/api/v1/session', {
      summary: 'Sign in with a username and password.',
      tag: TAG,
      access: 'anonymous',
      bodyLimit: 16_384,
      body: fields({ username: text(), password: text('', { maxLength: 1024 }), token: text() }),
      handle: async ({ body: { username = '', password = '', token = '' }, headers, remoteAddress, audit }) => {
        // What is no account may be a password in the wrong place.
        const object = authenticator.accounts.get(username) === undefined ? '(unknown account)' : username;
        audit.note({ verb: 'login', resource: 'accounts', object });
        if (token !== '')
          throw new ApiError(
            'Unauthenticated',
            'token-based session creation no longer supported. please upgrade argocd cli to v0.7+',
          );
        if (username === '' || password === '') throw new ApiError('Unauthenticated', 'no credentials supplied');
        await checkPassword(authenticator, { name: username, password, remoteAddress });
        audit.note({ user: username });
        const issued = authenticator.sessions.issue(`${username}:login`, authenticator.sessionSeconds, {
          notBefore: authenticator.accounts.get(username)?.passwordChangedAt,
        });
        return json(
          { token: issued.token },
          {
            headers: {
              'set-cookie': tokenCookies(issued.token, { isSecure: authenticator.isSecure(headers.host ?? '') }) ?? [],
            },
          },
        );
      },
    }),
    route('DELETE', '/api/v1/session', {
      summary: 'Sign out: the session is revoked everywhere.',
      tag: TAG,
      access: 'anonymous',
      handle: (context) => signOut(authenticator, context),
    }),
    route('GET', '/api/v1/session/userinfo', {
      summary: 'The signed-in user, if any.',
      tag: TAG,
      access: 'anonymous',
      handle: async ({ headers, access, remoteAddress }) => {
        const subject = await access.authenticate({
          method: 'GET',
          path: '/api/v1/session/userinfo',
          headers,
          remoteAddress,
        });
        if ('refused' in subject) return json({});
        // Where nobody has to sign in, the page must not ask for it.
        if (subject.name === '') return json({ loggedIn: false });
        const { username, issuer, groups, renewed } = subject;
        return json(
          { loggedIn: true, username, iss: issuer, ...(groups.length === 0 ? {} : { groups: [...groups] }) },
          renewed === undefined ? {} : { headers: { 'set-cookie': renewed } },
        );
      },
    }),
  ];
}

async function signOut(authenticator: Authenticator, { headers, audit }: Context): Promise<Answer> {
  audit.note({ verb: 'logout', resource: 'accounts' });
  const token = presentedToken(headers);
  const suspicion =
    token?.isCookie === true
      ? crossSiteViolation(
          'DELETE',
          headers,
          knownAddresses(authenticator.settings).map(({ host }) => host),
        )
      : undefined;
  if (suspicion !== undefined) throw new ApiError('PermissionDenied', suspicion);
  if (token !== undefined) await endSession(authenticator, token.token, { headers, audit });
  return json(
    {},
    {
      headers: {
        'set-cookie': clearTokenCookies(readCookies(headers.cookie), {
          isSecure: authenticator.isSecure(headers.host ?? ''),
        }),
      },
    },
  );
}

/** What proves nothing needs no end. */
export async function endSession(
  authenticator: Authenticator,
  token: string,
  { headers, audit }: Pick<Context, 'headers' | 'audit'>,
): Promise<void> {
  const sealed = tokenInCookies(readCookies(headers.cookie), SESSION_COOKIE) ?? '';
  const proved = await authenticator.verify(token, { sealed, mayRenew: false });
  // Tokens of programs live until somebody deletes them; a provider may give its users any name.
  const claims = parseToken(token)?.claims ?? {};
  const isOfProgram = textClaim(claims, 'iss') === OUR_ISSUER && /^proj:|:apiKey$/.test(textClaim(claims, 'sub'));
  if ('claims' in proved) audit.note({ user: userOf(proved.claims) });
  if ('claims' in proved && !isOfProgram) await authenticator.sessions.revoke(proved.claims);
  await authenticator.browserSessions.end(sealed);
}
