import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startKeycloak, type Keycloak } from '../../world/doubles/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';
import { Browser } from './browser.js';

const missing = embeddedMissing();
/** Of the ID tokens of the provider. */
const TOKEN_SECONDS = 300;
const [REALM, GROUPS_REALM] = ['platform', 'groups'] as const;

describe.skipIf(missing !== undefined)(
  `a session with a provider lasts longer than its ID token${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    let keycloak: Keycloak;
    let isProviderClosed = false;
    const configure = async (realm: string, ...more: readonly string[]): Promise<void> => {
      const issuer = keycloak.issuer(realm);
      const lines = ['name: Keycloak', `issuer: ${issuer}`, 'clientID: argocd', 'clientSecret: $oidc.secret', ...more];
      await lab.settings('argocd-cm', { 'oidc.config': lines.join('\n') });
      await lab.until('the provider is known', async () =>
        (await new Browser(lab).open('/auth/login')).location.startsWith(`${issuer}/`),
      );
    };
    const loggedIn = async (): Promise<Browser> => {
      const browser = new Browser(lab);
      await browser.open(await browser.logIn('/auth/login', 'alice', 'alices'));
      return browser;
    };
    const pass = (seconds: number): void => {
      lab.ahead += seconds * 1000;
    };
    const status = async (browser: Browser): Promise<number> => (await browser.request('/api/v1/applications')).status;
    const groups = async (browser: Browser): Promise<unknown> =>
      (await browser.request('/api/v1/session/userinfo')).body.groups;

    beforeAll(async () => {
      lab = await AccessLab.open();
      const people = {
        clients: [{ clientId: 'argocd', secret: 'hush', redirectUris: [`${lab.url}/auth/callback`] }],
        users: [{ username: 'alice', password: 'alices', groups: ['ops'] }],
      };
      keycloak = await startKeycloak({
        admin: { username: 'admin', password: 'admins' },
        now: () => new Date(Date.now() + lab.ahead),
        realms: [
          { realm: REALM, ...people, revokesRefreshTokens: true },
          { realm: GROUPS_REALM, ...people, groupsInUserInfoOnly: true },
        ],
      });
      await lab.secret('argocd-secret', { 'oidc.secret': 'hush' });
      await lab.settings('argocd-rbac-cm', { 'policy.csv': 'g, ops, role:readonly' });
    });
    beforeEach(() => configure(REALM));
    afterAll(async () => {
      await lab.close();
      if (!isProviderClosed) await keycloak.close();
    });

    it('is renewed while it is used, with what the provider says now', async () => {
      const browser = await loggedIn();
      const before = browser.cookies();
      expect(await groups(browser)).toEqual(['ops']);
      for (let times = 0; times < 3; times++) {
        pass(TOKEN_SECONDS + 120);
        expect(await status(browser)).toBe(200);
      }
      expect(browser.cookies()).not.toBe(before);
      keycloak.changeGroups(REALM, 'alice', ['guests']);
      pass(TOKEN_SECONDS + 120);
      expect(await groups(browser)).toEqual(['guests']);
      keycloak.changeGroups(REALM, 'alice', ['ops']);
    });

    it('requests that come together renew it once', async () => {
      const browser = await loggedIn();
      pass(TOKEN_SECONDS + 120);
      const cookie = browser.cookies();
      const together = Array.from({ length: 10 }, () => lab.request('/api/v1/applications', { headers: { cookie } }));
      expect((await Promise.all(together)).map((answer) => answer.status)).toEqual(Array(10).fill(200));
      expect(await status(browser)).toBe(200);
      pass(TOKEN_SECONDS + 120);
      expect(await status(browser)).toBe(200);
    });

    it('a stream that opens after the token has ended goes on, and renews it too', async () => {
      const browser = await loggedIn();
      pass(TOKEN_SECONDS + 120);
      const stop = new AbortController();
      const answer = await fetch(`${lab.url}/api/v1/stream/applications`, {
        headers: { cookie: browser.cookies() },
        signal: stop.signal,
      });
      expect([answer.status, answer.headers.getSetCookie().some((each) => each.startsWith('argocd.token='))]).toEqual([
        200,
        true,
      ]);
      stop.abort();
    });

    it('ends at the next renewal when the provider ended it', async () => {
      const browser = await loggedIn();
      keycloak.endSessions(REALM, 'alice');
      expect(await status(browser)).toBe(200);
      pass(TOKEN_SECONDS - 20);
      expect(await status(browser)).toBe(401);
      expect((await browser.request('/api/v1/applications')).body.message).toBe(
        'invalid session: the session has ended, please re-login',
      );
    });

    it('ends for every copy at logout, and after users.session.duration', async () => {
      const browser = await loggedIn();
      const copy = browser.cookies();
      await browser.open('/auth/logout');
      pass(TOKEN_SECONDS + 120);
      expect((await lab.request('/api/v1/applications', { headers: { cookie: copy } })).status).toBe(401);
      await lab.settings('argocd-cm', { 'users.session.duration': '10m' });
      const other = await loggedIn();
      pass(400);
      expect(await status(other)).toBe(200);
      pass(400);
      expect(await status(other)).toBe(401);
      await lab.settings('argocd-cm', { 'users.session.duration': undefined });
    });

    it('a session cookie is nothing without its token, for another user, or changed', async () => {
      const browser = await loggedIn();
      const [, token = ''] = /argocd\.token=([^;]+)/.exec(browser.cookies()) ?? [];
      const [, session = ''] = /argosy\.session=([^;]+)/.exec(browser.cookies()) ?? [];
      expect(session).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
      pass(TOKEN_SECONDS + 120);
      const ask = async (cookie: string): Promise<number> =>
        (await lab.request('/api/v1/applications', { headers: { cookie } })).status;
      const [header = '', claims = '', signature = ''] = token.split('.');
      const bob = Buffer.from(
        JSON.stringify({ ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object), sub: 'bob' }),
      ).toString('base64url');
      const changed = `${session.slice(0, -4)}${session.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
      expect(await ask(`argosy.session=${session}`)).toBe(401);
      expect(await ask(`argocd.token=${header}.${bob}.${signature}; argosy.session=${session}`)).toBe(401);
      expect(await ask(`argocd.token=${token}; argosy.session=${changed}`)).toBe(401);
      expect(await ask(`argocd.token=${token}; argosy.session=${session}`)).toBe(200);
    });

    it('is not renewed where refreshTokenThreshold is 0, and early where it is long', async () => {
      await configure(REALM, 'refreshTokenThreshold: 0s');
      const short = await loggedIn();
      pass(TOKEN_SECONDS + 120);
      expect(await status(short)).toBe(401);
      await configure(REALM, 'refreshTokenThreshold: 4m');
      const early = await loggedIn();
      const before = early.cookies();
      expect(await status(early)).toBe(200);
      expect(early.cookies()).toBe(before);
      pass(90);
      expect(await status(early)).toBe(200);
      expect(early.cookies()).not.toBe(before);
    });

    it('groups come from the user info where the settings ask for it', async () => {
      await configure(GROUPS_REALM, 'enableUserInfoGroups: true', 'userInfoCacheExpiration: 1m');
      const browser = await loggedIn();
      expect(await groups(browser)).toEqual(['ops']);
      expect((await browser.request('/api/v1/account/can-i/applications/get/shop/web')).body).toEqual({ value: 'yes' });
      keycloak.changeGroups(GROUPS_REALM, 'alice', []);
      expect(await groups(browser)).toEqual(['ops']);
      pass(61);
      expect(await groups(browser)).toBeUndefined();
      expect((await browser.request('/api/v1/account/can-i/applications/get/shop/web')).body).toEqual({ value: 'no' });
      pass(TOKEN_SECONDS + 120);
      keycloak.changeGroups(GROUPS_REALM, 'alice', ['ops']);
      expect(await groups(browser)).toEqual(['ops']);
      const [, token = ''] = /argocd\.token=([^;]+)/.exec(browser.cookies()) ?? [];
      pass(61);
      expect((await lab.request('/api/v1/applications', { token })).body.message).toBe(
        'invalid session: the groups of this user cannot be read: please re-login in a browser',
      );
      keycloak.endSessions(GROUPS_REALM, 'alice');
      expect(await status(browser)).toBe(401);
    });

    it('keeps no token of the provider where somebody could read it', async () => {
      const browser = await loggedIn();
      const copy = browser.cookies();
      pass(TOKEN_SECONDS + 120);
      expect(await status(browser)).toBe(200);
      await browser.open('/auth/logout');
      const data = Object.values((await lab.readSecret('argosy-sessions'))?.data ?? {});
      const kept = data.map((value) => Buffer.from(String(value), 'base64').toString());
      expect(kept.join('')).toContain('sso ');
      for (const text of [...kept, ...lab.log, copy.split('argosy.session=')[1] ?? ''])
        expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/);
    });

    // The last one: nobody answers any more.
    it('goes on without its provider as long as its token is valid', async () => {
      await configure(REALM, 'refreshTokenThreshold: 4m');
      // The keys of the provider are read again, and known for ten minutes from now on.
      pass(660);
      const browser = await loggedIn();
      await keycloak.close();
      isProviderClosed = true;
      pass(TOKEN_SECONDS - 120);
      expect(await status(browser)).toBe(200);
      expect(lab.log.join('\n')).toContain('a session cannot be renewed: the provider cannot be reached');
      pass(300);
      expect((await browser.request('/api/v1/applications')).body.message).toBe(
        'invalid session: the provider of the token is unreachable',
      );
    });
  },
);
