import { createHash, createPublicKey, createVerify, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKeycloak, type Keycloak } from './start-keycloak.js';

const CALLBACK = 'http://localhost:8080/auth/callback';
const VERIFIER = 'a'.repeat(43);
let keycloak: Keycloak;

beforeAll(async () => {
  keycloak = await startKeycloak({
    admin: { username: 'admin', password: 'admin-password' },
    realms: [
      {
        realm: 'ameide',
        clients: ['argocd', 'rotated'].map((clientId) => ({
          clientId,
          secret: 'first',
          redirectUris: ['http://localhost:8080/*'],
        })),
        users: [{ username: 'ada', password: 'lace', groups: ['platform-admins'] }],
      },
    ],
  });
});
afterAll(() => keycloak.close());

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

const endpoint = (name: string): string => `${keycloak.issuer('ameide')}/protocol/openid-connect/${name}`;
const post = (url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' });

async function authorize(
  more: Record<string, string> = {},
  user = { username: 'ada', password: 'lace' },
): Promise<URL> {
  const query = new URLSearchParams({
    client_id: 'argocd',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile email groups',
    state: 's1',
    nonce: 'n1',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  const page = await fetch(`${endpoint('auth')}?${query.toString()}`, { redirect: 'manual' });
  if (page.status === 302) return new URL(page.headers.get('location') ?? '');
  const action = /action="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const back = await post(action, user);
  return new URL(back.headers.get('location') ?? 'http://none/');
}

const exchange = (code: string, more: Record<string, string> = {}): Promise<Response> =>
  post(endpoint('token'), {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    client_id: 'argocd',
    client_secret: 'first',
    code_verifier: VERIFIER,
    ...more,
  });
const logIn = async (): Promise<Tokens> =>
  (await (await exchange((await authorize()).searchParams.get('code') ?? '')).json()) as Tokens;
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

describe('OIDC provider', () => {
  it('says where everything is', async () => {
    const discovery = (await (
      await fetch(`${keycloak.issuer('ameide')}/.well-known/openid-configuration`)
    ).json()) as Record<string, unknown>;
    expect(discovery).toMatchObject({
      issuer: keycloak.issuer('ameide'),
      token_endpoint: endpoint('token'),
      jwks_uri: endpoint('certs'),
      code_challenge_methods_supported: ['plain', 'S256'],
    });
    expect((await fetch(`${keycloak.url}/realms/lost/.well-known/openid-configuration`)).status).toBe(404);
  });

  it('logs in by code and PKCE, with groups, and signs what its keys verify', async () => {
    const back = await authorize();
    expect([back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
      CALLBACK,
      's1',
      keycloak.issuer('ameide'),
    ]);
    const tokens = (await (await exchange(back.searchParams.get('code') ?? '')).json()) as Tokens;
    expect(claimsOf(tokens.id_token)).toMatchObject({
      iss: keycloak.issuer('ameide'),
      aud: 'argocd',
      nonce: 'n1',
      preferred_username: 'ada',
      groups: ['platform-admins'],
    });
    const { keys } = (await (await fetch(endpoint('certs'))).json()) as { keys: [JsonWebKey] };
    const [header = '', claims = '', signature = ''] = tokens.id_token.split('.');
    expect(
      createVerify('RSA-SHA256')
        .update(`${header}.${claims}`)
        .verify(createPublicKey({ key: keys[0], format: 'jwk' }), signature, 'base64url'),
    ).toBe(true);
    const info = await fetch(endpoint('userinfo'), { headers: { authorization: `Bearer ${tokens.access_token}` } });
    expect(await info.json()).toMatchObject({ email: 'ada@example.com', groups: ['platform-admins'] });
  });

  it('refuses a code twice, another verifier, another address and another secret', async () => {
    const code = async (): Promise<string> => (await authorize()).searchParams.get('code') ?? '';
    const used = await code();
    await exchange(used);
    const said = async (answer: Promise<Response>): Promise<unknown> => ({
      status: (await answer).status,
      ...((await (await answer).json()) as object),
    });
    expect(await said(exchange(used))).toEqual({
      status: 400,
      error: 'invalid_grant',
      error_description: 'Code not valid',
    });
    expect(await said(exchange(await code(), { code_verifier: 'b'.repeat(43) }))).toEqual({
      status: 400,
      error: 'invalid_grant',
      error_description: 'PKCE verification failed: Code mismatch',
    });
    expect(await said(exchange(await code(), { redirect_uri: 'http://localhost:8080/other' }))).toMatchObject({
      error_description: 'Incorrect redirect_uri',
    });
    expect(await said(exchange(await code(), { client_secret: 'old' }))).toEqual({
      status: 401,
      error: 'unauthorized_client',
      error_description: 'Invalid client or Invalid client credentials',
    });
  });

  it('sends nobody to an address that is not registered, and nothing for an unknown scope', async () => {
    const query = new URLSearchParams({
      client_id: 'argocd',
      redirect_uri: 'https://evil.example/',
      response_type: 'code',
      scope: 'openid',
    });
    const page = await fetch(`${endpoint('auth')}?${query.toString()}`, { redirect: 'manual' });
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('Invalid parameter: redirect_uri')]);
    expect((await authorize({ scope: 'openid teams' })).searchParams.get('error_description')).toBe(
      'Invalid scopes: openid teams',
    );
    expect((await authorize({}, { username: 'ada', password: 'guess' })).host).toBe('none');
  });

  it('rotates its keys: with the old ones kept their tokens hold, without them they do not', async () => {
    const { access_token: token } = await logIn();
    const status = async (): Promise<number> =>
      (await fetch(endpoint('userinfo'), { headers: { authorization: `Bearer ${token}` } })).status;
    keycloak.rotateKeys('ameide', { keepOld: true });
    expect(await status()).toBe(200);
    expect(((await (await fetch(endpoint('certs'))).json()) as { keys: unknown[] }).keys).toHaveLength(2);
    keycloak.rotateKeys('ameide');
    expect(await status()).toBe(401);
  });

  it('refreshes', async () => {
    const { refresh_token: refresh } = await logIn();
    const answer = await post(
      endpoint('token'),
      { grant_type: 'refresh_token', refresh_token: refresh },
      { authorization: `Basic ${Buffer.from('argocd:first').toString('base64')}` },
    );
    expect(claimsOf(((await answer.json()) as Tokens).id_token)).toMatchObject({ preferred_username: 'ada' });
  });
});

describe('admin API', () => {
  async function admin(): Promise<Record<string, string>> {
    const answer = await post(`${keycloak.issuer('master')}/protocol/openid-connect/token`, {
      grant_type: 'password',
      client_id: 'admin-cli',
      username: 'admin',
      password: 'admin-password',
    });
    return {
      authorization: `Bearer ${((await answer.json()) as Tokens).access_token}`,
      'content-type': 'application/json',
    };
  }

  it('opens for the administrator only', async () => {
    const wrong = await post(`${keycloak.issuer('master')}/protocol/openid-connect/token`, {
      grant_type: 'password',
      client_id: 'admin-cli',
      username: 'admin',
      password: 'guess',
    });
    expect([wrong.status, await wrong.json()]).toEqual([
      401,
      { error: 'invalid_grant', error_description: 'Invalid user credentials' },
    ]);
    expect((await fetch(`${keycloak.url}/admin/realms`)).status).toBe(401);
    const { access_token: other } = await logIn();
    expect(
      (await fetch(`${keycloak.url}/admin/realms`, { headers: { authorization: `Bearer ${other}` } })).status,
    ).toBe(403);
    expect(await (await fetch(`${keycloak.url}/admin/realms`, { headers: await admin() })).json()).toMatchObject([
      { realm: 'master' },
      { realm: 'ameide' },
    ]);
  });

  it('finds a client, shows its secret, and makes a new one with which alone it goes on', async () => {
    const headers = await admin();
    const clients = `${keycloak.url}/admin/realms/ameide/clients`;
    const [{ id } = { id: '' }] = (await (await fetch(`${clients}?clientId=rotated`, { headers })).json()) as {
      id: string;
    }[];
    expect(await (await fetch(`${clients}/${id}/client-secret`, { headers })).json()).toEqual({
      type: 'secret',
      value: 'first',
    });
    const { value } = (await (await fetch(`${clients}/${id}/client-secret`, { method: 'POST', headers })).json()) as {
      value: string;
    };
    const code = async (): Promise<string> =>
      (await authorize({ client_id: 'rotated' })).searchParams.get('code') ?? '';
    expect((await exchange(await code(), { client_id: 'rotated' })).status).toBe(401);
    expect((await exchange(await code(), { client_id: 'rotated', client_secret: value })).status).toBe(200);
    expect((await fetch(`${clients}/lost`, { headers })).status).toBe(404);
  });

  it('makes realms and clients, and no client twice', async () => {
    const headers = await admin();
    expect(
      (
        await fetch(`${keycloak.url}/admin/realms`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ realm: 'new', enabled: true }),
        })
      ).status,
    ).toBe(201);
    const add = (): Promise<Response> =>
      fetch(`${keycloak.url}/admin/realms/new/clients`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ clientId: 'grafana', redirectUris: ['https://grafana/*'] }),
      });
    expect((await add()).status).toBe(201);
    const second = await add();
    expect([second.status, await second.json()]).toEqual([409, { errorMessage: 'Client grafana already exists' }]);
  });
});
