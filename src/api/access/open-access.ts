import { randomBytes, randomUUID } from 'node:crypto';
import { compare, hash } from 'bcryptjs';
import type { FrontDesk } from '../../control/index.js';
import { isObject, own, type KubeObject } from '../../model/index.js';
import { ApiError } from '../http/api-error.js';
import { json } from '../http/answer.js';
import { route, type Route } from '../route/route.js';
import { fields, text } from '../route/shape.js';
import { NOBODY, type Access, type Credentials, type Refusal, type Subject } from './access.js';
import { readToken, signToken } from './session-token.js';

export interface OpenAccess {
  readonly access: Access;
  readonly routes: readonly Route[];
  /** The password of admin, where it was made now: shown once. */
  readonly newPassword: string | undefined;
}

const SECRETS = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
const NAME = 'argocd-secret';
const COOKIE = 'argocd.token';
const SESSION_SECONDS = 24 * 3600;

/** The one account `admin`: its password is in argocd-secret, and made at the first start. */
export async function openAccess(desk: FrontDesk): Promise<OpenAccess> {
  const { data, newPassword } = await ensureSecret(desk);
  const key = Buffer.from(data.get('server.secretkey') ?? '');
  const access: Access = {
    authenticate: (request) => Promise.resolve(authenticate(request, key, desk)),
    enforce: ({ name }) => name === 'admin',
    close: () => undefined,
  };
  return { access, newPassword, routes: sessionRoutes(data.get('admin.password') ?? '', key) };
}

async function ensureSecret(desk: FrontDesk): Promise<{ data: ReadonlyMap<string, string>; newPassword: string | undefined }> {
  const { cluster, namespace } = desk;
  const found = await cluster.get(SECRETS, { namespace, name: NAME });
  const data = found === undefined ? new Map<string, string>() : dataOf(found);
  if (data.has('admin.password') && data.has('server.secretkey')) return { data, newPassword: undefined };
  const newPassword = data.has('admin.password') ? undefined : randomBytes(12).toString('base64url');
  const missing: Record<string, string> = {
    ...(data.has('server.secretkey') ? {} : { 'server.secretkey': randomBytes(32).toString('base64') }),
    ...(newPassword === undefined ? {} : { 'admin.password': await hash(newPassword, 10), 'admin.passwordMtime': new Date(desk.now()).toISOString().replace(/\.\d+Z$/, 'Z') }),
  };
  const stringData = Object.fromEntries(Object.entries(missing));
  const written = found === undefined
    ? await cluster.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: NAME, labels: { 'app.kubernetes.io/name': NAME, 'app.kubernetes.io/part-of': 'argocd' } }, type: 'Opaque', stringData })
    : await cluster.patch(SECRETS, { namespace, name: NAME }, { type: 'merge', body: { metadata: { resourceVersion: found.metadata.resourceVersion ?? '' }, stringData } });
  return { data: dataOf(written), newPassword };
}

function dataOf({ data }: KubeObject): Map<string, string> {
  if (!isObject(data)) return new Map();
  return new Map(Object.keys(data).flatMap((key) => {
    const value = own(data, key);
    return typeof value === 'string' ? [[key, Buffer.from(value, 'base64').toString('utf8')] as const] : [];
  }));
}

function authenticate({ headers }: Credentials, key: Buffer, desk: FrontDesk): Subject | Refusal {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? new RegExp(`(?:^|; )${COOKIE.replace('.', '\\.')}=([^;]+)`).exec(headers.cookie ?? '')?.[1];
  if (token === undefined) return { refused: 'Unauthenticated', message: 'no session information' };
  const claims = readToken(token, key);
  const now = desk.now() / 1000;
  if (claims === undefined || typeof claims.sub !== 'string' || typeof claims.exp !== 'number' || claims.exp < now) return { refused: 'Unauthenticated', message: 'invalid session: token is expired, or was not made here' };
  const name = claims.sub.replace(/:login$/, '');
  return { ...NOBODY, name, username: name, issuer: 'argocd', ...(typeof claims.iat === 'number' ? { issuedAt: claims.iat } : {}) };
}

function sessionRoutes(password: string, key: Buffer): Route[] {
  const cookie = (value: string, seconds: number): string => `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  return [
    route('POST', '/api/v1/session', {
      says: 'Sign in with a name and a password.', tag: 'session', access: 'anonymous', bodyLimit: 16_384,
      body: fields({ username: text(), password: text('', { longest: 1024 }), token: text() }),
      handle: async ({ body: { username = '', password: given = '' }, desk }) => {
        const fits = await compare(given, password);
        if (username !== 'admin' || !fits) throw new ApiError('Unauthenticated', 'Invalid username or password');
        const now = Math.floor(desk.now() / 1000);
        const token = signToken({ iss: 'argocd', sub: 'admin:login', iat: now, nbf: now, exp: now + SESSION_SECONDS, jti: randomUUID() }, key);
        return json({ token }, { headers: { 'set-cookie': cookie(token, SESSION_SECONDS) } });
      },
    }),
    route('DELETE', '/api/v1/session', { says: 'Sign out.', tag: 'session', access: 'anonymous', handle: () => json({}, { headers: { 'set-cookie': cookie('', 0) } }) }),
    route('GET', '/api/v1/session/userinfo', {
      says: 'Who is signed in.', tag: 'session', access: 'signed-in',
      handle: ({ subject: { username, issuer, groups } }) => json({ loggedIn: true, username, iss: issuer, groups: [...groups] }),
    }),
  ];
}
