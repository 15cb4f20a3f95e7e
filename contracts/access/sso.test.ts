import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeycloak, type Keycloak } from '../../world/doubles/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';
import { Browser } from './browser.js';

const missing = embeddedMissing();
const CANARY = 'client-secret-canary';

describe.skipIf(missing !== undefined)(`single sign-on${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let keycloak: Keycloak;
  const configure = async (more = ''): Promise<void> => {
    await lab.settings('argocd-cm', {
      'oidc.config':
        `name: Keycloak\nissuer: ${keycloak.issuer('platform')}\nclientID: argocd\nclientSecret: ` +
        `$oidc.clientSecret\ncliClientID: argocd-cli\n${more}`,
    });
  };
  const idToken = async (client: string, secret: string | undefined): Promise<string> => {
    const answer = await fetch(`${keycloak.issuer('platform')}/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: client,
        ...(secret === undefined ? {} : { client_secret: secret }),
        username: 'alice',
        password: 'alices',
        scope: 'openid profile email groups',
      }),
    });
    return ((await answer.json()) as { id_token: string }).id_token;
  };
  const loggedIn = async (name = 'alice'): Promise<Browser> => {
    const browser = new Browser(lab);
    const back = await browser.logIn('/auth/login', name, `${name}s`);
    await browser.open(back);
    return browser;
  };

  beforeAll(async () => {
    lab = await AccessLab.open();
    keycloak = await startKeycloak({
      admin: { username: 'admin', password: 'admins' },
      now: () => new Date(Date.now() + lab.ahead),
      realms: [
        {
          realm: 'platform',
          clients: [
            { clientId: 'argocd', secret: CANARY, redirectUris: [`${lab.url}/auth/callback`] },
            { clientId: 'argocd-cli', isPublic: true, redirectUris: ['http://localhost:*'] },
            { clientId: 'other', isPublic: true },
          ],
          users: [
            { username: 'alice', password: 'alices', groups: ['team-shop', 'ops'] },
            { id: 'robot:apiKey', username: 'robot', password: 'robots' },
          ],
        },
      ],
    });
    await lab.secret('argocd-secret', { 'oidc.clientSecret': CANARY });
    await lab.settings('argocd-rbac-cm', { 'policy.csv': 'g, ops, role:readonly' });
    await configure();
    await lab.until('the provider is known', async () =>
      (await new Browser(lab).open('/auth/login')).location.startsWith(keycloak.url),
    );
  });
  afterAll(async () => {
    await lab.close();
    await keycloak.close();
  });

  it('who logs in with the provider has the rights of their groups', async () => {
    const browser = new Browser(lab);
    const back = await browser.logIn('/auth/login?return_url=/applications/web', 'alice', 'alices');
    expect(back).toContain(`${lab.url}/auth/callback?`);
    const arrived = await browser.open(back);
    expect([arrived.status, arrived.location]).toEqual([303, `${lab.url}/applications/web`]);
    expect((await browser.request('/api/v1/session/userinfo')).body).toEqual({
      loggedIn: true,
      username: 'alice@example.com',
      iss: keycloak.issuer('platform'),
      groups: ['team-shop', 'ops'],
    });
    expect((await browser.request('/api/v1/account/can-i/applications/get/shop/web')).body).toEqual({ value: 'yes' });
    expect((await browser.request('/api/v1/account/can-i/applications/sync/shop/web')).body).toEqual({ value: 'no' });
  });

  it('a login comes back once, to the browser that left', async () => {
    const browser = new Browser(lab);
    const back = await browser.logIn('/auth/login', 'alice', 'alices');
    const failed = `${lab.url}/login?has_sso_error=true`;
    expect((await new Browser(lab).open(back)).location).toBe(failed);
    const wrong = new URL(back);
    wrong.searchParams.set('state', 'x'.repeat(43));
    const other = new Browser(lab);
    await other.open('/auth/login');
    expect((await other.open(wrong.href)).location).toBe(failed);
    expect((await browser.open(back)).location).toBe(`${lab.url}/`);
    expect((await browser.open(back)).location).toBe(failed);
  });

  it('nothing that a provider or a stranger says is shown as ours', async () => {
    const { location, text } = await new Browser(lab).open(
      '/auth/callback?error=access_denied&error_description=%3Cscript%3Ealert(1)%3C/script%3E&state=x',
    );
    expect([location, text]).toEqual([`${lab.url}/login?has_sso_error=true`, '']);
    for (const target of [
      'https://evil.example.com/',
      '//evil.example.com',
      '/\\evil.example.com',
      'javascript:alert(1)',
      `${lab.url}.evil.example.com/`,
      'http://localhost@evil.example.com/',
      '/%09/evil',
      '\t//evil.example.com',
    ]) {
      expect([
        target,
        (await new Browser(lab).open(`/auth/login?return_url=${encodeURIComponent(target)}`)).status,
      ]).toEqual([target, target === '/%09/evil' ? 303 : 400]);
    }
  });

  it('a rotated client secret needs no restart', async () => {
    const admin = (
      (await (
        await fetch(`${keycloak.issuer('master')}/protocol/openid-connect/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'password',
            client_id: 'admin-cli',
            username: 'admin',
            password: 'admins',
            scope: 'openid',
          }),
        })
      ).json()) as { access_token: string }
    ).access_token;
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const [client] = (await (
      await fetch(`${keycloak.url}/admin/realms/platform/clients?clientId=argocd`, { headers })
    ).json()) as { id: string }[];
    const { value } = (await (
      await fetch(`${keycloak.url}/admin/realms/platform/clients/${client?.id ?? ''}/client-secret`, {
        method: 'POST',
        headers,
      })
    ).json()) as { value: string };
    expect((await (await loggedIn()).request('/api/v1/session/userinfo')).body).toEqual({});
    expect(lab.log.at(-1)).toContain('unauthorized_client');
    await lab.secret('argocd-secret', { 'oidc.clientSecret': value });
    await lab.until(
      'the new secret is used',
      async () => (await (await loggedIn()).request('/api/v1/session/userinfo')).body.loggedIn === true,
    );
    expect(lab.log.join('\n')).not.toContain(CANARY);
    expect(lab.log.join('\n')).not.toContain(value);
  });

  it('a reference that leads nowhere is told, and nobody comes in', async () => {
    await configure('rootCA: $nowhere:ca\n');
    await lab.until('it is told', async () =>
      (await new Browser(lab).open('/auth/login')).location.endsWith('/login?has_sso_error=true'),
    );
    expect(lab.log.at(-1)).toContain('oidc.config of argocd-cm refers to $nowhere:ca');
    await lab.secret('nowhere', { ca: '' });
    await lab.until('it leads somewhere', async () =>
      (await new Browser(lab).open('/auth/login')).location.startsWith(keycloak.url),
    );
    await configure();
  });

  it('keys of the provider may change', async () => {
    const before = await idToken('argocd-cli', undefined);
    expect((await lab.request('/api/v1/applications', { token: before })).status).toBe(200);
    keycloak.rotateKeys('platform', { keepOld: true });
    lab.ahead += 6000;
    expect((await lab.request('/api/v1/applications', { token: await idToken('argocd-cli', undefined) })).status).toBe(
      200,
    );
    expect((await lab.request('/api/v1/applications', { token: before })).status).toBe(200);
    keycloak.rotateKeys('platform');
    lab.ahead += 11 * 60_000;
    expect((await lab.request('/api/v1/applications', { token: await idToken('argocd-cli', undefined) })).status).toBe(
      200,
    );
    expect((await lab.request('/api/v1/applications', { token: before })).status).toBe(401);
  });

  it('a token for another client of the same provider opens nothing', async () => {
    expect(
      (await lab.request('/api/v1/applications', { token: await idToken('other', undefined) })).body,
    ).toMatchObject({
      code: 16,
      message: 'invalid session: it was issued for another client',
    });
  });

  it.each(['alice', 'robot'])('logging out ends the session of %s for every copy of it', async (name) => {
    const browser = await loggedIn(name);
    const all = browser.cookies();
    const cookie = /argocd\.token=[^;]+/.exec(all)?.[0] ?? '';
    expect((await lab.request('/api/v1/applications', { headers: { cookie } })).status).toBe(200);
    expect((await browser.open('/auth/logout')).location).toBe(`${lab.url}/`);
    expect((await lab.request('/api/v1/applications', { headers: { cookie } })).status).toBe(401);
    expect(browser.cookies()).toBe('');
  });
});
